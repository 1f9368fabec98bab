//! Asks webhooks whether a request may go on, and how its object is to change.
//!
//! Mutating webhooks are asked one after the other between reading and checking an object, validating ones together
//! after the check. Which they are is a snapshot that is replaced when a configuration changes; a request that no webhook
//! concerns costs a look at the rules. The first refusal is the answer.

mod call;
mod gate;
mod trust;

pub(crate) use gate::{Change, wait};

use crate::stored::metadata_text;
use arc_swap::ArcSwap;
use call::WebhookClient;
use crdkit_admission::policy::{self, FindParams, Policy, PolicyBinding};
use crdkit_admission::webhook::{self, Webhook, review};
use crdkit_admission::{AdmissionRequest, Match};
use crdkit_schema::status::Status;
use crdkit_value::{Document, Value};

use std::sync::Arc;

/// Who is asked, and what asks them.
#[derive(Default)]
pub(crate) struct Admission {
    configuration: ArcSwap<Configuration>,
    client: WebhookClient,
}

/// Webhooks in the order of their configurations' names, policies and their bindings.
#[derive(Default)]
pub(crate) struct Configuration {
    mutating: Vec<Webhook>,
    validating: Vec<Webhook>,
    policies: Vec<Policy>,
    bindings: Vec<PolicyBinding>,
}

/// Gives an object in another version of its kind.
pub(crate) type Convert<'c> =
    &'c (dyn Fn(&Document, &Match) -> Result<Document, Box<Status>> + Sync);

/// Changes an object as a JSON patch says, or says why it cannot.
pub(crate) type ApplyPatch<'p> = &'p (dyn Fn(&mut Document, &[u8]) -> Result<(), String> + Sync);

/// What a request has to say to whoever sent it and to the audit log.
#[derive(Debug, Default)]
pub(crate) struct Remarks {
    pub(crate) warnings: Vec<String>,
    pub(crate) audit: Vec<(String, String)>,
}

impl Configuration {
    /// What these objects configure, which come in any order.
    pub(crate) fn read(
        mutating: &[Document],
        validating: &[Document],
        policies: &[Document],
        bindings: &[Document],
    ) -> Self {
        Self {
            mutating: in_order(mutating).flat_map(webhook::read).collect(),
            validating: in_order(validating).flat_map(webhook::read).collect(),
            policies: in_order(policies).map(Policy::read).collect(),
            bindings: in_order(bindings).map(PolicyBinding::read).collect(),
        }
    }
}

/// Objects by name.
fn in_order(objects: &[Document]) -> impl Iterator<Item = Value<'_>> {
    let mut roots: Vec<_> = objects.iter().map(Document::root).collect();
    roots.sort_by_key(|root| metadata_text(*root, "name"));
    roots.into_iter()
}

impl Admission {
    /// Replaces who is asked.
    pub(crate) fn set(&self, configuration: Configuration) {
        self.configuration.store(Arc::new(configuration));
    }

    /// Whether there are mutating webhooks at all.
    pub(crate) fn has_mutating(&self) -> bool {
        !self.configuration.load().mutating.is_empty()
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
        )?;
        remarks.warnings.extend(judgement.warnings);
        remarks.audit.extend(judgement.audit_annotations);
        judgement.refusal.map_or(Ok(()), |status| Err(Box::new(status)))
    }

    /// The object as mutating webhooks want it.
    ///
    /// `object` is that of the request, in its version; the other objects are in `request`.
    ///
    /// # Errors
    /// The answer, when one refuses or could not be asked.
    pub(crate) async fn mutate(
        &self,
        uid: &str,
        request: &AdmissionRequest<'_>,
        object: &mut Document,
        (convert, patch): (Convert<'_>, ApplyPatch<'_>),
        remarks: &mut Remarks,
    ) -> Result<(), Box<Status>> {
        let configuration = self.configuration.load_full();
        // How often the object has changed when a webhook was last asked.
        let mut changes = 0_usize;
        let mut seen = vec![0_usize; configuration.mutating.len()];
        for again in [false, true] {
            for (webhook, seen) in configuration.mutating.iter().zip(&mut seen) {
                if again && (!webhook.reinvoked || *seen == changes) {
                    continue;
                }
                let request = AdmissionRequest { object: Some(object), ..*request };
                let answer = self.ask(webhook, uid, &request, convert, remarks).await?;
                let patched = match answer {
                    Some((mut asked, wanted)) if !wanted.is_empty() => {
                        match patch(&mut asked, &wanted) {
                            Ok(()) => Some(asked),
                            Err(problem) => {
                                webhook.failed(&problem)?;
                                None
                            }
                        }
                    }
                    _ => None,
                };
                if let Some(patched) = patched {
                    let back =
                        Match { resource: request.resource.clone(), kind: request.kind.clone() };
                    *object = convert(&patched, &back)?;
                    changes += 1;
                }
                *seen = changes;
            }
        }
        Ok(())
    }

    /// Asks validating webhooks about `request`.
    ///
    /// # Errors
    /// The answer, when one refuses or could not be asked.
    pub(crate) async fn validate(
        &self,
        uid: &str,
        request: &AdmissionRequest<'_>,
        convert: Convert<'_>,
        remarks: &mut Remarks,
    ) -> Result<(), Box<Status>> {
        let configuration = self.configuration.load_full();
        for webhook in &configuration.validating {
            self.ask(webhook, uid, request, convert, remarks).await?;
        }
        Ok(())
    }

    /// What a webhook was sent and the patch it answered; none if it was not asked, or could not be and that
    /// does not matter.
    async fn ask(
        &self,
        webhook: &Webhook,
        uid: &str,
        request: &AdmissionRequest<'_>,
        convert: Convert<'_>,
        remarks: &mut Remarks,
    ) -> Result<Option<(Document, Vec<u8>)>, Box<Status>> {
        let Some(matched) = webhook.matches(request) else { return Ok(None) };
        let is_same = matched.kind == *request.kind;
        let converted = |object: Option<&Document>| match object {
            Some(object) if !is_same => convert(object, &matched).map(Some),
            object => Ok(object.cloned()),
        };
        let (object, old_object) = (converted(request.object)?, converted(request.old_object)?);
        let request = AdmissionRequest {
            object: object.as_ref(),
            old_object: old_object.as_ref(),
            ..*request
        };
        if !webhook.concerns(&request, &matched)? {
            return Ok(None);
        }
        webhook.allows_dry_run(&request)?;
        let Some(version) = webhook.review_version else {
            let problem = "webhook does not accept known AdmissionReview versions (v1, v1beta1)";
            return webhook.failed(problem).map(|()| None);
        };
        let body = review::ask(version, uid, &request, &matched);
        let answer = self.client.post(&webhook.client, webhook.timeout_seconds, body).await;
        let answer = answer.and_then(|body| {
            let answer = review::read(&webhook.name, version, uid, &body);
            answer.map_err(|problem| format!("received invalid webhook response: {problem}"))
        });
        let answer = match answer {
            Ok(answer) => answer,
            Err(problem) => return webhook.failed(&problem).map(|()| None),
        };
        remarks.warnings.extend(answer.warnings);
        let audit = answer.audit_annotations.into_iter();
        remarks.audit.extend(audit.map(|(key, value)| (format!("{}/{key}", webhook.name), value)));
        match answer.refusal {
            Some(status) => Err(Box::new(status)),
            None => Ok(object.map(|object| (object, answer.patch))),
        }
    }
}
