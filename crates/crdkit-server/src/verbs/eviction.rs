//! A pod is deleted as an `Eviction` asks for, unless a disruption budget is against it.
//!
//! In goes the `Eviction` of the body, out comes a success without an object. A pod that does not run is no disruption; for
//! any other its one budget counts the eviction before the pod is marked and deleted.

use super::binding::{conditioned, created, member};
use super::{BodyObject, DeleteOptions, Target, delete_object};
use crate::answer::Answer;
use crate::configured;
use crate::options::{WriteKind, WriteOptions};
use crate::rules::Accepted;
use crate::stored::metadata_text;
use crdkit_admission::ObjectSelector;
use crdkit_codec::DecodeOptions;
use crdkit_schema::status::{Cause, Status, Subject};
use crdkit_value::{Document, NewValue, NodeId, Value};

/// How often a pod is looked at again that others have changed meanwhile.
const ATTEMPTS: usize = 20;

/// So many evictions may be waiting for the controller of a budget.
const WAITING: usize = 2000;

/// Who owns what is counted.
const SERVER: &str = "kube-apiserver";

/// What a pod's budget has to say.
enum BudgetAnswer {
    Allowed,
    /// It may go so long as it stays as it is.
    Unchanged,
}

impl Target<'_> {
    /// Deletes a pod as an `Eviction` asks for.
    pub(super) async fn evict(&self) -> Result<Answer, Box<Status>> {
        let name = self.name()?;
        let form = self.form()?;
        let options = WriteOptions::of(self.request, WriteKind::Create)?;
        let eviction = self.body_document()?;
        if metadata_text(eviction.root(), "name") != name {
            let text = "name in URL does not match name in Eviction object";
            return Err(Status::bad_request(text).into());
        }
        let asked = deletion(eviction.root(), options.dry_run);
        let counting =
            WriteOptions { dry_run: asked.dry_run, manager: SERVER.to_owned(), ..options };
        for attempt in 1.. {
            let Some(entry) = self.entry(name).await? else {
                return Err(self.subject(name).not_found().into());
            };
            let pod = self.served.rules.read(&entry).await?;
            let phase = text(pod.root(), "/status/phase");
            let is_over = super::write::is_terminating(pod.root())
                || ["Succeeded", "Failed"].contains(&phase);
            let verdict = match phase {
                _ if is_over => BudgetAnswer::Allowed,
                "Pending" => BudgetAnswer::Unchanged,
                _ => self.ask_budget(name, &pod, &counting).await?,
            };
            let mut deletion = asked.clone();
            let is_guarded = matches!(verdict, BudgetAnswer::Unchanged) && asked.version.is_none();
            if is_guarded {
                deletion.version = Some(metadata_text(pod.root(), "resourceVersion").to_owned());
            }
            match self.mark_and_delete(name, deletion).await {
                Err(status) if is_guarded && status.code == 409 && attempt < ATTEMPTS => {}
                Err(status) => return Err(status),
                Ok(()) => break,
            }
        }
        Ok(created(&form))
    }

    /// Says in the pod why it goes, and deletes it.
    async fn mark_and_delete(
        &self,
        name: &str,
        mut deletion: DeleteOptions,
    ) -> Result<(), Box<Status>> {
        if !deletion.dry_run {
            let now = self.core.environment.now_text();
            let make = |pod: &Document| {
                self.check_preconditions(name, pod.root(), &deletion)?;
                let condition = Document::object()
                    .with("type", "DisruptionTarget")
                    .with("status", "True")
                    .with("lastProbeTime", NewValue::Null)
                    .with("lastTransitionTime", &*now)
                    .with("reason", "EvictionByEvictionAPI")
                    .with("message", "Eviction API: evicting");
                let document = conditioned(pod.clone(), &condition);
                Ok(Accepted { document, written: None, warnings: Vec::new() })
            };
            let Some(written) = self.replace(name, false, make).await? else {
                return Err(self.subject(name).not_found().into());
            };
            if deletion.version.is_some() {
                deletion.version = written.revision.map(|it| it.to_string());
            }
        }
        delete_object(self, name, &deletion).await.map(drop)
    }

    /// Has the budget of a pod count its eviction.
    ///
    /// # Errors
    /// The answer, when the budget is against it, or there are several.
    async fn ask_budget(
        &self,
        name: &str,
        pod: &Document,
        options: &WriteOptions,
    ) -> Result<BudgetAnswer, Box<Status>> {
        let namespace = self.namespace.unwrap_or_default();
        let all = configured::objects(self.core, "policy", "poddisruptionbudgets", namespace).await;
        let concerned: Vec<_> =
            all.iter().map(Document::root).filter(|it| is_for(*it, pod)).collect();
        let budget = match concerned.as_slice() {
            [] => return Ok(BudgetAnswer::Allowed),
            [one] => *one,
            _ => {
                let text = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
                return Err(Status::unclassified(text).into());
            }
        };
        if !is_ready(pod.root()) {
            let count = |path| number(budget, path);
            let healthy = count("/status/currentHealthy") >= count("/status/desiredHealthy");
            let policy = text(budget, "/spec/unhealthyPodEvictionPolicy");
            if policy == "AlwaysAllow" || healthy && count("/status/desiredHealthy") > 0 {
                return Ok(BudgetAnswer::Unchanged);
            }
        }
        let Some(served) = self.core.find("policy", "v1", "poddisruptionbudgets") else {
            return Ok(BudgetAnswer::Allowed);
        };
        let named = metadata_text(budget, "name");
        let budgets = Target { served, name: Some(named), subresource: Some("status"), ..*self };
        let now = self.core.environment.now_text();
        let make = |budget: &Document| {
            if let Some(refused) = refusal(budget.root()) {
                return Err(Box::new(refused));
            }
            let mut document = counted(budget.clone(), name, &now);
            budgets.managing(options).update(Some(budget), &mut document);
            Ok(Accepted { document, written: None, warnings: Vec::new() })
        };
        budgets.replace(named, options.dry_run, make).await.map(|_| BudgetAnswer::Allowed)
    }

    /// The body as it stands.
    pub(super) fn body_document(&self) -> Result<Document, Box<Status>> {
        match self.object_in(self.content_type()?)? {
            BodyObject::Document(document) => Ok(document),
            BodyObject::Bytes(format, bytes) => {
                let decoded = format.decode(bytes, &DecodeOptions::default());
                decoded
                    .map(|decoded| decoded.document)
                    .map_err(|issue| Status::bad_request(issue.server_message()).into())
            }
        }
    }
}

/// How an `Eviction` asks for its pod to be deleted.
fn deletion(eviction: Value<'_>, dry_run: bool) -> DeleteOptions {
    let of = |path: &str| eviction.pointer(path);
    let text = |path: &str| of(path).and_then(Value::as_str).map(str::to_owned);
    let is_dry = of("/deleteOptions/dryRun").is_some_and(|it: Value<'_>| it.items().len() > 0);
    DeleteOptions {
        dry_run: dry_run || is_dry,
        uid: text("/deleteOptions/preconditions/uid"),
        version: text("/deleteOptions/preconditions/resourceVersion"),
        orphan: None,
        propagation: text("/deleteOptions/propagationPolicy"),
        grace: of("/deleteOptions/gracePeriodSeconds").and_then(Value::as_i64),
        lingers: true,
        ..DeleteOptions::default()
    }
}

/// Whether a budget is about a pod.
fn is_for(budget: Value<'_>, pod: &Document) -> bool {
    let selector = budget.pointer("/spec/selector").filter(|it| !it.is_null());
    selector.is_some_and(|it| ObjectSelector::read(Some(it)).matches(pod.root()))
}

/// Why a budget is against an eviction, if it is.
fn refusal(budget: Value<'_>) -> Option<Status> {
    let name = metadata_text(budget, "name");
    let cause = |message: String| Cause {
        reason: "DisruptionBudget".into(),
        field: String::new(),
        message,
    };
    let too_many = |seconds, message| {
        let text = "Cannot evict pod as it would violate the pod's disruption budget.";
        Status::too_many_requests(text, seconds).cause(cause(message))
    };
    let forbidden = |why: &str, message: &str| {
        let kind = "poddisruptionbudget";
        let subject = Subject { group: "policy", version: "v1", kind, name };
        let message = format!(
            "The disruption budget {name} does not allow evicting pods currently: {message}"
        );
        Some(subject.forbidden(why).cause(cause(message)))
    };
    if number(budget, "/status/observedGeneration") < number(budget, "/metadata/generation") {
        let message =
            format!("The disruption budget {name} is still being processed by the server.");
        return Some(too_many(10, message));
    }
    let allowed = number(budget, "/status/disruptionsAllowed");
    if allowed < 0 {
        let why = "pdb disruptions allowed is negative";
        return forbidden(why, why);
    }
    let waiting = budget.pointer("/status/disruptedPods").map_or(0, |it| it.members().len());
    if waiting > WAITING {
        return forbidden(
            "DisruptedPods map too big - too many evictions not confirmed by PDB controller",
            "too many pending evictions not confirmed by PDB controller",
        );
    }
    (allowed == 0).then(|| too_many(0, exhausted(budget, name)))
}

/// Why a budget allows no more disruptions.
fn exhausted(budget: Value<'_>, name: &str) -> String {
    let conditions = budget.pointer("/status/conditions").into_iter().flat_map(Value::items);
    let condition = conditions.into_iter().find(|it| text(*it, "/type") == "DisruptionAllowed");
    let said = condition.filter(|it| text(*it, "/status") == "False");
    let said = said.map(|it| (text(it, "/reason"), text(it, "/message")));
    let said = said.filter(|(_, message)| !message.is_empty());
    let healthy = number(budget, "/status/currentHealthy");
    let desired = number(budget, "/status/desiredHealthy");
    let plain = format!("The disruption budget {name} does not allow evicting pods currently");
    match said {
        Some(("SyncFailed", message)) => format!("{plain} because it failed sync: {message}"),
        _ if healthy <= desired => format!(
            "The disruption budget {name} needs {desired} healthy pods and has {healthy} currently"
        ),
        Some((reason, message)) => format!("{plain} ({reason}): {message}"),
        None => plain,
    }
}

/// A budget that has counted the eviction of a pod.
fn counted(mut budget: Document, pod: &str, now: &str) -> Document {
    let allowed = number(budget.root(), "/status/disruptionsAllowed") - 1;
    let generation = number(budget.root(), "/status/observedGeneration");
    let Some(status) = member(&mut budget, NodeId::ROOT, "status", NewValue::EmptyObject) else {
        return budget;
    };
    budget.insert(status, "disruptionsAllowed", allowed);
    if let Some(pods) = member(&mut budget, status, "disruptedPods", NewValue::EmptyObject) {
        budget.insert(pods, pod, now);
    }
    if allowed > 0 {
        return budget;
    }
    let condition = Document::object()
        .with("type", "DisruptionAllowed")
        .with("status", "False")
        .with("observedGeneration", generation)
        .with("lastTransitionTime", now)
        .with("reason", "InsufficientPods")
        .with("message", "");
    conditioned(budget, &condition)
}

fn is_ready(pod: Value<'_>) -> bool {
    let conditions = pod.pointer("/status/conditions").into_iter().flat_map(Value::items);
    conditions.into_iter().any(|it| text(it, "/type") == "Ready" && text(it, "/status") == "True")
}

fn text<'v>(object: Value<'v>, path: &str) -> &'v str {
    object.pointer(path).and_then(Value::as_str).unwrap_or_default()
}

fn number(object: Value<'_>, path: &str) -> i64 {
    object.pointer(path).and_then(Value::as_i64).unwrap_or_default()
}
