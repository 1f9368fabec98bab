//! Which requests concern a webhook, what it is sent and what its answer means.

use crdkit_admission::webhook::{self, Webhook, review};
use crdkit_admission::{AdmissionRequest, Equivalent, Match, Operation, User};
use crdkit_codec::json::{self, Layout};
use crdkit_codec::{DecodeOptions, Format};
use crdkit_text::kind::{GroupVersionKind, GroupVersionResource};
use crdkit_value::Document;

fn yaml(text: &str) -> Document {
    Format::Yaml.decode(text.as_bytes(), &DecodeOptions::default()).unwrap().document
}

fn webhook(text: &str) -> Webhook {
    let configuration =
        format!("webhooks:\n- name: check.example.com\n  admissionReviewVersions: [v1]\n{text}");
    webhook::read(yaml(&configuration).root()).remove(0)
}

fn resource(version: &str, plural: &str) -> GroupVersionResource {
    let (group, resource) = ("example.com".into(), plural.into());
    GroupVersionResource { group, version: version.into(), resource }
}

/// What is asked of a lamp in `garden`.
struct Asked {
    operation: Operation,
    subresource: &'static str,
    object: Document,
    namespace: Document,
}

impl Default for Asked {
    fn default() -> Self {
        Self {
            operation: Operation::Create,
            subresource: "",
            object: yaml(
                "{kind: Lamp, metadata: {name: a, labels: {tier: front}}, spec: {watts: 5}}",
            ),
            namespace: yaml("{metadata: {name: garden, labels: {team: green}}}"),
        }
    }
}

impl Asked {
    fn with<T>(&self, then: impl FnOnce(&AdmissionRequest<'_>) -> T) -> T {
        let user = User { name: "ann".into(), groups: vec!["gardeners".into()], ..User::default() };
        let equivalents = [Equivalent {
            resource: resource("v1", "lamps"),
            kind: GroupVersionKind::of("example.com/v1", "Lamp"),
        }];
        then(&AdmissionRequest {
            operation: self.operation,
            kind: &GroupVersionKind::of("example.com/v2", "Lamp"),
            resource: &resource("v2", "lamps"),
            subresource: self.subresource,
            equivalents: &equivalents,
            name: "a",
            namespace: "garden",
            user: &user,
            dry_run: false,
            options: None,
            object: Some(&self.object),
            old_object: None,
            namespace_object: Some(&self.namespace),
            authorizer: None,
        })
    }

    /// The version in which a webhook wants to see the request.
    fn seen(&self, webhook: &Webhook) -> Option<String> {
        self.with(|request| Some(webhook.matches(request)?.kind.version))
    }
}

const RULE: &str = "  rules: [{operations: [CREATE], apiGroups: [example.com], apiVersions: [v2], resources: [lamps]}]\n";

#[test]
fn rules_name_operations_resources_and_subresources() {
    let asked = Asked::default();
    let update = Asked { operation: Operation::Update, ..Asked::default() };
    let status = Asked { subresource: "status", ..Asked::default() };
    let seen = |rule: &str| {
        let webhook = webhook(&format!("  rules: [{rule}]\n"));
        [&asked, &update, &status].map(|asked| asked.seen(&webhook).is_some())
    };
    let any = |resources: &str| {
        seen(&format!(
            "{{operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: [{resources}]}}"
        ))
    };
    assert_eq!(any("lamps"), [true, true, false]);
    assert_eq!(any("lamps/status"), [false, false, true]);
    assert_eq!(any("lamps/*"), [true, true, true]);
    assert_eq!(any("'*'"), [true, true, false]);
    assert_eq!(any("'*/*'"), [true, true, true]);
    assert_eq!(any("'*/status'"), [false, false, true]);
    let create =
        "{operations: [CREATE], apiGroups: [example.com], apiVersions: [v2], resources: [lamps]";
    assert_eq!(seen(&format!("{create}}}")), [true, false, false]);
    assert_eq!(seen(&format!("{create}, scope: Cluster}}")), [false; 3]);
    assert_eq!(seen(&format!("{create}, scope: Namespaced}}")), [true, false, false]);
}

#[test]
fn another_version_is_seen_unless_the_policy_is_exact() {
    let older = RULE.replace("v2", "v1");
    let asked = Asked::default();
    assert_eq!(asked.seen(&webhook(RULE)).as_deref(), Some("v2"));
    assert_eq!(asked.seen(&webhook(&older)).as_deref(), Some("v1"));
    assert_eq!(asked.seen(&webhook(&format!("{older}  matchPolicy: Exact\n"))), None);
}

#[test]
fn selectors_look_at_the_object_and_its_namespace() {
    let asked = Asked::default();
    let seen = |text: &str| asked.seen(&webhook(&format!("{RULE}  {text}\n"))).is_some();
    assert!(seen("objectSelector: {matchLabels: {tier: front}}"));
    assert!(!seen("objectSelector: {matchLabels: {tier: back}}"));
    assert!(seen(
        "namespaceSelector: {matchExpressions: [{key: team, operator: In, values: [green]}]}"
    ));
    assert!(!seen("namespaceSelector: {matchExpressions: [{key: team, operator: DoesNotExist}]}"));
    assert!(seen(
        "namespaceSelector: {matchExpressions: [{key: x, operator: NotIn, values: [y]}]}"
    ));
}

#[test]
fn conditions_decide_and_their_errors_are_for_the_failure_policy() {
    let concerned = |expression: &str, policy: &str| {
        let webhook = webhook(&format!(
            "{RULE}  failurePolicy: {policy}\n  matchConditions: [{{name: a, expression: '{expression}'}}]\n"
        ));
        Asked::default().with(|request| {
            let matched = webhook.matches(request).unwrap();
            webhook.concerns(request, &matched).map_err(|status| status.message)
        })
    };
    assert_eq!(concerned("object.spec.watts > 3", "Fail"), Ok(true));
    assert_eq!(concerned(r#"request.userInfo.username == "bob""#, "Fail"), Ok(false));
    assert_eq!(concerned("object.spec.volts > 3", "Ignore"), Ok(false));
    assert_eq!(
        concerned("object.spec.volts > 3", "Fail"),
        Err("lamps.example.com \"a\" is forbidden: expression 'object.spec.volts > 3' resulted in error: no such key: volts"
            .into())
    );
}

#[test]
fn a_review_tells_what_was_requested() {
    let sent = Asked::default().with(|request| {
        let matched = Match {
            resource: resource("v1", "lamps"),
            kind: GroupVersionKind::of("example.com/v1", "Lamp"),
        };
        review::ask("v1", "u-1", request, &matched)
    });
    let sent = json::decode(&sent, &DecodeOptions::default()).unwrap().document;
    let expected = yaml(
        "
kind: AdmissionReview
apiVersion: admission.k8s.io/v1
request:
  uid: u-1
  kind: {group: example.com, version: v1, kind: Lamp}
  resource: {group: example.com, version: v1, resource: lamps}
  requestKind: {group: example.com, version: v2, kind: Lamp}
  requestResource: {group: example.com, version: v2, resource: lamps}
  name: a
  namespace: garden
  operation: CREATE
  userInfo: {username: ann, groups: [gardeners]}
  dryRun: false
  options: null
  object: {kind: Lamp, metadata: {name: a, labels: {tier: front}}, spec: {watts: 5}}
  oldObject: null
",
    );
    assert_eq!(
        json::text(sent.root(), Layout::Compact),
        json::text(expected.root(), Layout::Compact)
    );
}

/// What an answer means: the patch, or the status.
fn answered(response: &str) -> Result<String, String> {
    let text =
        format!("apiVersion: admission.k8s.io/v1\nkind: AdmissionReview\nresponse: {response}");
    let body = json::text(yaml(&text).root(), Layout::Compact);
    let answer = review::read("check.example.com", "v1", "u-1", body.as_bytes())?;
    Ok(match answer.refusal {
        Some(status) => format!("{} {}: {}", status.code, status.reason, status.message),
        None => String::from_utf8_lossy(&answer.patch).into_owned(),
    })
}

#[test]
fn an_answer_allows_patches_or_refuses() {
    let denied = r#"admission webhook "check.example.com" denied the request"#;
    assert_eq!(answered("{uid: u-1, allowed: true}"), Ok(String::new()));
    assert_eq!(
        answered("{uid: u-1, allowed: true, patchType: JSONPatch, patch: W10=}"),
        Ok("[]".into())
    );
    assert_eq!(answered("{uid: u-1}"), Ok(format!("400 : {denied} without explanation")));
    assert_eq!(
        answered(
            "{uid: u-1, allowed: false, status: {code: 403, reason: Forbidden, message: too bright}}"
        ),
        Ok(format!("403 Forbidden: {denied}: too bright"))
    );
    assert_eq!(
        answered("{uid: u-1, status: {reason: because}}"),
        Ok(format!("400 because: {denied}: because"))
    );
}

#[test]
fn an_answer_to_something_else_is_none() {
    let problem = |response: &str| {
        let problem = answered(response).unwrap_err();
        problem.strip_prefix("received invalid webhook response: ").unwrap().to_owned()
    };
    assert_eq!(problem("null"), "webhook response was absent");
    assert_eq!(problem("{uid: u-2, allowed: true}"), r#"expected response.uid="u-1", got "u-2""#);
    assert_eq!(
        problem("{uid: u-1, patch: W10=}"),
        "webhook returned response.patch but not response.patchType"
    );
    assert_eq!(
        problem("{uid: u-1, patchType: JSONPatch}"),
        "webhook returned response.patchType but not response.patch"
    );
    assert!(problem("{uid: u-1, patchType: JSONPatch, patch: '%'}").contains("base64"));
    let unreadable = |body: &str| review::read("a", "v1", "u", body.as_bytes()).unwrap_err();
    let words = "failed to call webhook: couldn't get version/kind; json parse error: ";
    assert!(unreadable("<html>").starts_with(words), "{}", unreadable("<html>"));
    assert!(
        unreadable("[]").contains("json: cannot unmarshal array into Go value of type struct {")
    );
    assert_eq!(
        unreadable("{}"),
        "received invalid webhook response: expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind="
    );
}
