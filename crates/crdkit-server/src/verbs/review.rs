//! Questions that are answered and forgotten: who am I, may I, is this token good.

use super::Target;
use crate::answer::Answer;
use crate::authorise::{Action, is_allowed};
use crate::identify::{CREDENTIAL, User};
use crate::options::{WriteKind, WriteOptions, cause};
use crate::rbac::{self, AccessPolicy};
use crate::stored;
use crdkit_codec::DecodeOptions;
use crdkit_engine::RequestOptions;
use crdkit_issue::Issue;
use crdkit_native::NativeKind;
use crdkit_schema::status::{Status, Subject};
use crdkit_text::timestamp::Timestamp;
use crdkit_value::{Document, NewValue, NodeId, Value};

/// How long a token is good if nothing is said about it, and at least.
const TOKEN_SECONDS: i64 = 3600;
const SHORTEST_TOKEN: i64 = 600;

/// What is known about the holder of a token besides its name.
const POD_NAME: &str = "authentication.kubernetes.io/pod-name";
const POD_UID: &str = "authentication.kubernetes.io/pod-uid";
const NODE_NAME: &str = "authentication.kubernetes.io/node-name";
const NODE_UID: &str = "authentication.kubernetes.io/node-uid";

impl Target<'_> {
    pub(super) fn review(&self, kind: &'static NativeKind) -> Result<Answer, Box<Status>> {
        let form = self.form()?;
        let media = self.content_type()?;
        self.request.body()?;
        let options = WriteOptions::of(self.request, WriteKind::Create)?;
        let body = self.object_in(media)?;
        let engine = self.engine_options(&options);
        let mut document = read(kind, &body, &engine)?;
        stored::remove(&mut document, NodeId::ROOT, "status");
        self.managing(&options).update(None, &mut document);
        let answer = match kind.kind {
            "SelfSubjectReview" => self.who_am_i(),
            "SelfSubjectAccessReview" => self.may(document, &self.request.user),
            "SelfSubjectRulesReview" => {
                rules(document, &self.request.user, &self.core.roles.load())?
            }
            "SubjectAccessReview" | "LocalSubjectAccessReview" => {
                let user = subject(document.root());
                self.may(document, &user)
            }
            "TokenReview" => self.token_review(document)?,
            _ => return Err(Status::no_such_method().into()),
        };
        Ok(form.answer(201, answer.root()))
    }

    fn who_am_i(&self) -> Document {
        let metadata =
            Document::object().with("creationTimestamp", &self.core.environment.now_text());
        let info = self.request.user.document();
        Document::object()
            .with("kind", "SelfSubjectReview")
            .with("apiVersion", "authentication.k8s.io/v1")
            .with("metadata", &metadata)
            .with("status", &Document::object().with("userInfo", &info))
    }

    /// A review with the answer whether `user` may do what it asks about.
    fn may(&self, review: Document, user: &User) -> Document {
        let root = review.root();
        let text = |path: &str| root.pointer(path).and_then(Value::as_str).unwrap_or_default();
        let at = |key: &str| format!("/spec/resourceAttributes/{key}");
        let allowed = if root.pointer("/spec/resourceAttributes").is_some() {
            is_allowed(
                self.core,
                user,
                Action::Resource {
                    verb: text(&at("verb")),
                    group: text(&at("group")),
                    resource: text(&at("resource")),
                    subresource: text(&at("subresource")),
                    namespace: text(&at("namespace")),
                    name: text(&at("name")),
                },
            )
        } else {
            let (verb, path) = (
                text("/spec/nonResourceAttributes/verb"),
                text("/spec/nonResourceAttributes/path"),
            );
            is_allowed(self.core, user, Action::Path { verb, path })
        };
        let status = Document::object().with("allowed", allowed);
        review.with("status", &status)
    }

    fn token_review(&self, document: Document) -> Result<Document, Box<Status>> {
        let token = document.root().pointer("/spec/token").and_then(Value::as_str);
        let token = token.unwrap_or_default().to_owned();
        if token.is_empty() {
            let text = "token is required for TokenReview in authentication";
            return Err(Status::bad_request(text).into());
        }
        let status = match self.core.tokens.user(&token, self.core.environment.now()) {
            Some(user) => {
                Document::object().with("authenticated", true).with("user", &user.document())
            }
            None => Document::object()
                .with("user", NewValue::EmptyObject)
                .with("error", "invalid bearer token"),
        };
        Ok(document.with("status", &status))
    }

    /// A token for a service account, which this server takes for it as long as it runs.
    pub(super) async fn token_request(&self) -> Result<Answer, Box<Status>> {
        let name = self.name()?;
        let form = self.form()?;
        let media = self.content_type()?;
        self.request.body()?;
        WriteOptions::of(self.request, WriteKind::Create)?;
        let body = self.object_in(media)?;
        let Some(entry) = self.entry(name).await? else {
            return Err(self.subject(name).not_found().into());
        };
        let account = stored::object(&entry);
        let mut document = match body {
            super::BodyObject::Document(document) => document,
            super::BodyObject::Bytes(format, bytes) => {
                let decoded = format.decode(bytes, &DecodeOptions::default());
                let bad = |issue: Box<Issue>| Status::bad_request(issue.server_message());
                decoded.map_err(bad)?.document
            }
        };
        document.insert(NodeId::ROOT, "apiVersion", "authentication.k8s.io/v1");
        document.insert(NodeId::ROOT, "kind", "TokenRequest");
        let seconds = document.root().pointer("/spec/expirationSeconds").and_then(Value::as_i64);
        let seconds = seconds.unwrap_or(TOKEN_SECONDS);
        if seconds < SHORTEST_TOKEN {
            let text = format!(
                "Invalid value: {seconds}: may not specify a duration less than 10 minutes"
            );
            let subject = Subject {
                group: "authentication.k8s.io",
                version: "v1",
                kind: "TokenRequest",
                name: "",
            };
            let cause = cause("FieldValueInvalid", "spec.expirationSeconds", text);
            return Err(subject.refused(vec![cause]).into());
        }
        let now = self.core.environment.now();
        let expires = Timestamp { seconds: now.seconds + seconds, nanoseconds: 0, ..now };
        let metadata = Document::object()
            .with("name", name)
            .with("namespace", self.namespace.unwrap_or_default())
            .with("creationTimestamp", &self.core.environment.now_text());
        document.insert(NodeId::ROOT, "metadata", &metadata);
        let spec = document.root().get("spec").map(Value::id);
        let spec = spec.or_else(|| document.insert(NodeId::ROOT, "spec", NewValue::EmptyObject));
        if let Some(spec) = spec {
            document.insert(spec, "expirationSeconds", seconds);
            for (key, nothing) in
                [("audiences", NewValue::EmptyArray), ("boundObjectRef", NewValue::Null)]
            {
                if document.value(spec).get(key).is_none() {
                    document.insert(spec, key, nothing);
                }
            }
        }
        let uid = stored::metadata_text(account.root(), "uid");
        let id = self.core.environment.uid();
        let token = format!("{uid}.{id}");
        let namespace = self.namespace.unwrap_or_default();
        let user = User { uid: uid.to_owned(), ..User::service_account(namespace, name) };
        let user = bound(user, document.root()).with_extra(CREDENTIAL, &format!("JTI={id}"));
        self.core.tokens.issue(&token, user, expires, now);
        let status = Document::object()
            .with("token", &token)
            .with("expirationTimestamp", &expires.to_string());
        document.insert(NodeId::ROOT, "status", &status);
        Ok(form.answer(201, document.root()))
    }
}

pub(super) fn read(
    kind: &'static NativeKind,
    body: &super::BodyObject<'_>,
    options: &RequestOptions,
) -> Result<Document, Box<Status>> {
    match kind.read(body.input(), options) {
        Ok(read) => Ok(read.document().clone()),
        Err(outcome) => {
            let unknown = || Status::internal_error("refused without a reason");
            Err(outcome.status().unwrap_or_else(unknown).into())
        }
    }
}

/// The holder of a token that ends with a pod or a node, which it names.
fn bound(user: User, request: Value<'_>) -> User {
    let text = |key| {
        let reference = request.pointer("/spec/boundObjectRef");
        reference.and_then(|it| it.get(key)?.as_str()).unwrap_or_default()
    };
    let (name, uid) = match text("kind") {
        "Pod" => (POD_NAME, POD_UID),
        "Node" => (NODE_NAME, NODE_UID),
        _ => return user,
    };
    user.with_extra(name, text("name")).with_extra(uid, text("uid"))
}

/// Whom a review is about.
fn subject(review: Value<'_>) -> User {
    let text = |path| review.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
    let groups = review.pointer("/spec/groups").into_iter().flat_map(Value::items);
    let groups = groups.filter_map(Value::as_str).map(str::to_owned).collect();
    User { name: text("/spec/user"), uid: text("/spec/uid"), groups, ..User::default() }
}

/// A review with all that `user` may do.
fn rules(review: Document, user: &User, policy: &AccessPolicy) -> Result<Document, Box<Status>> {
    let namespace = review.root().pointer("/spec/namespace").and_then(Value::as_str);
    let namespace = namespace.unwrap_or_default().to_owned();
    if namespace.is_empty() {
        return Err(Status::bad_request("no namespace on request").into());
    }
    let all = || Document::array_of(["*"]);
    let rule = |verbs: &[&str], groups: &[&str], resources: &[&str]| {
        Document::object()
            .with("verbs", &Document::array_of(verbs.iter().copied()))
            .with("apiGroups", &Document::array_of(groups.iter().copied()))
            .with("resources", &Document::array_of(resources.iter().copied()))
    };
    let (mut resources, mut paths) = if user.is_administrator() {
        let paths = Document::object().with("verbs", &all()).with("nonResourceURLs", &all());
        (vec![rule(&["*"], &["*"], &["*"])], vec![paths])
    } else {
        let own = ["selfsubjectaccessreviews", "selfsubjectrulesreviews"];
        let own = rule(&["create"], &["authorization.k8s.io"], &own);
        let paths =
            ["/api", "/api/*", "/apis", "/apis/*", "/healthz", "/livez", "/openapi", "/openapi/*"];
        let paths = paths.into_iter().chain(["/readyz", "/version"]);
        let paths = Document::object()
            .with("verbs", &Document::array_of(["get"]))
            .with("nonResourceURLs", &Document::array_of(paths));
        (vec![own], vec![paths])
    };
    let subject = rbac::Subject { user: &user.name, groups: &user.groups };
    let list = |texts: &[Box<str>]| Document::array_of(texts.iter().map(|text| &**text));
    // An administrator has everything already.
    let granted = policy.rules(subject, &namespace).filter(|_| !user.is_administrator());
    for granted in granted {
        let verbs = Document::object().with("verbs", &list(&granted.verbs));
        if !granted.paths.is_empty() {
            paths.push(verbs.with("nonResourceURLs", &list(&granted.paths)));
            continue;
        }
        let mut rule = verbs
            .with("apiGroups", &list(&granted.groups))
            .with("resources", &list(&granted.resources));
        if !granted.names.is_empty() {
            rule = rule.with("resourceNames", &list(&granted.names));
        }
        resources.push(rule);
    }
    let status = Document::object()
        .with("resourceRules", &Document::array_of(&resources))
        .with("nonResourceRules", &Document::array_of(&paths))
        .with("incomplete", false);
    Ok(review.with("status", &status))
}
