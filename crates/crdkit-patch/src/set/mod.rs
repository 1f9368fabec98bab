//! Sets of fields: which parts of an object somebody owns.
//!
//! A set is a tree of path elements. Every entry says whether its own path is in the set and what is below it; entries
//! are sorted, none is empty. Text is borrowed from the documents that a set was made of.
//!
//! Upstream: `structured-merge-diff/fieldpath`.

mod algebra;
mod element;
mod fields_v1;
mod find;
pub(crate) mod written;

pub(crate) use element::{Element, Key, Scalar};
pub(crate) use fields_v1::{read, write};
pub(crate) use find::each_value;

/// A set of fields.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Set<'a> {
    pub(crate) entries: Vec<Entry<'a>>,
}

/// One path element of a set.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry<'a> {
    pub(crate) element: Element<'a>,
    /// Whether the path that ends here is in the set.
    pub(crate) owned: bool,
    /// Paths that go on from here.
    pub(crate) below: Set<'a>,
}

impl<'a> Set<'a> {
    /// The set of `entries`, in any order, each element once; those that stand for nothing are left out.
    pub(crate) fn of(mut entries: Vec<Entry<'a>>) -> Self {
        entries.retain(|entry| entry.owned || !entry.below.is_empty());
        if !entries.is_sorted_by(|left, right| left.element < right.element) {
            entries.sort_unstable_by(|left, right| left.element.cmp(&right.element));
        }
        Self { entries }
    }

    /// The set of one path of field names and everything that is owned there.
    pub(crate) fn of_path(path: &[&'a str]) -> Self {
        let mut set = Self::default();
        for (at, name) in path.iter().rev().enumerate() {
            set =
                Self::of(vec![Entry { element: Element::Field(name), owned: at == 0, below: set }]);
        }
        set
    }

    /// Whether nothing is in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// What the set says about one element.
    pub(crate) fn get(&self, element: &Element<'_>) -> Option<&Entry<'a>> {
        let found = self.entries.binary_search_by(|entry| entry.element.cmp(element)).ok()?;
        self.entries.get(found)
    }

    /// Calls `f` with every path of the set: those that end at a node before those that go on from it.
    pub(crate) fn each_path(&self, f: &mut impl FnMut(&[&Element<'a>])) {
        fn walk<'s, 'a>(
            set: &'s Set<'a>,
            path: &mut Vec<&'s Element<'a>>,
            f: &mut impl FnMut(&[&Element<'a>]),
        ) {
            for entry in set.entries.iter().filter(|entry| entry.owned) {
                path.push(&entry.element);
                f(path);
                path.pop();
            }
            for entry in &set.entries {
                path.push(&entry.element);
                walk(&entry.below, path, f);
                path.pop();
            }
        }
        walk(self, &mut Vec::new(), f);
    }
}
