//! From the model to the table.
//!
//! A model lists a schema before those inside it, so going through it backwards meets children
//! first. Each schema becomes a [`Node`] whose children are ids; a node that equals one already in
//! the table is not added again.

use super::crd::{CrdParts, VersionRow};
use super::fields::Fields;
use super::flags::Flags;
use super::hash::Index;
use super::literal::{DefaultId, Literal, LiteralId};
use super::more::More;
use super::node::{FieldDefault, ListType, Node, Rare};
use super::parts::{SchemaParts, SchemaSource};
use super::pattern::{Pattern, PatternId, PatternRoom};
use super::serving::ColumnRow;
use super::table::{Id, Name, Table};
use super::{CompiledCrd, crd};
use crate::model::{self, Crd, SchemaId};
use crate::rules::RuleOptions;
use crate::{defaults, prune};
use crdkit_codec::json;
use crdkit_value::{Document, Kind, Value};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A default is not filled in with more than this.
const MAX_DEFAULT_BYTES: usize = 32 << 20;

/// What of a schema counts, which depends on what its values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// For objects: formats that the server does not check do not count, and
    /// `x-kubernetes-int-or-string` means integer or string.
    Objects {
        /// Whether objects, and with them defaults, lose unknown fields.
        prune: bool,
    },
    /// For defaults, when the CRD itself is checked: formats count as written, and
    /// `x-kubernetes-int-or-string` does not count.
    Defaults,
}

/// The schemas of a document, compiled for checking the document itself.
#[derive(Debug)]
pub(crate) struct SchemaTable {
    pub(crate) table: Table,
    ids: Vec<Id>,
}

impl SchemaTable {
    /// `schemas` as defaults are held against them.
    pub(crate) fn for_defaults(schemas: &model::Schemas<'_>) -> Self {
        Self::new(schemas, &[], Reading::Defaults)
    }

    /// `schemas` as rules see their values; `roots` describe whole objects.
    #[cfg(feature = "cel")]
    pub(crate) fn for_rules(schemas: &model::Schemas<'_>, roots: &[SchemaId]) -> Self {
        let roots: Vec<_> = roots.iter().copied().map(Some).collect();
        Self::new(schemas, &roots, Reading::Objects { prune: false })
    }

    fn new(schemas: &model::Schemas<'_>, roots: &[Option<SchemaId>], reading: Reading) -> Self {
        let mut compiler = Compiler::default();
        let ids = compiler.rows(schemas, roots, reading);
        Self { table: compiler.table, ids }
    }

    /// The id of what was compiled from `id`.
    pub(crate) fn id(&self, id: SchemaId) -> Id {
        self.ids.get(id.index()).copied().unwrap_or(Id(u32::MAX))
    }
}

/// Compiles schemas, mostly those of CRDs, into one table.
#[derive(Debug)]
pub struct Compiler {
    table: Table,
    nodes: Index,
    names: Index,
    patterns: Index,
    pattern_room: PatternRoom,
    literals: Index,
    /// The JSON text of each literal, by which equal ones are found.
    literal_texts: Vec<Box<[u8]>>,
    defaults: Index,
    default_texts: Vec<Box<[u8]>>,
    crds: Vec<CrdParts>,
}

impl Default for Compiler {
    fn default() -> Self {
        Self {
            table: Table::new(),
            nodes: Index::default(),
            names: Index::default(),
            patterns: Index::default(),
            pattern_room: PatternRoom::default(),
            literals: Index::default(),
            literal_texts: Vec::new(),
            defaults: Index::default(),
            default_texts: Vec::new(),
            crds: Vec::new(),
        }
    }
}

impl Crd<'_> {
    /// This CRD alone, compiled.
    pub fn compile(&self) -> CompiledCrd {
        self.compile_with(PatternRoom::default())
    }

    /// The same with the memory that patterns may take.
    pub fn compile_with(&self, pattern_room: PatternRoom) -> CompiledCrd {
        let mut compiler = Compiler::default().pattern_room(pattern_room);
        compiler.add(self);
        // One was added, so one comes out.
        compiler.finish().pop().unwrap_or_default()
    }
}

impl Compiler {
    /// A compiler whose CRDs have rules that may use only so much.
    pub fn with_rules(options: RuleOptions) -> Self {
        let mut compiler = Self::default();
        compiler.table.rule_options = options;
        compiler
    }

    /// The same with the memory that patterns may take.
    #[must_use]
    pub fn pattern_room(self, pattern_room: PatternRoom) -> Self {
        Self { pattern_room, ..self }
    }

    /// Adds `crd`; [`Compiler::finish`] gives it at the same position among the CRDs added.
    pub fn add(&mut self, crd: &Crd<'_>) {
        let versions = crd.spec.versions.len();
        let roots: Vec<Option<SchemaId>> = (0..versions).map(|at| crd.schema(at)).collect();
        let reading = Reading::Objects { prune: crd.prunes() };
        let ids = self.rows(&crd.schemas, &roots, reading);
        let id_of = |root: SchemaId| ids.get(root.index()).copied();
        let rows = roots.into_iter().enumerate().map(|(at, root)| VersionRow {
            schema: root.and_then(id_of),
            columns: crd
                .columns(at)
                .iter()
                .map(|it| ColumnRow::new(it, |text| self.name(text)))
                .collect(),
        });
        let rows = rows.collect();
        self.crds.push(crd::parts(crd, rows));
    }

    /// The compiled CRDs, in the order they were added.
    pub fn finish(self) -> Vec<CompiledCrd> {
        let mut table = self.table;
        table.nodes.shrink_to_fit();
        table.text.shrink_to_fit();
        table.literals.shrink_to_fit();
        let table = Arc::new(table);
        let crds = self.crds.into_iter();
        crds.map(|parts| CompiledCrd::new(Arc::clone(&table), parts)).collect()
    }

    /// The table so far.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The table, with what the slots of references and the anchors of resources stand for, by position.
    pub fn into_table(mut self, references: Vec<Id>, anchors: Vec<Vec<(Name, Id)>>) -> Table {
        self.table.references = references;
        self.table.anchors = anchors;
        self.table
    }

    /// Adds a schema that was not read from a CRD; those that it names were added before.
    pub fn schema(&mut self, parts: SchemaParts<'_>) -> Id {
        let node = self.node(parts, Reading::Objects { prune: false });
        self.intern(node)
    }

    /// Compiles all of `schemas`, of which `roots` are those of whole objects. Gives their ids.
    fn rows(
        &mut self,
        schemas: &model::Schemas<'_>,
        roots: &[Option<SchemaId>],
        reading: Reading,
    ) -> Vec<Id> {
        let mut ids = vec![Id(u32::MAX); schemas.len()];
        let roots: BTreeSet<SchemaId> = roots.iter().copied().flatten().collect();
        let rows: Vec<_> = schemas.iter().collect();
        for (schema_id, schema) in rows.into_iter().rev() {
            let is_root = roots.contains(&schema_id);
            let source = SchemaSource { schemas, id: schema_id, schema, ids: &ids };
            let parts = self.parts(source, is_root, reading);
            let node = self.node(parts, reading);
            let id = self.intern(node);
            if let Some(slot) = ids.get_mut(schema_id.index()) {
                *slot = id;
            }
        }
        ids
    }

    fn node(&mut self, parts: SchemaParts<'_>, reading: Reading) -> Node {
        let mut names = |names: &[&str]| names.iter().map(|name| self.name(name)).collect();
        let required: Box<[Name]> = names(parts.required);
        let list_map_keys = names(parts.list_map_keys);
        let mut properties = parts.properties;
        properties.sort_unstable_by_key(|(name, _)| *name);
        let entries = properties.into_iter().map(|(name, id)| (self.name(name), id)).collect();
        let fields = Fields::new(&self.table, entries, &required);
        let enum_values = parts.enum_values.into_iter().flat_map(Value::items);
        let mut more = parts.more.filter(|more| **more != More::default());
        if let Some(more) = &mut more {
            more.beyond = more.is_beyond();
        }
        let rare = Rare {
            bounds: parts.bounds,
            enum_values: enum_values.map(|value| self.literal(value)).collect(),
            junctors: parts.junctors,
            list_map_keys,
            rules: parts.rules,
            field_defaults: self.field_defaults(&fields),
            more,
        };
        let mut node = Node {
            types: parts.types,
            flags: Flags::default(),
            list_type: parts.list_type,
            format: parts.format,
            items: parts.items,
            additional: parts.additional,
            default: None,
            pattern: parts.pattern,
            fields,
            required,
            rare: (rare != Rare::default()).then(|| Box::new(rare)),
        };
        let mut own = Flags::default();
        own.add_if(Flags::NULLABLE, parts.nullable);
        own.add_if(Flags::PRESERVE, parts.preserves);
        own.add_if(Flags::EMBEDDED, parts.is_embedded);
        own.add_if(Flags::ROOT, parts.is_root);
        own.add_if(Flags::ATOMIC_MAP, parts.is_atomic_map);
        node.flags = self.flags(&node, own);
        node.default = parts.default.map(|default| self.default_value(default, &node, reading));
        node
    }

    /// The facts about `node`: its `own`, what follows from them, and what holds because of schemas below.
    fn flags(&self, node: &Node, own: Flags) -> Flags {
        let mut flags = own;
        flags.add_if(Flags::HAS_EMBEDDED, own.has(Flags::EMBEDDED));
        flags.add_if(Flags::HAS_LIST_TYPES, node.list_type != ListType::Atomic);
        flags.add_if(Flags::HAS_RULES, !node.rules().is_empty());
        let fields = node.fields.iter().map(|(_, id)| id);
        for id in fields.chain(node.items).chain(node.additional_schema()) {
            let child = self.table.node(id);
            flags.add_if(Flags::HAS_DEFAULTS, child.default.is_some());
            flags.add_if(Flags::DEFAULTS_BELOW, child.has(Flags::HAS_DEFAULTS));
            flags.inherit(child.flags);
        }
        let clauses = node.junctors().map_or(&[][..], |junctors| &junctors.all_of);
        let mut others = clauses.iter().copied().chain(node.more_with_rules());
        let ruled = others.any(|id| self.table.node(id).has(Flags::HAS_RULES));
        flags.add_if(Flags::HAS_RULES, ruled);
        flags
    }

    fn field_defaults(&self, fields: &Fields) -> Box<[FieldDefault]> {
        let entries = fields.iter().filter_map(|(name, id)| {
            let child = self.table.node(id);
            let nullable = child.has(Flags::NULLABLE);
            child.default.map(|default| FieldDefault { name, default, nullable })
        });
        entries.collect()
    }

    /// The default as an object shows it: pruned if objects are, and with the defaults inside it.
    fn default_value(&mut self, default: Value<'_>, node: &Node, reading: Reading) -> DefaultId {
        let mut document = Document::copy_of(default);
        if matches!(default.kind(), Kind::Array(_) | Kind::Object(_)) {
            if reading == (Reading::Objects { prune: true }) {
                for id in prune::unknown(&self.table, Some(node), document.root()) {
                    document.remove(id);
                }
            }
            // Reading finds out what is too large; whoever goes on all the same gets less.
            let _ = defaults::apply(&self.table, node, &mut document, MAX_DEFAULT_BYTES);
            document = Document::copy_of(document.root());
        }
        let text = json_text(document.root());
        let texts = &mut self.default_texts;
        let found = self.defaults.find_or_add(&text, texts.len(), |at| {
            texts.get(at as usize).is_some_and(|known| **known == *text)
        });
        if found as usize == texts.len() {
            texts.push(text.into());
            self.table.defaults.push(document);
        }
        DefaultId(found)
    }

    fn intern(&mut self, node: Node) -> Id {
        let nodes = &mut self.table.nodes;
        let found = self.nodes.find_or_add(&node, nodes.len(), |at| {
            nodes.get(at as usize).is_some_and(|known| *known == node)
        });
        if found as usize == nodes.len() {
            nodes.push(node);
        }
        Id(found)
    }

    /// The name `text`. Names are looked up by their text, but rows of the index are offsets.
    pub fn name(&mut self, text: &str) -> Name {
        let table = &mut self.table;
        let len = u32::try_from(text.len()).unwrap_or(u32::MAX);
        let start = self
            .names
            .find_or_add(text, table.text.len(), |start| table.name(Name { start, len }) == text);
        if start as usize == table.text.len() {
            table.text.push_str(text);
        }
        Name { start, len }
    }

    /// `pattern`, which patterns of nodes are named by.
    pub fn pattern(&mut self, pattern: Pattern) -> PatternId {
        let patterns = &mut self.table.patterns;
        let found = self.patterns.find_or_add(pattern.text(), patterns.len(), |at| {
            patterns.get(at as usize).is_some_and(|known| known.is_written_like(&pattern))
        });
        if found as usize == patterns.len() {
            patterns.push(pattern.sharing(&self.pattern_room));
        }
        PatternId(found)
    }

    /// `value`, which literals of nodes are named by.
    pub fn literal(&mut self, value: Value<'_>) -> LiteralId {
        let text = json_text(value);
        let texts = &mut self.literal_texts;
        let found = self.literals.find_or_add(&text, texts.len(), |at| {
            texts.get(at as usize).is_some_and(|known| **known == *text)
        });
        if found as usize == texts.len() {
            texts.push(text.into());
            self.table.literals.push(Literal::new(value));
        }
        LiteralId(found)
    }
}

fn json_text(value: Value<'_>) -> Vec<u8> {
    let mut text = Vec::new();
    json::write(value, json::Layout::Compact, &mut text);
    text
}
