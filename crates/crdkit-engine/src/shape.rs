//! The steps that make an object what its schema says: trimmed first, then filled in.

use crate::crd::Version;
use crate::decode::{self, TypeMeta};
use crate::metadata::OnWrongType;
use crate::outcome::Refusal;
use crate::pipeline::Request;
use crate::stage::Stage;
use crate::{embedded, metadata, strict};
use crdkit_issue::{Issue, codes};
use crdkit_schema::compile::Id;
use crdkit_schema::{defaults, prune};
use crdkit_value::{NodeId, Value};

/// What is known of an object once it is trimmed.
#[derive(Default)]
pub(crate) struct TrimmedObject {
    /// The fields that were removed because they are unknown, in the order strict validation reports
    /// them.
    pub(crate) unknown: Vec<NodeId>,
    /// Whether it says it is of this CRD.
    pub(crate) is_ours: bool,
    /// The schema of the version it says it has, if it is.
    pub(crate) schema: Option<Id>,
}

impl Request<'_> {
    /// Makes metadata canonical and everything else what the schema of its version lets in.
    pub(crate) fn trim(&mut self, wrong: OnWrongType) -> Result<TrimmedObject, Refusal> {
        let (is_ours, schema) = match self.own_schema() {
            Ok(found) => found,
            Err(issue) => return Err(self.refuse(Refusal::Undecodable, NodeId::ROOT, *issue)),
        };
        let mut unknown = Vec::new();
        if let Some(id) = self.document.root().get("metadata").map(Value::id) {
            match metadata::coerce(&mut self.document, id, wrong) {
                Ok(found) => unknown = self.sorted(found, wrong),
                Err(issue) => return Err(self.refuse(Refusal::Undecodable, id, *issue)),
            }
        }
        self.done(Stage::Metadata);
        if !is_ours {
            return Ok(TrimmedObject { unknown, is_ours, schema: None });
        }
        append(&mut unknown, self.trim_content(schema, wrong)?);
        Ok(TrimmedObject { unknown, is_ours, schema })
    }

    /// Prunes, drops nulls and makes the metadata of embedded resources canonical, as `schema` says.
    /// Gives the fields that were removed because they are unknown.
    pub(crate) fn trim_content(
        &mut self,
        schema: Option<Id>,
        wrong: OnWrongType,
    ) -> Result<Vec<NodeId>, Refusal> {
        let crd = self.version.crd;
        let table = crd.table();
        let mut unknown = Vec::new();
        if crd.prunes() {
            let pruned = prune::object(table, schema, self.document.root());
            for id in pruned.unknown.iter().chain(&pruned.nulls) {
                self.document.remove(*id);
            }
            unknown = self.sorted(pruned.unknown, wrong);
            append(&mut self.changes.dropped, pruned.nulls);
        }
        self.done(Stage::Prune);
        if let Some(schema) = schema {
            match embedded::coerce(table, schema, &mut self.document, wrong) {
                Ok(found) => append(&mut unknown, self.sorted(found, wrong)),
                Err((id, issue)) => return Err(self.refuse(Refusal::Undecodable, id, *issue)),
            }
        }
        self.done(Stage::Embedded);
        Ok(unknown)
    }

    /// Fills in the defaults of `schema`.
    pub(crate) fn fill(&mut self, schema: Option<Id>) -> Result<(), Refusal> {
        if let Some(schema) = schema {
            let table = self.version.crd.table();
            let room = self.options.limits.default_bytes;
            if let Ok(added) = defaults::apply(table, table.node(schema), &mut self.document, room)
            {
                append(&mut self.changes.defaulted, added);
            } else {
                let issue = Issue::error(codes::object::DEFAULTS_TOO_LARGE).with("limit", room);
                return Err(self.refuse(Refusal::BadRequest, NodeId::ROOT, issue));
            }
        }
        self.done(Stage::Defaults);
        Ok(())
    }

    /// Whether the object says it is of this CRD, and the schema of the version it says it has.
    fn own_schema(&self) -> Result<(bool, Option<Id>), Box<Issue>> {
        let Version { crd, compiled, .. } = self.version;
        let root = self.document.root();
        let kind = root.get("kind").and_then(Value::as_str).unwrap_or_default();
        // Nearly every object is of the version that the request is for.
        if root.get("apiVersion").and_then(Value::as_str) == Some(&compiled.api_version) {
            return Ok((kind == crd.kind(), compiled.schema));
        }
        let TypeMeta { group, version, kind } = decode::type_meta(root, kind)?;
        let found = crd.versions().iter().find(|known| *known.name == *version);
        let schema = found.and_then(|known| known.schema);
        Ok((group == crd.group() && kind == crd.kind(), schema))
    }

    /// Puts unknown fields in the order of their paths as texts, if somebody is told of them.
    fn sorted(&self, mut ids: Vec<NodeId>, wrong: OnWrongType) -> Vec<NodeId> {
        if ids.len() > 1 && wrong == OnWrongType::Refuse {
            ids.sort_by_cached_key(|id| strict::path(&self.document, *id));
        }
        ids
    }
}

/// Adds `more` to `list`; takes it over where there was nothing.
pub(crate) fn append(list: &mut Vec<NodeId>, more: Vec<NodeId>) {
    if list.is_empty() {
        *list = more;
    } else {
        list.extend(more);
    }
}
