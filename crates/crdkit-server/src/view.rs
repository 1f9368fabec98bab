//! Objects and lists in the form that was agreed upon: as they are, as a table, or reduced to their metadata.
//!
//! Where the stored form is the one that was asked for, bytes are copied and nothing is decoded.

use crate::answer::{Answer, AnswerBody, Pieces};
use crate::catalogue::resource::Resource;
use crate::catalogue::snapshot::Served;
use crate::environment::Environment;
use crate::negotiate::Form;
use crate::query::Query;
use crate::rules::Rules;
use crate::stored;
use crate::table::{
    CellValue, IncludeObject, ListMeta, NativeRow, NativeRows, RowCondition, TableOptions,
    TablePrinter, duration, partial, partial_list,
};
use crate::verbs::Listed;
use bytes::Bytes;
use crdkit_codec::go_json;
use crdkit_native::NativeCell;
use crdkit_schema::status::Status;
use crdkit_store::{Revision, StoreEntry};
use crdkit_text::timestamp::Timestamp;
use crdkit_value::{Document, NodeId, Value};
use hyper::header::CONTENT_TYPE;
use std::fmt::Write as _;
use std::sync::Arc;
use std::task::{Context, Poll};

/// What objects are turned into.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    /// Nothing else.
    Plain,
    Table {
        api_version: String,
        include: IncludeObject,
    },
    /// Metadata; whether a list was asked for, and the version.
    Partial {
        list: bool,
        api_version: String,
    },
}

impl Shape {
    /// # Errors
    /// The answer, when the query asks for a table that there is not.
    pub(crate) fn of(form: &Form, query: &Query) -> Result<Self, Box<Status>> {
        let Some(convert) = &form.convert else { return Ok(Self::Plain) };
        let api_version = format!("{}/{}", convert.group, convert.version);
        Ok(match convert.kind.as_str() {
            "Table" => {
                let include = IncludeObject::parse(query.text("includeObject"));
                let include = include.map_err(Status::bad_request)?;
                Self::Table { api_version, include }
            }
            kind => Self::Partial { list: kind.ends_with("List"), api_version },
        })
    }
}

/// Shows objects of one kind in one form.
pub(crate) struct View<'v> {
    pub(crate) served: &'v Served,
    pub(crate) form: &'v Form,
    pub(crate) shape: &'v Shape,
    pub(crate) now: Timestamp,
}

/// The description of a list.
#[derive(Clone, Debug, Default)]
pub(crate) struct ListHead {
    pub(crate) revision: u64,
    pub(crate) continue_token: String,
    pub(crate) remaining: Option<i64>,
}

impl<'v> View<'v> {
    pub(crate) fn new(
        served: &'v Served,
        form: &'v Form,
        shape: &'v Shape,
        environment: &Environment,
    ) -> Self {
        Self { served, form, shape, now: environment.now() }
    }

    /// An entry of the store.
    pub(crate) async fn entry(&self, code: u16, entry: &StoreEntry) -> Result<Answer, Box<Status>> {
        if self.form.is_stored_form()
            && let Some(at) = self.served.splice_at(entry)
        {
            return Ok(self.spliced(code, &entry.value, at, entry.revision));
        }
        self.object(code, &self.served.rules.read(entry).await?)
    }

    /// What was just written: its stored form, which is of the version that is served.
    pub(crate) fn written(
        &self,
        code: u16,
        value: &Bytes,
        revision: Revision,
        object: &mut Document,
    ) -> Result<Answer, Box<Status>> {
        if self.form.is_stored_form() && self.served.is_stored_prefix(value) {
            return Ok(self.spliced(code, value, self.served.prefix_len(), revision));
        }
        stored::set_revision(object, revision);
        self.object(code, object)
    }

    fn spliced(&self, code: u16, value: &[u8], at: usize, revision: Revision) -> Answer {
        let mut out = Vec::with_capacity(value.len() + 48);
        stored::splice(value, at, revision, &mut out);
        out.push(b'\n');
        Answer::new(code, self.form.content_type, out)
    }

    /// The package that the server has the types of the kind in.
    fn package(&self) -> &str {
        let kind = &self.served.resource.kind;
        match (kind.group.split('.').next().unwrap_or_default(), kind.kind.as_str()) {
            (_, "Scale") => "v1",
            ("", _) => "core",
            (group, _) => group,
        }
    }

    /// An object.
    pub(crate) fn object(&self, code: u16, object: &Document) -> Result<Answer, Box<Status>> {
        let root = object.root();
        let shown = match self.shape {
            Shape::Plain => return Ok(self.form.answer(code, root)),
            Shape::Partial { list: false, api_version } => partial(api_version, root),
            Shape::Partial { list: true, .. } if self.served.resource.is_custom() => {
                return Err(Status::unclassified("content is not a list").into());
            }
            Shape::Partial { list: true, .. } => {
                let kind = &self.served.resource.kind;
                let package = self.package();
                return Err(Status::not_acceptable(format!(
                    "you requested PartialObjectMetadataList, but the requested object is not a list (*{package}.{})",
                    kind.kind
                ))
                .into());
            }
            Shape::Table { .. } => {
                let version = stored::metadata_text(root, "resourceVersion");
                self.table(
                    &ListMeta { resource_version: version, ..ListMeta::default() },
                    [root],
                    true,
                )
            }
        };
        Ok(self.form.answer(code, shown.root()))
    }

    /// The object of an event, and of a bookmark.
    pub(crate) fn event_object(&self, object: &Document, headers: bool) -> Document {
        let root = object.root();
        match self.shape {
            Shape::Plain => object.clone(),
            Shape::Partial { api_version, .. } => partial(api_version, root),
            Shape::Table { .. } => {
                let version = stored::metadata_text(root, "resourceVersion");
                let meta = ListMeta { resource_version: version, ..ListMeta::default() };
                self.table(&meta, [root], headers)
            }
        }
    }

    fn table<'d>(
        &self,
        meta: &ListMeta<'_>,
        objects: impl IntoIterator<Item = Value<'d>>,
        headers: bool,
    ) -> Document {
        let Shape::Table { api_version, include } = self.shape else { return Document::null() };
        let resource = &self.served.resource;
        let options = TableOptions { api_version, include: *include, headers, now: self.now };
        let rows = Rows(&self.served.rules);
        TablePrinter::new(resource).table(resource, &options, meta, objects, &rows)
    }

    /// A list of entries.
    pub(crate) fn list(&self, listed: Listed) -> Result<Answer, Box<Status>> {
        let Listed { head, entries, objects } = listed;
        let head = &head;
        if let Some(objects) = objects {
            return self.documents(200, head, &objects);
        }
        if self.form.is_stored_form()
            && entries.iter().all(|it| self.served.splice_at(it).is_some())
        {
            return Ok(self.copied_list(head, entries));
        }
        let objects: Vec<Document> =
            entries.iter().map(|entry| self.served.rules.read_alone(entry)).collect();
        self.documents(200, head, &objects)
    }

    /// A list of objects.
    pub(crate) fn documents(
        &self,
        code: u16,
        head: &ListHead,
        objects: &[Document],
    ) -> Result<Answer, Box<Status>> {
        let version = head.revision.to_string();
        let meta = ListMeta {
            resource_version: &version,
            continue_token: &head.continue_token,
            remaining: head.remaining,
        };
        let roots = objects.iter().map(Document::root);
        let shown = match self.shape {
            Shape::Plain => self.plain_list(&meta, roots),
            Shape::Table { .. } => self.table(&meta, roots, true),
            Shape::Partial { list: true, api_version } => partial_list(api_version, &meta, roots),
            Shape::Partial { list: false, .. } => {
                let kind = if self.served.resource.is_custom() {
                    "*unstructured.UnstructuredList".to_owned()
                } else {
                    format!("*{}.{}", self.package(), self.served.resource.list_kind)
                };
                return Err(Status::not_acceptable(format!(
                    "you requested PartialObjectMetadata, but the requested object is a list ({kind})"
                ))
                .into());
            }
        };
        Ok(self.form.answer(code, shown.root()))
    }

    fn plain_list<'d>(
        &self,
        meta: &ListMeta<'_>,
        objects: impl Iterator<Item = Value<'d>>,
    ) -> Document {
        let resource = &self.served.resource;
        let mut metadata = Document::object().with("resourceVersion", meta.resource_version);
        if resource.is_custom() || !meta.continue_token.is_empty() {
            metadata = metadata.with("continue", meta.continue_token);
        }
        if let Some(remaining) = meta.remaining {
            metadata = metadata.with("remainingItemCount", remaining);
        }
        let mut list = Document::object()
            .with("apiVersion", &resource.api_version())
            .with("kind", &resource.list_kind)
            .with("metadata", &metadata);
        let items = list.insert(NodeId::ROOT, "items", crdkit_value::NewValue::EmptyArray);
        let items = items.unwrap_or(NodeId::ROOT);
        for object in objects {
            let item = list.push(items, object);
            if let Some(item) = item.filter(|_| !resource.is_custom()) {
                stored::remove(&mut list, item, "apiVersion");
                stored::remove(&mut list, item, "kind");
            }
        }
        list
    }

    /// A list whose items are copied as they are sent.
    fn copied_list(&self, head: &ListHead, entries: Vec<Arc<StoreEntry>>) -> Answer {
        const WHOLE: usize = 128 << 10;
        let resource = &self.served.resource;
        let custom = resource.is_custom();
        let start =
            format!("{{\"apiVersion\":{},\"items\":[", go_json::string(&resource.api_version()));
        let mut end =
            format!("],\"kind\":{},\"metadata\":{{", go_json::string(&resource.list_kind));
        if custom || !head.continue_token.is_empty() {
            let _ = write!(end, "\"continue\":{},", go_json::string(&head.continue_token));
        }
        if let Some(remaining) = head.remaining {
            let _ = write!(end, "\"remainingItemCount\":{remaining},");
        }
        let _ = writeln!(end, "\"resourceVersion\":\"{}\"}}}}", head.revision);
        let size: usize = entries.iter().map(|entry| entry.value.len() + 48).sum();
        let mut pieces = ListPieces {
            entries: entries.into_iter(),
            prefix: self.served.prefix_len(),
            custom,
            pending: start.into_bytes(),
            end: Some(end),
            first: true,
        };
        if size > WHOLE {
            let answer = Answer {
                code: 200,
                headers: Vec::new(),
                body: AnswerBody::Pieces(Box::new(pieces)),
            };
            return answer.header(CONTENT_TYPE, self.form.content_type);
        }
        let mut out = Vec::with_capacity(size + 200);
        while let Some(piece) = pieces.next() {
            out.extend_from_slice(&piece);
        }
        Answer::new(200, self.form.content_type, out)
    }
}

/// The bytes of a list, some items at a time.
struct ListPieces {
    entries: std::vec::IntoIter<Arc<StoreEntry>>,
    prefix: usize,
    custom: bool,
    pending: Vec<u8>,
    end: Option<String>,
    first: bool,
}

impl ListPieces {
    fn next(&mut self) -> Option<Bytes> {
        const PIECE: usize = 64 << 10;
        /// How the metadata of an object begins; native lists leave out what stands before it.
        const METADATA: usize = "\"metadata\":{".len();
        let mut out = std::mem::take(&mut self.pending);
        while out.len() < PIECE {
            let Some(entry) = self.entries.next() else {
                out.extend_from_slice(self.end.take()?.as_bytes());
                return Some(out.into());
            };
            if !std::mem::take(&mut self.first) {
                out.push(b',');
            }
            if self.custom {
                stored::splice(&entry.value, self.prefix, entry.revision, &mut out);
            } else {
                out.push(b'{');
                let value = entry.value.get(self.prefix - METADATA..).unwrap_or_default();
                stored::splice(value, METADATA, entry.revision, &mut out);
            }
        }
        Some(out.into())
    }
}

impl Pieces for ListPieces {
    fn poll_piece(&mut self, _: &mut Context<'_>) -> Poll<Option<Bytes>> {
        Poll::Ready(self.next())
    }
}

/// Rows of kinds that no CRD defines.
struct Rows<'r>(&'r Rules);

impl NativeRows for Rows<'_> {
    fn row(&self, resource: &Resource, object: Value<'_>, now: Timestamp) -> NativeRow {
        let text = |text: &str| CellValue::Text(text.to_owned());
        let (cells, conditions) = match self.0 {
            Rules::Native(kind) | Rules::Review(kind) => {
                let row = kind.row(object, now);
                let conditions = row.condition.map(|it| RowCondition {
                    type_name: it.type_name.into(),
                    status: "True".into(),
                    reason: it.reason.into(),
                    message: it.message.into(),
                });
                (row.cells.into_iter().map(cell).collect(), conditions.into_iter().collect())
            }
            Rules::Definition if resource.kind.kind == "Scale" => {
                let number = |path| {
                    let value = object.pointer(path).and_then(Value::as_i64).unwrap_or_default();
                    CellValue::Int(value)
                };
                let created = stored::metadata_text(object, "creationTimestamp");
                let name = text(stored::metadata_text(object, "name"));
                let age = CellValue::Text(age(created, now));
                (vec![name, number("/spec/replicas"), number("/status/replicas"), age], Vec::new())
            }
            Rules::Definition => (crate::crds::row(object), Vec::new()),
            Rules::Custom(_) => (vec![CellValue::Null], Vec::new()),
        };
        NativeRow { cells, conditions }
    }
}

fn cell(cell: NativeCell) -> CellValue {
    match cell {
        NativeCell::Text(text) => CellValue::Text(text),
        NativeCell::Int(int) => CellValue::Int(int),
        NativeCell::Bool(bool) => CellValue::Bool(bool),
        _ => CellValue::Null,
    }
}

/// How long ago a time was.
fn age(text: &str, now: Timestamp) -> String {
    match Timestamp::parse_rfc3339(text) {
        Ok(then) => duration((now.seconds - then.seconds).saturating_mul(1_000_000_000)),
        Err(_) => "<unknown>".to_owned(),
    }
}
