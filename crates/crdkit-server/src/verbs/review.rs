//! Questions that are answered and forgotten: who am I, may I, is this token good.

use super::token_request::AUDIENCE;
use super::{Target, review_checks};
use crate::answer::Answer;
use crate::authorise::{Action, is_allowed};
use crate::identify::User;
use crate::options::{WriteKind, WriteOptions};
use crate::rbac::{self, AccessPolicy};
use crate::stored;
use crate::view::Shape;
use crdkit_engine::RequestOptions;
use crdkit_native::NativeKind;
use crdkit_schema::status::Status;
use crdkit_text::quote::quote;
use crdkit_value::{Document, NewValue, NodeId, Value};

/// The answer to whoever asks for a table where there is none.
const NO_TABLE: &str = "only the following media types are accepted: application/json, application/yaml, \
    application/vnd.kubernetes.protobuf, application/cbor";

impl Target<'_> {
    pub(super) fn review(&self, kind: &'static NativeKind) -> Result<Answer, Box<Status>> {
        let form = self.form()?;
        let media = self.content_type()?;
        self.request.body()?;
        let options = WriteOptions::of(self.request, WriteKind::Create)?;
        let shape = self.shape(&form)?;
        if matches!(shape, Shape::Table { .. }) {
            // What is answered and forgotten has no columns.
            return Err(Status::not_acceptable(NO_TABLE).into());
        }
        let body = self.object_in(media)?;
        let engine = self.engine_options(&options);
        let mut document = read(kind, &body, &engine)?;
        stored::remove(&mut document, NodeId::ROOT, "status");
        self.managing(&options).update(None, &mut document);
        review_checks::check(kind, &document)?;
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
        self.view(&form, &shape).object(201, &answer)
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
        let wanted = document.root().pointer("/spec/audiences").into_iter().flat_map(Value::items);
        let wanted: Vec<&str> = wanted.filter_map(Value::as_str).collect();
        let found = self.core.tokens.user(&token, self.core.environment.now());
        let status = match found {
            Some(_) if !wanted.is_empty() && !wanted.contains(&AUDIENCE) => {
                let wanted: Vec<String> = wanted.into_iter().map(quote).collect();
                let (own, wanted) = (quote(AUDIENCE), wanted.join(" "));
                let error = format!(
                    "[invalid bearer token, token audiences [{own}] is invalid for the target audiences [{wanted}]]"
                );
                Document::object().with("user", NewValue::EmptyObject).with("error", &error)
            }
            Some(user) => Document::object()
                .with("authenticated", true)
                .with("user", &user.document())
                .with("audiences", &Document::array_of([AUDIENCE])),
            None => Document::object()
                .with("user", NewValue::EmptyObject)
                .with("error", "invalid bearer token"),
        };
        Ok(document.with("status", &status))
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
