//! Edits that may help against a finding.
//!
//! Takes an object and one thing that is wrong with it, gives edits in the order they should be tried.
//! For what a schema says these are other values of it; for a rule they are other values of the fields
//! that the rule reads, made of its constants, and then leaving them out. The last resort is to leave
//! out, or to make anew, what is around.

use crate::leaf::{self, Wanted};
use crate::make::{Maker, SampleShape};
use crate::rule::{Mentions, RuleStep};
use crate::values::{CHOICES, VALUES};
use crate::{Extent, build, repair};
use crdkit_issue::{Arg, FieldPath, Issue, Segment, codes};
use crdkit_schema::model::{Rule, SchemaId};
use crdkit_schema::rules::escape;
use crdkit_text::regex::Regex;
use crdkit_value::{Document, NodeId, Value};

/// One change of an object.
pub(crate) enum Edit {
    Remove(FieldPath),
    /// Puts a value where another one is, or where none is.
    Set(FieldPath, Document),
}

/// Items of a list and values of a map that a rule may be about.
const ITEMS: usize = 4;

impl Edit {
    /// How many values it holds.
    pub(crate) fn n_nodes(&self) -> usize {
        match self {
            Self::Remove(_) => 0,
            Self::Set(_, value) => value.n_nodes(),
        }
    }

    /// The object after the change; none if there is no place for it.
    pub(crate) fn apply(&self, document: &Document) -> Option<Document> {
        let mut copy = Document::copy_of(document.root());
        match self {
            Self::Remove(path) => {
                let id = copy.find(path)?.id();
                (id != NodeId::ROOT).then(|| copy.remove(id))?;
            }
            Self::Set(path, value) => {
                if let Some(id) = copy.find(path).map(Value::id) {
                    copy.set(id, value.root());
                } else {
                    let (last, parent) = path.segments().split_last()?;
                    let parent: FieldPath = parent.iter().cloned().collect();
                    let parent = copy.find(&parent)?;
                    let id = parent.id();
                    match last {
                        Segment::Field(name) | Segment::Key(name) => {
                            parent.as_object()?;
                            copy.insert(id, name, value.root())?;
                        }
                        Segment::Index(_) => {
                            parent.as_array()?;
                            copy.push(id, value.root())?;
                        }
                    }
                }
            }
        }
        Some(copy)
    }
}

pub(crate) struct Editor<'r, 'c> {
    pub(crate) maker: &'r Maker<'c>,
    pub(crate) schema: SchemaId,
    pub(crate) document: &'r Document,
    pub(crate) extent: Extent,
}

impl<'c> Editor<'_, 'c> {
    /// What may help against `issue`.
    pub(crate) fn edits(&self, issue: &Issue, out: &mut Vec<Edit>) {
        let path = &issue.path;
        if repair::is_rule(issue.code) {
            self.rules(issue, out);
        } else if issue.code == codes::crd::UNKNOWN_FIELD {
            out.push(Edit::Remove(path.clone()));
        } else if self.document.find(path).is_none() {
            self.add(path, out);
        } else {
            self.replace(path, out);
        }
        self.around(path, out);
    }

    /// Gives a field that is not there a value.
    fn add(&self, path: &FieldPath, out: &mut Vec<Edit>) {
        let Some(ids) = self.schemas(path) else { return };
        for choice in 0..CHOICES {
            let value = self.maker.value(&ids, SampleShape::LEAST.with_choice(choice));
            out.push(Edit::Set(path.clone(), value));
        }
    }

    /// Other values for one that the schema refuses.
    fn replace(&self, path: &FieldPath, out: &mut Vec<Edit>) {
        if is_name(path) {
            return self.names(&Mentions::default(), path, out);
        }
        let Some(ids) = self.schemas(path) else { return };
        let whole = SampleShape { extent: self.extent, room: 1, choice: 0 };
        for choice in 0..CHOICES {
            out.push(Edit::Set(path.clone(), self.maker.value(&ids, whole.with_choice(choice))));
        }
        for choice in 0..CHOICES {
            let value = self.maker.value(&ids, SampleShape::LEAST.with_choice(choice));
            out.push(Edit::Set(path.clone(), value));
        }
        for value in self.values(&ids, &Mentions::default()) {
            out.push(Edit::Set(path.clone(), value));
        }
        if let Some(value) = self.document.find(path) {
            for (name, _) in value.members() {
                out.push(Edit::Remove(path.clone().field(name)));
            }
        }
    }

    /// Leaves out, or makes anew, what is around a place.
    fn around(&self, path: &FieldPath, out: &mut Vec<Edit>) {
        let mut segments = path.segments();
        loop {
            let place: FieldPath = segments.iter().cloned().collect();
            // An object without `spec` explains nothing.
            if segments.len() > 1 && self.is_optional(&place) {
                out.push(Edit::Remove(place.clone()));
            }
            let Some((_, rest)) = segments.split_last() else { return };
            if self.document.find(&place).is_some()
                && let Some(ids) = self.schemas(&place)
            {
                for choice in 0..CHOICES.min(4) {
                    let value = self.maker.value(&ids, SampleShape::LEAST.with_choice(choice));
                    out.push(Edit::Set(place.clone(), value));
                }
            }
            segments = rest;
        }
    }

    /// Other values for what a rule reads.
    fn rules(&self, issue: &Issue, out: &mut Vec<Edit>) {
        let Some(Arg::Text(broken)) = issue.arg("rule") else { return };
        let mut place = issue.path.clone();
        loop {
            let ids = self.schemas(&place).unwrap_or_default();
            let rules =
                || ids.iter().flat_map(|id| &self.maker.schema(*id).extensions().validations);
            let said: Vec<_> = rules().filter(|rule| rule.rule.trim() == &**broken).collect();
            for rule in &said {
                self.rule(&place, &ids, rule, out);
            }
            let segments = place.segments();
            // A rule may point at a field below the value it belongs to.
            let Some((_, rest)) = segments.split_last().filter(|_| said.is_empty()) else { return };
            place = rest.iter().cloned().collect();
        }
    }

    fn rule(&self, place: &FieldPath, ids: &[SchemaId], rule: &Rule<'_>, out: &mut Vec<Edit>) {
        let mut mentions = Mentions::of(rule.rule);
        let all = ids.iter().flat_map(|id| &self.maker.schema(*id).extensions().validations);
        for other in all.filter(|other| other.rule != rule.rule) {
            mentions.constants_of(other.rule);
        }
        let mut paths: Vec<FieldPath> = Vec::new();
        for steps in &mentions.paths {
            for path in self.places(place, ids, steps) {
                if !paths.contains(&path) {
                    paths.push(path);
                }
            }
        }
        let (present, absent): (Vec<_>, Vec<_>) =
            paths.iter().partition(|path| self.document.find(path).is_some());
        if self.extent == Extent::Minimal {
            for path in present.iter().filter(|path| ***path != *place && self.is_optional(path)) {
                out.push(Edit::Remove((*path).clone()));
            }
        }
        for path in &present {
            if is_name(path) {
                self.names(&mentions, path, out);
                continue;
            }
            let Some(ids) = self.schemas(path) else { continue };
            let mut values = self.values(&ids, &mentions);
            values.extend(present.iter().filter_map(|other| self.document.find(other)).filter_map(
                |other| {
                    let same = self.document.find(path)?;
                    let kind = std::mem::discriminant(&same.kind());
                    (kind == std::mem::discriminant(&other.kind()))
                        .then(|| Document::copy_of(other))
                },
            ));
            values.truncate(VALUES);
            out.extend(values.into_iter().map(|value| Edit::Set((*path).clone(), value)));
        }
        for path in &absent {
            let Some((top, mut wrap)) = self.missing(path) else { continue };
            let Some(ids) = self.schemas(path) else { continue };
            let least =
                (0..2).map(|choice| self.maker.value(&ids, SampleShape::LEAST.with_choice(choice)));
            let mut values: Vec<_> = least.collect();
            values.extend(self.values(&ids, &mentions));
            values.truncate(VALUES);
            for value in values {
                out.push(Edit::Set(top.clone(), wrap(value)));
            }
        }
        for path in present.iter().filter(|path| ***path != *place && self.is_optional(path)) {
            out.push(Edit::Remove((*path).clone()));
        }
        if let Some(value) = self.document.find(place) {
            // Rules that go through all fields name none.
            for (name, _) in value.members() {
                let path = place.clone().field(name);
                if self.is_optional(&path) {
                    out.push(Edit::Remove(path));
                }
            }
        }
    }

    /// The topmost part of `path` that is missing, and what puts a value of `path` into one of it.
    fn missing(
        &self,
        path: &FieldPath,
    ) -> Option<(FieldPath, impl FnMut(Document) -> Document + use<'_, 'c>)> {
        let segments = path.segments().to_vec();
        let n_there = (0..segments.len()).rev().find(|n| {
            let prefix: FieldPath = segments.iter().take(*n).cloned().collect();
            self.document.find(&prefix).is_some()
        })?;
        let top: FieldPath = segments.iter().take(n_there + 1).cloned().collect();
        let wrap = move |value: Document| {
            let mut value = value;
            for n in (n_there + 1..segments.len()).rev() {
                let outer: FieldPath = segments.iter().take(n).cloned().collect();
                let mut made = match self.schemas(&outer) {
                    Some(ids) => self.maker.value(&ids, SampleShape::LEAST),
                    None => Document::object(),
                };
                match segments.get(n) {
                    Some(Segment::Field(name) | Segment::Key(name)) => {
                        build::set(&mut made, name, value.root());
                    }
                    Some(Segment::Index(_)) => {
                        let first = made.root().at(0).map(Value::id);
                        if let Some(first) = first {
                            made.set(first, &value);
                        } else {
                            made = Document::array_of([&value]);
                        }
                    }
                    None => {}
                }
                value = made;
            }
            value
        };
        Some((top, wrap))
    }

    /// Where the steps lead from `place`: for items and values, to the first few that are there, or to
    /// the one that could be.
    fn places(&self, place: &FieldPath, ids: &[SchemaId], steps: &[RuleStep]) -> Vec<FieldPath> {
        let mut places = vec![(place.clone(), ids.to_vec())];
        for step in steps {
            let mut next = Vec::new();
            for (path, ids) in places {
                let joined = self.maker.joined(&ids, 0);
                match step {
                    RuleStep::Field(field) => {
                        let known =
                            joined.iter().flat_map(|id| self.maker.schema(*id).properties.iter());
                        let mut names = known.map(|(name, _)| name);
                        let name = names.find(|name| escape(name).is_some_and(|it| *it == **field));
                        let name = name.unwrap_or(field);
                        let member = self.maker.member(&joined, name);
                        let in_metadata = path.segments().first()
                            == Some(&Segment::Field("metadata".into()))
                            || (path.is_root() && name == "metadata");
                        if !member.is_empty() || in_metadata {
                            next.push((path.field(name), member));
                        }
                    }
                    RuleStep::Each => {
                        let value = self.document.find(&path);
                        let items = self.maker.items(&joined);
                        if items.is_empty() {
                            let keys: Vec<_> = value.into_iter().flat_map(Value::members).collect();
                            for (key, _) in keys.into_iter().take(ITEMS) {
                                next.push((path.clone().key(key), self.maker.member(&joined, key)));
                            }
                        } else {
                            let n_items = value.map_or(0, |value| value.items().len());
                            for index in 0..n_items.clamp(1, ITEMS) {
                                next.push((path.clone().index(index), items.clone()));
                            }
                        }
                    }
                }
            }
            places = next;
        }
        places.into_iter().map(|(path, _)| path).collect()
    }

    /// Other names for the object.
    fn names(&self, mentions: &Mentions, path: &FieldPath, out: &mut Vec<Edit>) {
        let constants = mentions.texts.iter().map(ToString::to_string);
        let familiar = leaf::FAMILIAR.iter().map(|text| (*text).to_owned());
        let joined = mentions.texts.iter().map(|text| format!("example{text}"));
        let patterns = mentions.patterns.iter().filter_map(|pattern| Regex::new(pattern).ok());
        let wanted = Wanted::name();
        let found = patterns.flat_map(|it| wanted.texts(&self.maker.memo, Some(&it), 2));
        for name in constants.chain(found).chain(familiar).chain(joined) {
            out.push(Edit::Set(path.clone(), Document::from(&name)));
        }
    }

    /// The schemas of the value at `path`.
    fn schemas(&self, path: &FieldPath) -> Option<Vec<SchemaId>> {
        let mut ids = vec![self.schema];
        for segment in path.segments() {
            let joined = self.maker.joined(&ids, 0);
            ids = match segment {
                Segment::Field(name) | Segment::Key(name) => self.maker.member(&joined, name),
                Segment::Index(_) => self.maker.items(&joined),
            };
            if ids.is_empty() {
                return None;
            }
        }
        Some(ids)
    }

    /// Whether the value at `path` can be left out.
    fn is_optional(&self, path: &FieldPath) -> bool {
        let Some((last, parent)) = path.segments().split_last() else { return false };
        let place: FieldPath = parent.iter().cloned().collect();
        let ids = self.schemas(&place).unwrap_or_default();
        match last {
            Segment::Index(_) => {
                let n_items = self.document.find(&place).map_or(0, |list| list.items().len());
                let limits = ids.iter().filter_map(|id| self.maker.schema(*id).bounds().min_items);
                limits.max().is_none_or(|limit| usize::try_from(limit).is_ok_and(|it| n_items > it))
            }
            Segment::Field(name) | Segment::Key(name) => {
                let required = |id: &SchemaId| self.maker.schema(*id).required.contains(&&**name);
                let is_fixed =
                    parent.is_empty() && matches!(&**name, "apiVersion" | "kind" | "metadata");
                !is_fixed && !ids.iter().any(required)
            }
        }
    }
}

/// Whether `path` is that of the object's name.
fn is_name(path: &FieldPath) -> bool {
    *path == FieldPath::root().field("metadata").field("name")
}
