//! Types as compact text, for files that are part of a program.
//!
//! A line for each row, the named ones first: its name, with `=` and `apiVersion/kind` after it for each kind that it is the
//! definition of, a blank, and the row. A row is what it says about scalars (`s` string, `n` number, `b`
//! boolean, `a` any), about lists (`[` one leaf, `<` by value, `{k,l}` by keys; then the type of items) and about
//! objects (`(`, or `!(` for one leaf; fields with a semicolon after each; then `)` and the type of other members). A type
//! is the number of a row, `?` for what is merged without a schema, `*` for a leaf, `-` for none. A field is its name, `:`
//! and its type, `+` if a patch merges it, `~` if it replaces it, `^` if it retains keys, `@key` for the merge key, `=value`
//! for the default.

use super::{Definitions, FieldRow, ListRow, MapRow, RowId, Strategy, TypeRef, TypeRow};
use crate::typed::{ListKind, ScalarKind};
use crdkit_codec::{DecodeOptions, json};
use std::fmt::Write as _;

impl Definitions {
    /// The types as text.
    pub fn to_text(&self) -> String {
        let mut names: Vec<_> = self.names.iter().collect();
        names.sort_unstable_by_key(|(_, id)| **id);
        let mut out = String::new();
        for (at, row) in self.rows.iter().enumerate() {
            if let Some((name, id)) = names.get(at) {
                out.push_str(name);
                for (kind, _) in self.kinds.iter().filter(|(_, of)| of == id) {
                    let _ = write!(out, "={kind}");
                }
            }
            out.push(' ');
            write_row(row, &mut out);
            out.push('\n');
        }
        out
    }

    /// The types in `text`; what cannot be read is nothing that is known.
    pub fn from_text(text: &str) -> Self {
        let mut types = Self::default();
        for (at, line) in text.lines().enumerate() {
            let (names, row) = line.split_once(' ').unwrap_or((line, ""));
            let id = RowId(u32::try_from(at).unwrap_or(u32::MAX));
            let mut names = names.split('=');
            let name = names.next().filter(|name| !name.is_empty());
            types.names.extend(name.map(|name| (name.into(), id)));
            types.kinds.extend(names.map(|kind| (kind.into(), id)));
            types.rows.push(DefinitionReader(row).row());
        }
        types
    }
}

fn write_row(row: &TypeRow, out: &mut String) {
    out.push_str(match row.scalar {
        Some(ScalarKind::String) => "s",
        Some(ScalarKind::Number) => "n",
        Some(ScalarKind::Boolean) => "b",
        Some(ScalarKind::Any) => "a",
        None => "",
    });
    if let Some(list) = &row.list {
        match list.kind {
            ListKind::Atomic => out.push('['),
            ListKind::Set => out.push('<'),
            ListKind::Map => {
                let _ = write!(out, "{{{}}}", list.keys.join(","));
            }
        }
        write_of(Some(list.items), out);
    }
    if let Some(map) = &row.map {
        out.push_str(if map.atomic { "!(" } else { "(" });
        for field in &map.fields {
            write_field(field, out);
        }
        out.push(')');
        write_of(map.element, out);
    }
}

fn write_field(field: &FieldRow, out: &mut String) {
    let _ = write!(out, "{}:", field.name);
    write_of(Some(field.of), out);
    let Strategy { merges, replaces, retains_keys, merge_key } = &field.strategy;
    for (is_set, mark) in [(merges, '+'), (replaces, '~'), (retains_keys, '^')] {
        if *is_set {
            out.push(mark);
        }
    }
    if !merge_key.is_empty() {
        let _ = write!(out, "@{merge_key}");
    }
    // Only what tells items of a list apart needs its default.
    if let Some(default) = field.default.as_ref().filter(|it| !it.root().is_container()) {
        let _ = write!(out, "={default}");
    }
    out.push(';');
}

fn write_of(of: Option<TypeRef>, out: &mut String) {
    match of {
        Some(TypeRef::Row(RowId(at))) => {
            let _ = write!(out, "{at}");
        }
        Some(TypeRef::Deduced) => out.push('?'),
        Some(TypeRef::Atomic) => out.push('*'),
        None => out.push('-'),
    }
}

struct DefinitionReader<'a>(&'a str);

impl<'a> DefinitionReader<'a> {
    fn row(&mut self) -> TypeRow {
        let scalar = match self.0.bytes().next() {
            Some(b's') => Some(ScalarKind::String),
            Some(b'n') => Some(ScalarKind::Number),
            Some(b'b') => Some(ScalarKind::Boolean),
            Some(b'a') => Some(ScalarKind::Any),
            _ => None,
        };
        if scalar.is_some() {
            self.0 = self.0.get(1..).unwrap_or_default();
        }
        TypeRow { scalar, list: self.list(), map: self.map() }
    }

    fn list(&mut self) -> Option<ListRow> {
        let (kind, keys): (_, Box<[Box<str>]>) = if self.take("[") {
            (ListKind::Atomic, Box::default())
        } else if self.take("<") {
            (ListKind::Set, Box::default())
        } else if self.take("{") {
            (ListKind::Map, self.until('}').split(',').map(Into::into).collect())
        } else {
            return None;
        };
        Some(ListRow { kind, keys, items: self.of().unwrap_or(TypeRef::Atomic) })
    }

    fn map(&mut self) -> Option<MapRow> {
        let atomic = self.take("!");
        if !self.take("(") {
            return None;
        }
        let mut fields = Vec::new();
        while !self.take(")") && !self.0.is_empty() {
            fields.push(self.field());
        }
        Some(MapRow { atomic, fields: fields.into(), element: self.of() })
    }

    fn field(&mut self) -> FieldRow {
        let name = self.until(':').into();
        let of = self.of().unwrap_or(TypeRef::Deduced);
        let (merges, replaces) = (self.take("+"), self.take("~"));
        let retains_keys = self.take("^");
        let mut rest = DefinitionReader(self.until(';'));
        let merge_key = if rest.take("@") { rest.until('=').into() } else { Box::default() };
        let text = rest.0.strip_prefix('=').unwrap_or(rest.0);
        let default = json::decode(text.as_bytes(), &DecodeOptions::default()).ok();
        FieldRow {
            name,
            of,
            // The type is already the one that it says.
            is_granular: false,
            strategy: Strategy { merges, replaces, retains_keys, merge_key },
            default: default.map(|decoded| decoded.document),
        }
    }

    fn of(&mut self) -> Option<TypeRef> {
        let digits = self.0.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 {
            let (number, rest) = self.0.split_at_checked(digits)?;
            self.0 = rest;
            return number.parse().ok().map(|at| TypeRef::Row(RowId(at)));
        }
        if self.take("?") {
            return Some(TypeRef::Deduced);
        }
        if self.take("*") {
            return Some(TypeRef::Atomic);
        }
        self.take("-");
        None
    }

    fn take(&mut self, prefix: &str) -> bool {
        let rest = self.0.strip_prefix(prefix);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    /// What is before `end`, which is passed over as well.
    fn until(&mut self, end: char) -> &'a str {
        let (text, rest) = self.0.split_once(end).unwrap_or((self.0, ""));
        self.0 = rest;
        text
    }
}
