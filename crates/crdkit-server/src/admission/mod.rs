//! Asks webhooks whether a request may go on, and how its object is to change.
//!
//! Mutating webhooks are asked one after the other between reading and checking an object, and some of them once more when
//! others have changed it; validating ones are asked at the same time after the check. Which they are is a snapshot that is replaced when a configuration changes; a request that no webhook
//! concerns costs a look at the rules. The first refusal is the answer.

mod authorizer;
mod call;
mod gate;
mod plugins;
mod trust;

pub(crate) use call::WebhookClient;
pub(crate) use gate::{Change, wait};

use crate::stored::metadata_text;
use arc_swap::ArcSwap;
use crdkit_admission::policy::{
    self, FindParams, MutateTools, MutatingPolicy, Policy, PolicyBinding,
};
use crdkit_admission::webhook::{self, Webhook, review};
use crdkit_admission::{AdmissionRequest, Match, Remarks, Rounds};
use crdkit_schema::status::Status;
use crdkit_value::{Document, Value};

use crate::environment::Environment;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::task::Poll;

/// Who is asked, and what asks them.
pub(crate) struct Admission {
    configuration: ArcSwap<Configuration>,
    pub(crate) client: Arc<WebhookClient>,
}

/// Webhooks in the order of their configurations' names, policies and their bindings.
#[derive(Default)]
pub(crate) struct Configuration {
    mutating: Vec<Webhook>,
    validating: Vec<Webhook>,
    policies: Vec<Policy>,
    bindings: Vec<PolicyBinding>,
    mutating_policies: Vec<MutatingPolicy>,
    mutating_bindings: Vec<PolicyBinding>,
}

/// The objects that configure admission, by kind and in any order.
pub(crate) struct ConfigurationObjects {
    pub(crate) mutating: Vec<Document>,
    pub(crate) validating: Vec<Document>,
    pub(crate) policies: Vec<Document>,
    pub(crate) bindings: Vec<Document>,
    pub(crate) mutating_policies: Vec<Document>,
    pub(crate) mutating_bindings: Vec<Document>,
}

/// The largest answer that is read.
const LARGEST: usize = 3 << 20;

/// Gives an object in another version of its kind.
pub(crate) type Convert<'c> =
    &'c (dyn Fn(&Document, &Match) -> Result<Document, Box<Status>> + Sync);

/// Changes an object as a JSON patch says, or says why it cannot.
pub(crate) type ApplyPatch<'p> = &'p (dyn Fn(&mut Document, &[u8]) -> Result<(), String> + Sync);

impl Configuration {
    /// What these objects configure.
    pub(crate) fn read(objects: &ConfigurationObjects) -> Self {
        Self {
            mutating: in_order(&objects.mutating).flat_map(webhook::read).collect(),
            validating: in_order(&objects.validating).flat_map(webhook::read).collect(),
            policies: in_order(&objects.policies).map(Policy::read).collect(),
            bindings: in_order(&objects.bindings).map(PolicyBinding::read).collect(),
            mutating_policies: in_order(&objects.mutating_policies)
                .map(MutatingPolicy::read)
                .collect(),
            mutating_bindings: in_order(&objects.mutating_bindings)
                .map(PolicyBinding::read)
                .collect(),
        }
    }
}

/// Objects by name.
fn in_order(objects: &[Document]) -> impl Iterator<Item = Value<'_>> {
    let mut roots: Vec<_> = objects.iter().map(Document::root).collect();
    roots.sort_by_key(|root| metadata_text(*root, "name"));
    roots.into_iter()
}

/// What came of asking a webhook.
#[derive(Default)]
struct WebhookOutcome {
    remarks: Remarks,
    /// The object that it was sent and the patch that it answered, if it was asked and agrees.
    agreed: Option<(Document, Vec<u8>)>,
    /// The answer to the request, if it does not agree.
    refusal: Option<Box<Status>>,
    /// Whether it could not be asked, which does not matter.
    failed_open: bool,
}

impl Admission {
    /// Asks nobody yet, and knows where services are.
    pub(crate) fn new(services: BTreeMap<String, SocketAddr>) -> Self {
        let client = Arc::new(WebhookClient::new(services));
        Self { configuration: ArcSwap::default(), client }
    }

    /// Replaces who is asked.
    pub(crate) fn set(&self, configuration: Configuration) {
        self.configuration.store(Arc::new(configuration));
    }

    /// Whether there are mutating webhooks at all.
    pub(crate) fn has_mutating(&self) -> bool {
        !self.configuration.load().mutating.is_empty()
    }

    /// Whether there are mutating policies at all.
    pub(crate) fn has_mutating_policies(&self) -> bool {
        !self.configuration.load().mutating_bindings.is_empty()
    }

    /// Changes `object`, that of `request`, as policies say.
    ///
    /// # Errors
    /// The answer, when a policy could not do its work.
    pub(crate) fn mutate_by_policies(
        &self,
        request: &AdmissionRequest<'_>,
        object: &mut Document,
        tools: MutateTools<'_>,
        rounds: &mut Rounds,
    ) -> Result<(), Box<Status>> {
        let configuration = self.configuration.load_full();
        let Configuration { mutating_policies, mutating_bindings, .. } = &*configuration;
        policy::mutate(mutating_policies, mutating_bindings, request, object, tools, rounds)
    }

    /// Whether there are validating webhooks or policies at all.
    pub(crate) fn has_validating(&self) -> bool {
        let Configuration { validating, bindings, .. } = &**self.configuration.load();
        !validating.is_empty() || !bindings.is_empty()
    }

    /// Whether a mutating webhook concerns `request`.
    pub(crate) fn mutates(&self, request: &AdmissionRequest<'_>) -> bool {
        self.configuration.load().mutating.iter().any(|webhook| webhook.matches(request).is_some())
    }

    /// Whether a validating webhook concerns `request`.
    pub(crate) fn validates(&self, request: &AdmissionRequest<'_>) -> bool {
        self.configuration
            .load()
            .validating
            .iter()
            .any(|webhook| webhook.matches(request).is_some())
    }

    /// Judges `request` by policies.
    ///
    /// # Errors
    /// The answer, when one refuses.
    pub(crate) fn judge(
        &self,
        request: &AdmissionRequest<'_>,
        convert: Convert<'_>,
        params: FindParams<'_>,
        remarks: &mut Remarks,
    ) -> Result<(), Box<Status>> {
        let configuration = self.configuration.load_full();
        let Configuration { policies, bindings, .. } = &*configuration;
        let judgement = policy::judge(
            policies,
            bindings,
            request,
            (&|object, matched| convert(object, matched), params),
        );
        remarks.warnings.extend(judgement.remarks.warnings);
        remarks.audit_annotations.extend(judgement.remarks.audit_annotations);
        judgement.refusal.map_or(Ok(()), |status| Err(Box::new(status)))
    }

    /// The object as mutating webhooks want it that have their turn in this round.
    ///
    /// `object` is that of the request, in its version; the other objects are in `request`.
    ///
    /// # Errors
    /// The answer, when one refuses or could not be asked.
    pub(crate) async fn mutate(
        &self,
        environment: &Environment,
        request: &AdmissionRequest<'_>,
        object: &mut Document,
        (convert, patch): (Convert<'_>, ApplyPatch<'_>),
        (rounds, remarks): (&mut Rounds, &mut Remarks),
    ) -> Result<(), Box<Status>> {
        let configuration = self.configuration.load_full();
        for (at, webhook) in configuration.mutating.iter().enumerate() {
            let who = format!("{}/{}", webhook.configuration, webhook.name);
            if !rounds.asks(&who, webhook.reinvoked) {
                continue;
            }
            let seen = AdmissionRequest { object: Some(object), ..*request };
            let asked = self.ask(webhook, environment, &seen, convert).await;
            remarks.warnings.extend(asked.remarks.warnings);
            remarks.audit_annotations.extend(asked.remarks.audit_annotations);
            let key = format!(
                "mutation.webhook.admission.k8s.io/round_{}_index_{at}",
                usize::from(rounds.is_second())
            );
            if asked.failed_open {
                let value = webhook.name.to_string();
                remarks.audit_annotations.push((format!("failed-open.{key}"), value));
            }
            if let Some(status) = asked.refusal {
                return Err(status);
            }
            let Some((mut patched, wanted)) = asked.agreed else { continue };
            let mut changed = false;
            if !wanted.is_empty() {
                // Whatever the failure policy says: it could be asked.
                patch(&mut patched, &wanted).map_err(Status::internal_error)?;
                let back = Match { resource: request.resource.clone(), kind: request.kind.clone() };
                let patched = convert(&patched, &back)?;
                changed = patched.root() != object.root();
                *object = patched;
            }
            remarks.audit_annotations.push((key, mutation(webhook, changed)));
            rounds.asked(who, changed);
        }
        Ok(())
    }

    /// Asks validating webhooks about `request`, all at the same time. The refusal of the first of them is the answer.
    ///
    /// # Errors
    /// The answer, when one refuses or could not be asked.
    pub(crate) async fn validate(
        &self,
        environment: &Environment,
        request: &AdmissionRequest<'_>,
        convert: Convert<'_>,
        remarks: &mut Remarks,
    ) -> Result<(), Box<Status>> {
        let configuration = self.configuration.load_full();
        let webhooks = &configuration.validating;
        let asked = webhooks.iter().map(|it| self.ask(it, environment, request, convert));
        let mut refusal = None;
        for (at, (asked, webhook)) in together(asked).await.into_iter().zip(webhooks).enumerate() {
            remarks.warnings.extend(asked.remarks.warnings);
            remarks.audit_annotations.extend(asked.remarks.audit_annotations);
            if asked.failed_open {
                let key =
                    format!("failed-open.validating.webhook.admission.k8s.io/round_0_index_{at}");
                remarks.audit_annotations.push((key, webhook.name.to_string()));
            }
            refusal = refusal.or(asked.refusal);
        }
        refusal.map_or(Ok(()), Err)
    }

    /// Asks a webhook about `request`, if that concerns it.
    async fn ask(
        &self,
        webhook: &Webhook,
        environment: &Environment,
        request: &AdmissionRequest<'_>,
        convert: Convert<'_>,
    ) -> WebhookOutcome {
        let refused =
            |status| WebhookOutcome { refusal: Some(status), ..WebhookOutcome::default() };
        let failed = |problem: &str| match webhook.failed(problem) {
            Ok(()) => WebhookOutcome { failed_open: true, ..WebhookOutcome::default() },
            Err(status) => refused(status),
        };
        let Some(matched) = webhook.matches(request) else { return WebhookOutcome::default() };
        let is_same = matched.kind == *request.kind;
        let converted = |object: Option<&Document>| match object {
            Some(object) if !is_same => convert(object, &matched).map(Some),
            object => Ok(object.cloned()),
        };
        let (object, old_object) = match (converted(request.object), converted(request.old_object))
        {
            (Ok(object), Ok(old_object)) => (object, old_object),
            (Err(status), _) | (_, Err(status)) => return refused(status),
        };
        let request = AdmissionRequest {
            object: object.as_ref(),
            old_object: old_object.as_ref(),
            ..*request
        };
        match webhook.concerns(&request, &matched) {
            Ok(true) => {}
            Ok(false) => return WebhookOutcome::default(),
            Err(status) => return refused(status),
        }
        if let Err(status) = webhook.allows_dry_run(&request) {
            return refused(status);
        }
        let Some(version) = webhook.review_version else {
            return failed("webhook does not accept known AdmissionReview versions (v1, v1beta1)");
        };
        let uid = environment.uid();
        let body = review::ask(version, &uid, &request, &matched);
        let seconds = webhook.timeout_seconds;
        let answer = self.client.post(&webhook.client, seconds, body, LARGEST).await;
        let answer = answer.map_err(|problem| format!("failed to call webhook: {problem}"));
        let answer = answer.and_then(|body| review::read(&webhook.name, version, &uid, &body));
        let answer = match answer {
            Ok(answer) => answer,
            Err(problem) => return failed(&problem),
        };
        let audit = answer.audit_annotations.into_iter();
        let audit = audit.map(|(key, value)| (format!("{}/{key}", webhook.name), value));
        let remarks = Remarks { warnings: answer.warnings, audit_annotations: audit.collect() };
        let refusal = answer.refusal.map(Box::new);
        let agreed = object.filter(|_| refusal.is_none()).map(|object| (object, answer.patch));
        WebhookOutcome { remarks, agreed, refusal, failed_open: false }
    }
}

/// What the audit log is told about a webhook that may change objects.
fn mutation(webhook: &Webhook, changed: bool) -> String {
    let string = crdkit_codec::go_json::string;
    format!(
        "{{\"configuration\":{},\"webhook\":{},\"mutated\":{changed}}}",
        string(&webhook.configuration),
        string(&webhook.name)
    )
}

/// Waits for all of them at the same time.
async fn together<F: Future>(futures: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut all: Vec<_> = futures.map(|future| (Box::pin(future), None)).collect();
    std::future::poll_fn(|context| {
        for (future, output) in &mut all {
            if output.is_none()
                && let Poll::Ready(value) = future.as_mut().poll(context)
            {
                *output = Some(value);
            }
        }
        if all.iter().all(|(_, output)| output.is_some()) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    all.into_iter().filter_map(|(_, output)| output).collect()
}
