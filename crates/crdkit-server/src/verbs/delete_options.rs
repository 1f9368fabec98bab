//! How an object is to be deleted: options from the body of a request, or from its query if there is none.
//!
//! Takes what the client sent, gives the options or the answer that refuses them. Bodies may say any group and version of
//! `DeleteOptions`, or none.

use super::Target;
use crate::decode;
use crate::options::{cause, refuse};
use crate::request::Request;
use crdkit_codec::{DecodeOptions, Format, go_json};
use crdkit_schema::status::{Cause, Status};
use crdkit_text::kind::GroupVersion;
use crdkit_text::quote::quote;
use crdkit_value::{Kind, Value};

/// How an object is to be deleted.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeleteOptions {
    pub(crate) dry_run: bool,
    pub(crate) uid: Option<String>,
    pub(crate) version: Option<String>,
    pub(crate) orphan: Option<bool>,
    pub(crate) propagation: Option<String>,
    /// The seconds that a pod gets to end.
    pub(crate) grace: Option<i64>,
    /// Whether a pod that nothing holds stays for a moment once it is marked.
    pub(crate) lingers: bool,
    /// Whether only an object is meant that nothing can be read of.
    pub(crate) unreadable: bool,
}

/// Options as they were given.
#[derive(Default)]
struct Given {
    options: DeleteOptions,
    /// Whether something is said about the object as it is found, even if it is nothing.
    preconditions: bool,
    dry_run: Vec<String>,
}

const SCHEME: &str = "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27";
const UNREADABLE: &str = "ignoreStoreReadErrorWithClusterBreakingPotential";

impl Target<'_> {
    /// Options from the body, or from the query if there is none.
    pub(super) fn delete_options(&self) -> Result<DeleteOptions, Box<Status>> {
        let body = self.request.body()?;
        let given = if body.is_empty() {
            of_query(self.request)?
        } else if let Some(format) = self.content_type()?.format() {
            of_body(format, body)?
        } else {
            let decoded = decode::protobuf(body, "DeleteOptions")?;
            of_document(decoded.root())?
        };
        refuse("DeleteOptions", given.causes())?;
        Ok(DeleteOptions { dry_run: !given.dry_run.is_empty(), ..given.options })
    }
}

impl Given {
    /// What does not fit together, or is no value at all.
    fn causes(&self) -> Vec<Cause> {
        let options = &self.options;
        let mut causes = Vec::new();
        if let Some(policy) = &options.propagation {
            let quoted = quote(policy);
            if options.orphan.is_some() {
                let text = "orphanDependents and deletionPropagation cannot be both set";
                causes.push(cause(
                    "FieldValueInvalid",
                    "propagationPolicy",
                    format!("Invalid value: {quoted}: {text}"),
                ));
            }
            if !["Foreground", "Background", "Orphan"].contains(&policy.as_str()) {
                let text = "\"Foreground\", \"Background\", \"Orphan\", \"nil\"";
                causes.push(cause(
                    "FieldValueNotSupported",
                    "propagationPolicy",
                    format!("Unsupported value: {quoted}: supported values: {text}"),
                ));
            }
        }
        if !self.dry_run.iter().all(|value| value == "All") {
            let shown = go_json::strings(self.dry_run.iter().map(String::as_str));
            let text = format!("Unsupported value: {shown}: supported values: \"All\"");
            causes.push(cause("FieldValueNotSupported", "dryRun", text));
        }
        if options.unreadable {
            let others = [
                ("propagationPolicy", options.propagation.is_some()),
                ("orphanDependents", options.orphan.is_some()),
                ("gracePeriodSeconds", options.grace.is_some()),
                ("preconditions", self.preconditions),
            ];
            let others = others.into_iter().filter(|(_, given)| *given);
            causes.extend(others.map(|(field, _)| {
                let text = format!("Invalid value: true: cannot be set together with .{field}");
                cause("FieldValueInvalid", UNREADABLE, text)
            }));
        }
        causes
    }
}

/// The answer of collections, which are never deleted without being read.
pub(super) fn refuse_unreadable(options: &DeleteOptions) -> Result<(), Box<Status>> {
    let text = "Invalid value: true: is not allowed with DELETECOLLECTION, try again after removing the option";
    let causes = options.unreadable.then(|| cause("FieldValueInvalid", UNREADABLE, text));
    refuse("DeleteOptions", causes.into_iter().collect())
}

fn of_query(request: &Request) -> Result<Given, Box<Status>> {
    let query = &request.query;
    let text = |name| query.get(name).filter(|text| !text.is_empty()).map(str::to_owned);
    let options = DeleteOptions {
        uid: text("uid"),
        version: text("resourceVersion"),
        orphan: query.switch("orphanDependents"),
        propagation: query.get("propagationPolicy").map(str::to_owned),
        grace: query.integer("gracePeriodSeconds")?,
        unreadable: query.flag(UNREADABLE),
        ..DeleteOptions::default()
    };
    let preconditions = options.uid.is_some() || options.version.is_some();
    let dry_run = query.all("dryRun").map(str::to_owned).collect();
    Ok(Given { options, preconditions, dry_run })
}

fn bad(text: impl Into<String>) -> Box<Status> {
    Status::bad_request(text.into()).into()
}

fn of_body(format: Format, body: &[u8]) -> Result<Given, Box<Status>> {
    let decoded = format.decode(body, &DecodeOptions::default()).map_err(|issue| {
        bad(match format {
            Format::Yaml => decode::yaml_text(body, &issue),
            _ => format!("couldn't get version/kind; json parse error: {}", issue.server_message()),
        })
    })?;
    match decode::not_typed(decoded.document.root()) {
        Some(problem) => Err(bad(problem)),
        None => of_document(decoded.document.root()),
    }
}

fn of_document(root: Value<'_>) -> Result<Given, Box<Status>> {
    let text = |key: &str| root.get(key).and_then(Value::as_str).unwrap_or_default();
    let (kind, api_version) = (text("kind"), text("apiVersion"));
    if api_version.matches('/').count() > 1 {
        return Err(bad(format!("unexpected GroupVersion string: {api_version}")));
    }
    if !matches!(kind, "" | "DeleteOptions") {
        let version = match api_version {
            "" => "meta.k8s.io/v1".to_owned(),
            given => GroupVersion::parse(given).unwrap_or_default().to_string(),
        };
        return Err(bad(format!(
            "no kind {} is registered for version {} in scheme {}",
            quote(kind),
            quote(&version),
            quote(SCHEME)
        )));
    }
    let given = |key: &str| root.get(key).filter(|value| !value.is_null());
    let switch = |key: &str| match given(key) {
        Some(value) if value.as_bool().is_none() => {
            Err(wrong(&format!("DeleteOptions.{key}"), value, "bool"))
        }
        value => Ok(value.and_then(Value::as_bool)),
    };
    let grace = given("gracePeriodSeconds");
    if let Some(value) = grace.filter(|value| value.as_i64().is_none()) {
        return Err(wrong("DeleteOptions.gracePeriodSeconds", value, "int64"));
    }
    let preconditions = given("preconditions");
    if let Some(value) = preconditions.filter(|value| value.as_object().is_none()) {
        return Err(wrong("DeleteOptions.preconditions", value, "v1.Preconditions"));
    }
    let condition = |key, expected| {
        let value = preconditions.and_then(|it| it.get(key)).filter(|it| !it.is_null());
        string(value, &format!("Preconditions.preconditions.{key}"), expected)
    };
    let policy = "v1.DeletionPropagation";
    let options = DeleteOptions {
        uid: condition("uid", "types.UID")?,
        version: condition("resourceVersion", "string")?,
        orphan: switch("orphanDependents")?,
        propagation: string(given("propagationPolicy"), "DeleteOptions.propagationPolicy", policy)?,
        grace: grace.and_then(Value::as_i64),
        unreadable: switch(UNREADABLE)?.unwrap_or_default(),
        ..DeleteOptions::default()
    };
    let dry_run = match given("dryRun") {
        Some(list) if list.as_array().is_none() => {
            return Err(wrong("DeleteOptions.dryRun", list, "[]string"));
        }
        list => list.into_iter().flat_map(Value::items),
    };
    let dry_run = dry_run.map(|item| {
        let item = Some(item).filter(|item| !item.is_null());
        Ok(string(item, "DeleteOptions.dryRun", "string")?.unwrap_or_default())
    });
    let dry_run = dry_run.collect::<Result<_, Box<Status>>>()?;
    Ok(Given { options, preconditions: preconditions.is_some(), dry_run })
}

fn string(
    value: Option<Value<'_>>,
    field: &str,
    expected: &str,
) -> Result<Option<String>, Box<Status>> {
    match value {
        Some(value) => match value.as_str() {
            Some(text) => Ok(Some(text.to_owned())),
            None => Err(wrong(field, value, expected)),
        },
        None => Ok(None),
    }
}

/// The answer to a member of another type, in Go's words: a number that does not fit is shown.
fn wrong(field: &str, value: Value<'_>, expected: &str) -> Box<Status> {
    let found = match value.kind() {
        Kind::Bool(_) => "bool".to_owned(),
        Kind::String(_) => "string".to_owned(),
        Kind::Array(_) => "array".to_owned(),
        Kind::Object(_) => "object".to_owned(),
        _ if expected == "int64" => format!("number {}", go_json::value(value)),
        _ => "number".to_owned(),
    };
    bad(format!("json: cannot unmarshal {found} into Go struct field {field} of type {expected}"))
}
