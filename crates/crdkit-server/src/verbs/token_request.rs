//! Tokens of service accounts.
//!
//! Takes a `TokenRequest` about an account, gives it back with a token that this server takes for the account until it
//! expires. A token may be bound to an object, which has to be there.

use super::{BodyObject, Target};
use crate::answer::Answer;
use crate::decode;
use crate::identify::{CREDENTIAL, User};
use crate::options::{WriteKind, WriteOptions, cause};
use crate::stored::{self, metadata_text};
use crdkit_codec::{DecodeOptions, Decoded};
use crdkit_engine::FieldValidation;
use crdkit_issue::Issue;
use crdkit_schema::decode::check;
use crdkit_schema::decode::types::{GoStruct, GoType, OBJECT_META};
use crdkit_schema::status::{self, Status, Subject};
use crdkit_text::kind::GroupVersion;
use crdkit_text::quote::quote;
use crdkit_text::timestamp::Timestamp;
use crdkit_value::{Document, Duplicates, NewValue, NodeId, Value};

/// Whom tokens are for if nothing is said about it.
pub(super) const AUDIENCE: &str = "https://kubernetes.default.svc";

/// How long a token is good if nothing is said about it, at least, and at most.
const TOKEN_SECONDS: i64 = 3600;
const SHORTEST_TOKEN: i64 = 600;
const LONGEST_TOKEN: i64 = 1 << 32;

/// What is known about the holder of a token besides its name.
const POD_NAME: &str = "authentication.kubernetes.io/pod-name";
const POD_UID: &str = "authentication.kubernetes.io/pod-uid";
const NODE_NAME: &str = "authentication.kubernetes.io/node-name";
const NODE_UID: &str = "authentication.kubernetes.io/node-uid";

const API_VERSION: &str = "authentication.k8s.io/v1";
const KIND: &str = "TokenRequest";

static TOKEN_REQUEST: GoStruct = GoStruct {
    name: "v1.TokenRequest",
    fields: &[
        ("kind", TEXT),
        ("apiVersion", TEXT),
        ("metadata", GoType::Struct(&OBJECT_META)),
        ("spec", GoType::Struct(&SPEC)),
        ("status", GoType::Struct(&STATUS)),
    ],
};
static SPEC: GoStruct = GoStruct {
    name: "v1.TokenRequestSpec",
    fields: &[
        ("audiences", GoType::List("[]string", &TEXT)),
        ("expirationSeconds", GoType::Int64),
        ("boundObjectRef", GoType::Struct(&REFERENCE)),
        ("attestations", GoType::Raw),
    ],
};
static REFERENCE: GoStruct = GoStruct {
    name: "v1.BoundObjectReference",
    fields: &[
        ("kind", TEXT),
        ("apiVersion", TEXT),
        ("name", TEXT),
        ("uid", GoType::String("types.UID")),
    ],
};
static STATUS: GoStruct = GoStruct {
    name: "v1.TokenRequestStatus",
    fields: &[("token", TEXT), ("expirationTimestamp", GoType::Time)],
};
const TEXT: GoType = GoType::String("string");

impl Target<'_> {
    /// A token for a service account, which this server takes for it as long as it runs.
    pub(super) async fn token_request(&self) -> Result<Answer, Box<Status>> {
        let name = self.name()?;
        let namespace = self.namespace.unwrap_or_default();
        let form = self.form()?;
        let media = self.content_type()?;
        self.request.body()?;
        let options = WriteOptions::of(self.request, WriteKind::Create)?;
        let mut document = self.read_request(&self.object_in(media)?, options.validation)?;
        let given = metadata_text(document.root(), "namespace");
        if !given.is_empty() && given != namespace {
            let text = "the namespace of the provided object does not match the namespace sent on the request";
            return Err(Status::bad_request(text).into());
        }
        let place = self.place().await?;
        self.admit(place, name)?;
        let given = metadata_text(document.root(), "name");
        if !given.is_empty() && given != name {
            let problem = "must match the service account name if specified";
            let text = format!("Invalid value: {}: {problem}", quote(given));
            return Err(refused(name, "metadata.name", text));
        }
        let Some(entry) = self.entry(name).await? else {
            return Err(self.subject(name).not_found().into());
        };
        let account = stored::object(&entry);
        let uid = metadata_text(account.root(), "uid");
        let seconds = fill_in(&mut document);
        let empty = Document::object().with(
            "spec",
            &Document::object()
                .with("audiences", NewValue::Null)
                .with("boundObjectRef", NewValue::Null),
        );
        self.managing(&options).create_as(API_VERSION, KIND, &empty, &mut document);
        let now = self.core.environment.now();
        complete(&mut document, name, namespace, uid, &self.core.environment.now_text());
        if seconds < SHORTEST_TOKEN {
            let problem = "may not specify a duration less than 10 minutes";
            let text = format!("Invalid value: {seconds}: {problem}");
            return Err(refused("", "spec.expirationSeconds", text));
        }
        if seconds > LONGEST_TOKEN {
            let problem = "may not specify a duration larger than 2^32 seconds";
            let text = format!("Invalid value: {seconds}: {problem}");
            return Err(refused("", "spec.expirationSeconds", text));
        }
        let holder = User { uid: uid.to_owned(), ..User::service_account(namespace, name) };
        let holder = self.bound(holder, document.root()).await?;
        let expires = Timestamp { seconds: now.seconds + seconds, nanoseconds: 0, ..now };
        let id = self.core.environment.uid();
        let token = format!("{uid}.{id}");
        let holder = holder.with_extra(CREDENTIAL, &format!("JTI={id}"));
        self.core.tokens.issue(&token, holder, expires, now);
        let status = Document::object()
            .with("token", &token)
            .with("expirationTimestamp", &expires.to_string());
        document.insert(NodeId::ROOT, "status", &status);
        Ok(form.answer(201, document.root()))
    }

    /// The request in a body.
    fn read_request(
        &self,
        body: &BodyObject<'_>,
        validation: FieldValidation,
    ) -> Result<Document, Box<Status>> {
        let duplicates = match validation {
            FieldValidation::Ignore => Duplicates::LastWins,
            _ => Duplicates::Error,
        };
        let options = DecodeOptions::new().duplicates(duplicates);
        let decoded = match body {
            BodyObject::Document(document) => {
                Decoded { document: document.clone(), issues: Vec::new() }
            }
            BodyObject::Bytes(format, bytes) => match decode::unrecognized(*format, bytes, KIND) {
                Some(status) => return Err(status.into()),
                None => format
                    .decode(bytes, &options)
                    .map_err(|issue| Box::new(Status::bad_request(issue.server_message())))?,
            },
        };
        let Decoded { document, issues } = decoded;
        let text = |key: &str| document.root().get(key).and_then(Value::as_str).unwrap_or_default();
        let api_version =
            Some(text("apiVersion")).filter(|it| !it.is_empty()).unwrap_or(API_VERSION);
        let kind = Some(text("kind")).filter(|it| !it.is_empty()).unwrap_or(KIND);
        let GroupVersion { group, version } = GroupVersion::parse(api_version).unwrap_or_default();
        let unusable = |problem: String| {
            let version = quote(version);
            let text =
                format!("{kind} in version {version} cannot be handled as a {KIND}: {problem}");
            Box::new(Status::bad_request(text))
        };
        if (api_version, kind) != (API_VERSION, KIND) {
            let known = crdkit_native::NativeKinds::latest().find(group, version, kind);
            return Err(unusable(match known {
                Some(_) => format!(
                    "converting ({version}.{kind}) to (authentication.{KIND}): unknown conversion"
                ),
                None => format!(
                    "no kind {} is registered for version {} in scheme \"pkg/api/legacyscheme/scheme.go:30\"",
                    quote(kind),
                    quote(api_version)
                ),
            }));
        }
        let found = check(document.root(), &TOKEN_REQUEST, &issues);
        let is_strict = |issue: &&Issue| status::strict_text(issue).is_some();
        if let Some(issue) = found.iter().find(|issue| !is_strict(issue)) {
            return Err(unusable(issue.server_message()));
        }
        let texts: Vec<String> = found.iter().filter_map(status::strict_text).collect();
        match validation {
            FieldValidation::Strict if !texts.is_empty() => {
                return Err(unusable(format!("strict decoding error: {}", texts.join(", "))));
            }
            FieldValidation::Warn => texts.into_iter().for_each(|text| self.request.warn(text)),
            _ => {}
        }
        Ok(known_fields(&document))
    }

    /// The holder of a token that ends with what it names, which has to be there.
    async fn bound(&self, holder: User, request: Value<'_>) -> Result<User, Box<Status>> {
        let reference = request.pointer("/spec/boundObjectRef").filter(|it| !it.is_null());
        let Some(reference) = reference else { return Ok(holder) };
        let text = |key| reference.get(key).and_then(Value::as_str).unwrap_or_default();
        let (kind, name) = (text("kind"), text("name"));
        let GroupVersion { group, version } =
            GroupVersion::parse(text("apiVersion")).unwrap_or_default();
        let (plural, namespace) = match (group, kind) {
            ("", "Pod") => ("pods", self.namespace),
            ("", "Node") => ("nodes", None),
            ("", "Secret") => ("secrets", self.namespace),
            _ => {
                let text =
                    format!("cannot bind token to object of type {group}/{version}, Kind={kind}");
                return Err(Status::bad_request(text).into());
            }
        };
        let catalogue = self.core.catalogue.load_full();
        let missing = Subject { group: "", version: "v1", kind: plural, name };
        let missing = || Box::new(missing.not_found());
        let served = catalogue.find("", "v1", plural).ok_or_else(missing)?;
        let key = served.key(&self.core.layout, namespace, name);
        let entry = self.core.get(&key).await?.ok_or_else(missing)?;
        let object = stored::object(&entry);
        let uid = metadata_text(object.root(), "uid");
        let account = object.root().pointer("/spec/serviceAccountName").and_then(Value::as_str);
        let own = self.name.unwrap_or_default();
        if kind == "Pod" && account.unwrap_or_default() != own {
            let text = format!(
                "cannot bind token for serviceaccount {} to pod running with different serviceaccount name.",
                quote(own)
            );
            return Err(Status::bad_request(text).into());
        }
        let wanted = text("uid");
        if !wanted.is_empty() && wanted != uid {
            let problem = format!(
                "the UID in the bound object reference ({wanted}) does not match the UID in record. The object might have been deleted and then recreated"
            );
            return Err(Subject { group, version, kind, name }.conflict(&problem).into());
        }
        let (name_key, uid_key) = match kind {
            "Pod" => (POD_NAME, POD_UID),
            "Node" => (NODE_NAME, NODE_UID),
            _ => return Ok(holder),
        };
        Ok(holder.with_extra(name_key, name).with_extra(uid_key, uid))
    }
}

fn refused(name: &str, field: &str, text: String) -> Box<Status> {
    let subject = Subject { group: "authentication.k8s.io", version: "v1", kind: KIND, name };
    subject.refused(vec![cause("FieldValueInvalid", field, text)]).into()
}

/// The fields of a request that there are, without its status.
fn known_fields(given: &Document) -> Document {
    let mut request = Document::object().with("apiVersion", API_VERSION).with("kind", KIND);
    for (key, fields) in [("metadata", OBJECT_META.fields), ("spec", SPEC.fields)] {
        let mut part = Document::object();
        for (name, value) in given.root().get(key).into_iter().flat_map(Value::members) {
            if fields.iter().any(|(known, _)| *known == name) {
                part = part.with(name, NewValue::from(value));
            }
        }
        request = request.with(key, &part);
    }
    request
}

/// Says how long the token is good, and gives that.
fn fill_in(request: &mut Document) -> i64 {
    let given = request.root().pointer("/spec/expirationSeconds").and_then(Value::as_i64);
    let seconds = given.unwrap_or(TOKEN_SECONDS);
    if let Some(spec) = request.root().get("spec").map(Value::id) {
        request.insert(spec, "expirationSeconds", seconds);
        if request.value(spec).get("boundObjectRef").is_none() {
            request.insert(spec, "boundObjectRef", NewValue::Null);
        }
    }
    seconds
}

/// Fills in what is known about the account, and whom the token is for.
fn complete(request: &mut Document, name: &str, namespace: &str, uid: &str, now: &str) {
    let metadata = stored::metadata(request);
    for (key, value) in
        [("name", name), ("namespace", namespace), ("uid", uid), ("creationTimestamp", now)]
    {
        request.insert(metadata, key, value);
    }
    let audiences = request.root().pointer("/spec/audiences").map_or(0, |it| it.items().len());
    if let Some(spec) = request.root().get("spec").map(Value::id).filter(|_| audiences == 0) {
        request.insert(spec, "audiences", &Document::array_of([AUDIENCE]));
    }
}
