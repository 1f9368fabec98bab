//! Tables: what `kubectl get` shows, made by the server.
//!
//! Takes a [`Resource`] and objects of it, gives a `Table` with a row for each. A [`TablePrinter`] holds the columns with
//! their paths parsed; it is made once for a resource. Rows of native kinds come from whoever knows those
//! ([`NativeRows`]). Nothing here fails: what cannot be shown is an empty cell. The time comes from the caller.

mod age;
mod cell;
mod describe;
mod partial;
mod path;

pub use age::duration;
pub use cell::CellValue;
pub use partial::{partial, partial_list};
pub use path::JsonPath;

use crate::catalogue::resource::{Cell, Column, Resource};
use crdkit_text::timestamp::Timestamp;
use crdkit_value::{Document, Event, Value, Writer};

/// The columns of a resource, ready to be filled.
#[derive(Clone, Debug)]
pub struct TablePrinter {
    columns: Box<[(Column, Option<JsonPath>)]>,
}

/// What a table is to look like.
#[derive(Clone, Copy, Debug)]
pub struct TableOptions<'t> {
    /// `meta.k8s.io/v1` or `meta.k8s.io/v1beta1`.
    pub api_version: &'t str,
    /// How much of each object stands beside its row.
    pub include: IncludeObject,
    /// Whether the columns are described; of the tables of a watch only the first says them.
    pub headers: bool,
    /// When it is made.
    pub now: Timestamp,
}

/// `includeObject`: how much of an object stands beside its row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IncludeObject {
    /// Nothing.
    None,
    /// Its metadata.
    #[default]
    Metadata,
    /// All of it.
    Object,
}

/// `metadata` of a list or a table.
#[derive(Clone, Copy, Debug, Default)]
pub struct ListMeta<'t> {
    /// `resourceVersion`.
    pub resource_version: &'t str,
    /// `continue`; empty when there is no more.
    pub continue_token: &'t str,
    /// `remainingItemCount`.
    pub remaining: Option<i64>,
}

/// The row of an object of a native kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NativeRow {
    /// A cell for each column.
    pub cells: Vec<CellValue>,
    /// What marks the row, such as that a pod has completed.
    pub conditions: Vec<RowCondition>,
}

/// What marks a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowCondition {
    /// `type`.
    pub type_name: Box<str>,
    /// `status`.
    pub status: Box<str>,
    /// `reason`.
    pub reason: Box<str>,
    /// `message`.
    pub message: Box<str>,
}

/// Whoever knows what the columns of native kinds show.
pub trait NativeRows {
    /// The row of `object`, which is of `resource`.
    fn row(&self, resource: &Resource, object: Value<'_>, now: Timestamp) -> NativeRow;
}

impl IncludeObject {
    /// What a request asks for; absent is empty.
    ///
    /// # Errors
    /// The message of the 400 that anything else is answered with.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text {
            "" | "Metadata" => Ok(Self::Metadata),
            "None" => Ok(Self::None),
            "Object" => Ok(Self::Object),
            other => Err(format!(
                "Unable to convert to Table as requested: includeObject: Invalid value: {}: \
                 must be 'Metadata', 'Object', 'None', or empty",
                crdkit_codec::go_json::string(other)
            )),
        }
    }
}

impl ListMeta<'_> {
    fn write(&self, writer: &mut Writer) {
        writer.nested("metadata", |writer| {
            for (key, text) in
                [("resourceVersion", self.resource_version), ("continue", self.continue_token)]
            {
                if !text.is_empty() {
                    writer.text(key, text);
                }
            }
            if let Some(remaining) = self.remaining {
                writer.int("remainingItemCount", remaining);
            }
        });
    }
}

impl TablePrinter {
    /// The columns of `resource`, up to the first whose path cannot be parsed.
    pub fn new(resource: &Resource) -> Self {
        let parsed = resource.columns.iter().map_while(|column| match &column.cell {
            Cell::Path(path) => Some((column.clone(), Some(JsonPath::parse(path)?))),
            Cell::Name | Cell::Native(_) => Some((column.clone(), None)),
        });
        Self { columns: parsed.collect() }
    }

    /// The table of `objects`, which are of `resource`.
    pub fn table<'d>(
        &self,
        resource: &Resource,
        options: &TableOptions<'_>,
        meta: &ListMeta<'_>,
        objects: impl IntoIterator<Item = Value<'d>>,
        native: &dyn NativeRows,
    ) -> Document {
        let mut writer = Writer::new();
        writer.object(|writer| {
            writer.text("kind", "Table");
            writer.text("apiVersion", options.api_version);
            meta.write(writer);
            if options.headers {
                writer.list("columnDefinitions", &self.columns, |writer, (column, _)| {
                    header(writer, resource, column);
                });
            } else {
                writer.key("columnDefinitions");
                writer.event(Event::Null);
            }
            writer.list("rows", objects, |writer, object| {
                self.row(writer, resource, options, object, native);
            });
        });
        writer.finish()
    }

    /// Whether rows come from whoever knows native kinds.
    fn is_native(&self) -> bool {
        self.columns.iter().any(|(column, _)| matches!(column.cell, Cell::Native(_)))
    }

    fn row(
        &self,
        writer: &mut Writer,
        resource: &Resource,
        options: &TableOptions<'_>,
        object: Value<'_>,
        native: &dyn NativeRows,
    ) {
        writer.object(|writer| {
            if self.is_native() {
                let NativeRow { cells, conditions } = native.row(resource, object, options.now);
                writer.list("cells", &cells, |writer, cell| cell.write(writer));
                if !conditions.is_empty() {
                    writer.list("conditions", &conditions, condition);
                }
            } else {
                writer.list("cells", &self.columns, |writer, (column, path)| {
                    custom_cell(column, path.as_ref(), object, options.now).write(writer);
                });
            }
            writer.key("object");
            match options.include {
                IncludeObject::None => writer.event(Event::Null),
                IncludeObject::Metadata => partial::write(writer, options.api_version, object),
                IncludeObject::Object => writer.plain(object),
            }
        });
    }
}

fn header(writer: &mut Writer, resource: &Resource, column: &Column) {
    let Column { name, type_name, format, priority, .. } = column;
    writer.object(|writer| {
        writer.text("name", name);
        writer.text("type", type_name);
        writer.text("format", format);
        writer.text("description", describe::description(resource, column));
        writer.int("priority", i64::from(*priority));
    });
}

fn condition(writer: &mut Writer, condition: &RowCondition) {
    let RowCondition { type_name, status, reason, message } = condition;
    writer.object(|writer| {
        writer.text("type", type_name);
        writer.text("status", status);
        writer.text("reason", reason);
        writer.text("message", message);
    });
}

fn custom_cell(
    column: &Column,
    path: Option<&JsonPath>,
    object: Value<'_>,
    now: Timestamp,
) -> CellValue {
    if let Some(path) = path {
        return CellValue::of(&column.type_name, path.first(object), now);
    }
    let name = object.get("metadata").and_then(|metadata| metadata.get("name"));
    CellValue::Text(name.and_then(Value::as_str).unwrap_or_default().to_owned())
}
