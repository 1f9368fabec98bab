//! Webhooks of `MutatingWebhookConfiguration` and `ValidatingWebhookConfiguration`.
//!
//! [`read`] gives the webhooks of one configuration in order; those of several are called in the order of the
//! configurations' names. [`Webhook::concerns`] decides whether one is called, [`review`] is what it is sent and what its
//! answer means.

pub mod review;

use crate::condition::MatchConditions;
use crate::evaluate::Surroundings;
use crate::expression::Compiler;
use crate::matching::{Constraints, Match, MatchPolicy, ResourceRule};
use crate::request::AdmissionRequest;
use crate::selector::ObjectSelector;
use crdkit_schema::status::Status;
use crdkit_text::base64::Base64;
use crdkit_value::{Document, Value};

/// One webhook.
#[derive(Debug)]
pub struct Webhook {
    /// The name of its configuration.
    pub configuration: Box<str>,
    /// Its name, which answers mention.
    pub name: Box<str>,
    /// Where it is.
    pub client: ClientConfig,
    /// Whether a webhook that cannot be asked counts as one that agrees.
    pub ignores_failure: bool,
    /// How many seconds it may take.
    pub timeout_seconds: u32,
    /// Whether it changes nothing but the object, so that dry runs may call it.
    pub without_side_effects: bool,
    /// Whether a mutating one is called again when later ones have changed the object.
    pub reinvoked: bool,
    /// The newest version of reviews that both sides know; none if there is none.
    pub review_version: Option<&'static str>,
    constraints: Constraints,
    conditions: MatchConditions,
}

/// Where a webhook is, and whom to trust there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientConfig {
    /// The address, or the service.
    pub target: ClientTarget,
    /// Certificates in PEM; empty for those that the system trusts.
    pub ca_bundle: Vec<u8>,
}

/// The address of a webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientTarget {
    /// A URL.
    Url(Box<str>),
    /// A service of the cluster.
    Service {
        /// Its namespace.
        namespace: Box<str>,
        /// Its name.
        name: Box<str>,
        /// The path there.
        path: Box<str>,
        /// The port.
        port: u16,
    },
}

impl Default for ClientTarget {
    fn default() -> Self {
        Self::Url(Box::default())
    }
}

/// The versions of reviews that are known, the preferred one first.
const REVIEW_VERSIONS: [&str; 2] = ["v1", "v1beta1"];

/// The webhooks of a configuration.
pub fn read(configuration: Value<'_>) -> Vec<Webhook> {
    let named = configuration.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
    let webhooks = configuration.get("webhooks").into_iter().flat_map(Value::items);
    webhooks.map(|webhook| Webhook::read(named, webhook)).collect()
}

impl Webhook {
    fn read(configuration: &str, value: Value<'_>) -> Self {
        let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
        let rules = value.get("rules").into_iter().flat_map(Value::items);
        let known = |version: &&str| {
            let versions = value.get("admissionReviewVersions").into_iter().flat_map(Value::items);
            versions.filter_map(Value::as_str).any(|it| it == *version)
        };
        let timeout = value.get("timeoutSeconds").and_then(Value::as_i64);
        Self {
            configuration: configuration.into(),
            name: text("name").into(),
            client: ClientConfig::read(value.get("clientConfig")),
            ignores_failure: text("failurePolicy") == "Ignore",
            timeout_seconds: timeout.and_then(|it| u32::try_from(it).ok()).unwrap_or(10),
            without_side_effects: matches!(text("sideEffects"), "None" | "NoneOnDryRun"),
            reinvoked: text("reinvocationPolicy") == "IfNeeded",
            review_version: REVIEW_VERSIONS.into_iter().find(known),
            constraints: Constraints {
                rules: rules.map(ResourceRule::read).collect(),
                excluded: Box::default(),
                policy: match text("matchPolicy") {
                    "Exact" => MatchPolicy::Exact,
                    _ => MatchPolicy::Equivalent,
                },
                namespaces: ObjectSelector::read(value.get("namespaceSelector")),
                objects: ObjectSelector::read(value.get("objectSelector")),
            },
            conditions: MatchConditions::read(value.get("matchConditions"), &Compiler::default()),
        }
    }

    /// The form in which the webhook wants to see `request`, as far as rules and selectors say.
    pub fn matches(&self, request: &AdmissionRequest<'_>) -> Option<Match> {
        self.constraints.find(request)
    }

    /// Whether its conditions hold for `request`, whose objects are in the version of `matched`.
    ///
    /// # Errors
    /// The answer to the request, where a condition fails and that counts.
    pub fn concerns(
        &self,
        request: &AdmissionRequest<'_>,
        matched: &Match,
    ) -> Result<bool, Box<Status>> {
        if self.conditions.is_empty() {
            return Ok(true);
        }
        let around = Surroundings::new(request, matched);
        match self.conditions.hold(around.inputs_of_conditions(request, None), &[]) {
            Ok(holds) => Ok(holds),
            Err(_) if self.ignores_failure => Ok(false),
            Err(problem) => Err(request.forbidden(&problem).into()),
        }
    }

    /// What becomes of a request when the webhook could not be asked: nothing, or this answer.
    ///
    /// # Errors
    /// The answer to the request.
    pub fn failed(&self, problem: &str) -> Result<(), Box<Status>> {
        if self.ignores_failure {
            return Ok(());
        }
        let name = crdkit_text::quote::quote(&self.name);
        Err(Status::internal_error(format!("failed calling webhook {name}: {problem}")).into())
    }

    /// Refuses dry runs of a webhook that has side effects.
    ///
    /// # Errors
    /// The answer to the request.
    pub fn allows_dry_run(&self, request: &AdmissionRequest<'_>) -> Result<(), Box<Status>> {
        if !request.dry_run || self.without_side_effects {
            return Ok(());
        }
        let name = crdkit_text::quote::quote(&self.name);
        Err(Status::bad_request(format!("admission webhook {name} does not support dry run"))
            .into())
    }
}

impl ClientConfig {
    /// The member `clientConfig` of webhooks and conversions.
    pub fn read(value: Option<Value<'_>>) -> Self {
        let Some(value) = value else { return Self::default() };
        let encoded = value.get("caBundle").and_then(Value::as_str).unwrap_or_default();
        let target = match value.get("service") {
            Some(service) => {
                let text = |key: &str| service.get(key).and_then(Value::as_str).unwrap_or_default();
                let port = service.get("port").and_then(Value::as_i64);
                ClientTarget::Service {
                    namespace: text("namespace").into(),
                    name: text("name").into(),
                    path: text("path").into(),
                    port: port.and_then(|port| u16::try_from(port).ok()).unwrap_or(443),
                }
            }
            None => ClientTarget::Url(
                value.get("url").and_then(Value::as_str).unwrap_or_default().into(),
            ),
        };
        Self { target, ca_bundle: Base64::Standard.decode(encoded.as_bytes()).unwrap_or_default() }
    }
}

impl AdmissionRequest<'_> {
    /// The answer to a request that something does not allow.
    pub fn forbidden(&self, why: &str) -> Status {
        let name = match (self.name, self.object) {
            ("", Some(object)) => generated_name(object),
            (name, _) => name,
        };
        let subject = crdkit_schema::status::Subject {
            group: &self.resource.group,
            version: &self.resource.version,
            kind: &self.resource.resource,
            name,
        };
        subject.forbidden(why)
    }
}

fn generated_name(object: &Document) -> &str {
    let metadata = object.root().get("metadata");
    metadata.and_then(|it| it.get("generateName")?.as_str()).unwrap_or_default()
}
