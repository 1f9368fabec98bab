//! What a version says besides its schema, held against the schema: the subresources `status` and `scale`, and printer
//! columns.

use super::{FindingPlace, QualityRules, issue, required, subschema, text};
use crdkit_issue::codes::quality as codes;
use crdkit_schema::lookup::{self, LookupStep};
use crdkit_value::Value;

/// Where a path leads to.
enum Followed<'d> {
    Schema(Value<'d>),
    /// To something that the schema leaves open.
    Open,
    Nowhere,
}

impl<'d> QualityRules<'d> {
    /// A status is a subresource, and a subresource has a status.
    pub(super) fn status(&mut self, version: Value<'d>, root: Value<'d>) {
        let status = root.get("properties").and_then(|it| it.get("status"));
        let subresource = version.pointer("/subresources/status");
        match (status, subresource) {
            (Some(status), None) => {
                self.add(issue(codes::STATUS_WITHOUT_SUBRESOURCE), status, FindingPlace::Key);
            }
            (None, Some(subresource)) if !is_open(root) => {
                self.add(issue(codes::STATUS_UNDECLARED), subresource, FindingPlace::Key);
            }
            _ => {}
        }
        let names = required(root).filter(|(name, _)| *name == "status" && subresource.is_some());
        for (_, name) in names {
            self.add(issue(codes::STATUS_REQUIRED), name, FindingPlace::Value);
        }
    }

    pub(super) fn columns(&mut self, version: Value<'d>, root: Value<'d>) {
        let columns = version.get("additionalPrinterColumns");
        for column in columns.into_iter().flat_map(Value::items) {
            let Some(path) = column.get("jsonPath") else { continue };
            let place = path.as_str().unwrap_or_default();
            match follow(root, place) {
                Followed::Nowhere => {
                    let issue = issue(codes::COLUMN_WITHOUT_FIELD).with("path", place);
                    self.add(issue, path, FindingPlace::Value);
                }
                Followed::Schema(schema) => self.column_type(column, schema, place),
                Followed::Open => {}
            }
        }
    }

    fn column_type(&mut self, column: Value<'d>, schema: Value<'d>, path: &str) {
        let (Some(shown), Some(found)) = (text(column, "type"), text(schema, "type")) else {
            return;
        };
        let fits = match shown {
            "integer" | "number" => matches!(found, "integer" | "number"),
            "boolean" => found == "boolean",
            "date" => found == "string",
            _ => true,
        };
        if let Some(kind) = column.get("type").filter(|_| !fits) {
            let issue = issue(codes::COLUMN_TYPE)
                .with("path", path)
                .with("found", found)
                .with("shown", shown);
            self.add(issue, kind, FindingPlace::Value);
        }
    }

    pub(super) fn scale(&mut self, version: Value<'d>, root: Value<'d>) {
        let Some(scale) = version.pointer("/subresources/scale") else { return };
        for key in ["specReplicasPath", "statusReplicasPath", "labelSelectorPath"] {
            let Some((path, place)) = scale.get(key).and_then(|it| Some((it, it.as_str()?))) else {
                continue;
            };
            if matches!(follow(root, place), Followed::Nowhere) {
                let issue = issue(codes::SCALE_WITHOUT_FIELD).with("path", place);
                self.add(issue, path, FindingPlace::Value);
            }
        }
    }
}

/// What the schema has at a path such as `.spec.ports[*].name`.
fn follow<'d>(root: Value<'d>, path: &str) -> Followed<'d> {
    // Filters and slices are too much to follow here.
    if path.contains(['?', '@', ':', ',', '(']) || path.contains("..") {
        return Followed::Open;
    }
    let steps = lookup::parse(path);
    // What every object has need not be declared, and never is in full.
    if let [LookupStep::Name(first), ..] = &*steps
        && (first == "metadata" || steps.len() == 1 && matches!(&**first, "apiVersion" | "kind"))
    {
        return Followed::Open;
    }
    let mut schema = root;
    for step in &steps {
        if is_open(schema) {
            return Followed::Open;
        }
        let next = match step {
            LookupStep::Each => {
                subschema(schema, "items").or_else(|| subschema(schema, "additionalProperties"))
            }
            LookupStep::Name(name) => {
                let own = subschema(schema, "properties").and_then(|it| it.get(name));
                own.or_else(|| subschema(schema, "additionalProperties"))
            }
        };
        match next {
            Some(next) => schema = next,
            None => return Followed::Nowhere,
        }
    }
    Followed::Schema(schema)
}

/// Whether there may be fields that a schema does not declare.
fn is_open(schema: Value<'_>) -> bool {
    ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"]
        .iter()
        .any(|key| schema.get(key).is_some())
}
