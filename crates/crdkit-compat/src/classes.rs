//! Which schemas are the same, whatever document they stand in.
//!
//! Equal schemas get equal classes: the children of a schema have their classes before it does, so a
//! schema is known by its own keywords and the classes below it. Comparing two trees, at every level
//! of both, then takes time in proportion to their size.

use crate::keyword;
use crdkit_schema::model::{SchemaId, Schemas};
use std::collections::HashMap;

/// What equal schemas have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Class(u32);

impl Class {
    pub(crate) fn bytes(self) -> [u8; 4] {
        self.0.to_le_bytes()
    }
}

/// Gives out classes; tables that are to be compared share one.
#[derive(Default)]
pub(crate) struct Interner {
    known: HashMap<Box<[u8]>, u32>,
}

/// The classes of one table.
pub(crate) struct Classes(Vec<Class>);

impl Interner {
    pub(crate) fn classes(&mut self, schemas: &Schemas<'_>) -> Classes {
        let mut classes = Classes(vec![Class(u32::MAX); schemas.len()]);
        let mut rows: Vec<_> = schemas.iter().collect();
        let mut key = Vec::new();
        // A child comes after the schema it is in.
        while let Some((id, schema)) = rows.pop() {
            key.clear();
            for (place, (keyword, _)) in (0_u8..).zip(keyword::ALL) {
                let start = key.len();
                key.push(place);
                keyword.write(schema, &|id| classes.of(id), &mut key);
                if key.len() == start + 1 {
                    key.truncate(start);
                }
            }
            let class = Class(self.class(&key));
            if let Some(row) = classes.0.get_mut(id.index()) {
                *row = class;
            }
        }
        classes
    }

    fn class(&mut self, key: &[u8]) -> u32 {
        if let Some(class) = self.known.get(key) {
            return *class;
        }
        let class = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
        self.known.insert(key.into(), class);
        class
    }
}

impl Classes {
    /// The class of a schema of the table.
    pub(crate) fn of(&self, id: SchemaId) -> Class {
        self.0.get(id.index()).copied().unwrap_or(Class(u32::MAX))
    }
}
