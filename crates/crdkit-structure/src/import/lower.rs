//! Schemas as written into compiled nodes.
//!
//! A schema is lowered after those inside it. A reference is replaced by what it refers to; where that is
//! still being lowered, because it is recursive, or stands too deep, a node that only names a slot takes its
//! place, and the slot is filled when everything is lowered. So depth never drives recursion, and a table
//! without recursive schemas has no slots.

use super::diagnostics::{DiagnosticLevel, Diagnostics};
use super::dialect::{Language, LanguageKind};
use super::library::{Library, SchemaLocation};
use super::options::{CelOptions, ImportOptions};
use super::{ImportError, cycles, keywords};
use crate::compiled::Settings;
use crdkit_issue::FieldPath;
use crdkit_schema::compile::{
    Compiler, DynamicReference, Id, More, Name, SchemaParts, Slot, TypeSet,
};
use crdkit_value::{Kind, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How many schemas inside one another are lowered before slots take over.
const MAX_NESTED: usize = 48;

/// Turns schemas into nodes.
pub(super) struct Lower<'o> {
    pub(super) options: &'o ImportOptions,
    pub(super) settings: Settings,
    pub(super) library: Library<'o>,
    pub(super) compiler: Compiler,
    pub(super) diagnostics: Diagnostics,
    done: BTreeMap<SchemaLocation, Id>,
    open: BTreeSet<SchemaLocation>,
    slots: BTreeMap<SchemaLocation, Slot>,
    waiting: Vec<SchemaLocation>,
    /// What each slot stands for.
    pub(super) references: Vec<Id>,
    /// The dynamic anchors of each resource.
    pub(super) anchors: Vec<Vec<(Name, Id)>>,
    /// The root of a CRD's schema, which is a resource of its own.
    pub(super) resource_root: Option<SchemaLocation>,
    /// Schemas with a default, which is checked when all is compiled.
    pub(super) defaults: Vec<(Id, SchemaLocation)>,
    /// Schemas with rules.
    pub(super) rules: Vec<(Id, SchemaLocation)>,
}

/// A schema being lowered.
#[derive(Clone, Copy)]
pub(super) struct LowerSource<'d> {
    pub(super) value: Value<'d>,
    pub(super) place: SchemaLocation,
    pub(super) resource: usize,
    pub(super) language: Language,
    depth: usize,
}

impl<'d> LowerSource<'d> {
    pub(super) fn get(&self, key: &str) -> Option<Value<'d>> {
        self.value.get(key)
    }

    /// A keyword that asserts something, if those count.
    pub(super) fn assertion(&self, key: &str) -> Option<Value<'d>> {
        self.language.asserts.then(|| self.get(key)).flatten()
    }

    /// A keyword that draft 4 does not have.
    pub(super) fn modern(&self, key: &str) -> Option<Value<'d>> {
        (self.language.kind != LanguageKind::Draft4).then(|| self.get(key)).flatten()
    }

    pub(super) fn path(&self) -> FieldPath {
        self.value.path()
    }
}

impl<'o> Lower<'o> {
    pub(super) fn new(options: &'o ImportOptions, library: Library<'o>) -> Self {
        let rules = options.settings.cel.as_ref().map(CelOptions::for_compiling);
        let rules = rules.unwrap_or_default();
        Self {
            options,
            settings: Settings {
                profile: options.profile,
                own_checks: options.settings.checks.len(),
                ..options.settings.clone()
            },
            library,
            compiler: Compiler::with_rules(rules),
            diagnostics: Diagnostics::default(),
            done: BTreeMap::new(),
            open: BTreeSet::new(),
            slots: BTreeMap::new(),
            waiting: Vec::new(),
            references: Vec::new(),
            anchors: Vec::new(),
            resource_root: None,
            defaults: Vec::new(),
            rules: Vec::new(),
        }
    }

    /// Lowers the schema at `root` and everything that it refers to.
    pub(super) fn all(&mut self, root: SchemaLocation) -> Result<Id, ImportError> {
        let id = self.schema(root, 0)?;
        self.lower_anchors()?;
        while let Some(place) = self.waiting.pop() {
            self.schema(place, 0)?;
        }
        self.references.resize(self.slots.len(), id);
        for (place, Slot(slot)) in &self.slots {
            if let (Some(entry), Some(target)) =
                (self.references.get_mut(*slot as usize), self.done.get(place))
            {
                *entry = *target;
            }
        }
        cycles::check(self.compiler.table(), &mut self.references, &mut self.diagnostics)?;
        Ok(id)
    }

    /// Where each schema was first written.
    pub(super) fn places(&self) -> BTreeMap<Id, FieldPath> {
        let mut places = BTreeMap::new();
        for (place, id) in &self.done {
            let document = self.library.documents.get(place.document);
            let path = || document.map(|it| it.path(place.node)).unwrap_or_default();
            places.entry(*id).or_insert_with(path);
        }
        places
    }

    /// Lowers what dynamic anchors name, in all documents.
    fn lower_anchors(&mut self) -> Result<(), ImportError> {
        let mut at = 0;
        // Lowering may bring in further documents.
        while let Some(resource) = self.library.resources.get(at) {
            let document = resource.root.document;
            let anchors = resource.dynamic_anchors.clone();
            let mut lowered = Vec::new();
            for (name, node) in anchors {
                let id = self.schema(SchemaLocation { document, node }, 0)?;
                lowered.push((self.compiler.name(&name), id));
            }
            self.anchors.push(lowered);
            at += 1;
            while let Some(place) = self.waiting.pop() {
                self.schema(place, 0)?;
            }
        }
        Ok(())
    }

    /// The node of the schema at `place`.
    fn schema(&mut self, place: SchemaLocation, depth: usize) -> Result<Id, ImportError> {
        if let Some(id) = self.done.get(&place) {
            return Ok(*id);
        }
        if depth > MAX_NESTED || self.open.contains(&place) {
            return Ok(self.reference(place));
        }
        let Some(document) = self.library.documents.get(place.document) else {
            return Ok(self.compiler.schema(SchemaParts::default()));
        };
        let document = Arc::clone(document);
        let value = document.value(place.node);
        let resource = self.library.resource_of(place);
        let language =
            self.library.resources.get(resource).map_or(Language::MODERN, |it| it.language);
        self.open.insert(place);
        let lowered = self.lower(LowerSource { value, place, resource, language, depth });
        self.open.remove(&place);
        let id = lowered?;
        self.done.insert(place, id);
        Ok(id)
    }

    /// A node that stands for the schema at `place` until that is lowered.
    fn reference(&mut self, place: SchemaLocation) -> Id {
        let next = Slot(u32::try_from(self.slots.len()).unwrap_or(u32::MAX));
        let slot = *self.slots.entry(place).or_insert_with(|| {
            self.waiting.push(place);
            next
        });
        self.compiler.schema(only(More { target: Some(slot), ..More::default() }))
    }

    pub(super) fn child(
        &mut self,
        source: LowerSource<'_>,
        value: Value<'_>,
    ) -> Result<Id, ImportError> {
        let place = SchemaLocation { node: value.id(), ..source.place };
        self.schema(place, source.depth + 1)
    }

    pub(super) fn children(
        &mut self,
        source: LowerSource<'_>,
        list: Option<Value<'_>>,
    ) -> Result<Box<[Id]>, ImportError> {
        let items = list.into_iter().flat_map(Value::items);
        items.map(|item| self.child(source, item)).collect()
    }

    pub(super) fn one(
        &mut self,
        source: LowerSource<'_>,
        value: Option<Value<'_>>,
    ) -> Result<Option<Id>, ImportError> {
        value.map(|value| self.child(source, value)).transpose()
    }

    pub(super) fn say(
        &mut self,
        source: LowerSource<'_>,
        level: DiagnosticLevel,
        code: &'static str,
        keyword: &str,
        message: impl Into<String>,
    ) {
        let path = if keyword.is_empty() { source.path() } else { source.path().field(keyword) };
        self.diagnostics.add(level, code, path, message);
    }

    fn lower(&mut self, source: LowerSource<'_>) -> Result<Id, ImportError> {
        match source.value.kind() {
            Kind::Bool(true) => return Ok(self.compiler.schema(SchemaParts::default())),
            Kind::Bool(false) => return Ok(self.never()),
            Kind::Object(_) => {}
            _ => {
                self.malformed(source, "schema_invalid", "", "a schema must be an object");
                return Ok(self.compiler.schema(SchemaParts::default()));
            }
        }
        let mut references = Vec::new();
        if let Some(reference) = source.get("$ref").and_then(Value::as_str) {
            let target = self.library.resolve(source.resource, reference)?.place;
            let id = self.schema(target, source.depth + 1)?;
            if source.language.reference_stands_alone() {
                if source.value.members().any(|(key, _)| key != "$ref" && !keywords::is_idle(key)) {
                    let message = "keywords beside `$ref` do not count in this dialect";
                    self.say(
                        source,
                        DiagnosticLevel::Warning,
                        "schema_ref_siblings",
                        "$ref",
                        message,
                    );
                }
                return Ok(id);
            }
            let alone =
                source.value.members().all(|(key, _)| key == "$ref" || keywords::is_idle(key));
            if alone && !self.library.dynamic {
                return Ok(id);
            }
            references.push(id);
        }
        let dynamic = self.dynamic_reference(source, &mut references)?;
        self.node(source, references.into(), dynamic)
    }

    fn dynamic_reference(
        &mut self,
        source: LowerSource<'_>,
        references: &mut Vec<Id>,
    ) -> Result<Option<DynamicReference>, ImportError> {
        let Some(text) = source.modern("$dynamicRef").and_then(Value::as_str) else {
            return Ok(None);
        };
        let target = self.library.resolve(source.resource, text)?;
        let fallback = self.schema(target.place, source.depth + 1)?;
        let Some(anchor) = target.dynamic_anchor else {
            references.push(fallback);
            return Ok(None);
        };
        Ok(Some(DynamicReference { anchor: self.compiler.name(&anchor), fallback }))
    }

    pub(super) fn never(&mut self) -> Id {
        self.compiler.schema(only(More { types: Some(TypeSet::NONE), ..More::default() }))
    }
}

/// A schema that is nothing but `more`.
fn only(more: More) -> SchemaParts<'static> {
    SchemaParts { more: Some(Box::new(more)), ..SchemaParts::default() }
}
