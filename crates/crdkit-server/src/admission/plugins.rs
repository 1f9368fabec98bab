//! The admission that comes with Kubernetes, between a request and the store: plugins read objects from it, and quotas
//! are counted in it.

use super::gate::{Change, wait};
use crate::configured;
use crate::core::WriteFailure;
use crate::rules::Rules;
use crate::stored::metadata_text;
use crate::verbs::Target;
use crdkit_admission::plugins::quota::{self, Charge};
use crdkit_admission::{AdmissionRequest, Operation, Remarks};
use crdkit_schema::status::Status;
use crdkit_store::{Expect, Revision, Write};
use crdkit_value::Document;

/// How often a quota is counted again that others have counted meanwhile.
const ATTEMPTS: usize = 100;

impl Target<'_> {
    /// Lets plugins change an object.
    pub(super) fn ask_plugins(
        &self,
        change: Change<'_>,
        object: &mut Document,
    ) -> Result<(), Box<Status>> {
        let changed =
            [("", "Pod"), ("", "PersistentVolumeClaim"), ("networking.k8s.io", "Ingress")];
        if self.subresource.is_some_and(|it| it != "binding") || !self.is_native(&changed) {
            return Ok(());
        }
        let asked = object.clone();
        self.describe(change, Some(&asked), |request| {
            self.core.settings.plugins.mutate(request, object, &|group, resource, namespace| {
                self.find(group, resource, namespace)
            })
        })
    }

    /// Whether plugins judge objects of this kind.
    pub(super) fn is_judged(&self) -> bool {
        self.is_native(&[
            ("", "Namespace"),
            ("", "PersistentVolumeClaim"),
            ("", "Pod"),
            ("", "PodTemplate"),
            ("", "ReplicationController"),
            ("apps", "DaemonSet"),
            ("apps", "Deployment"),
            ("apps", "ReplicaSet"),
            ("apps", "StatefulSet"),
            ("batch", "CronJob"),
            ("batch", "Job"),
            ("networking.k8s.io", "Ingress"),
            ("scheduling.k8s.io", "PriorityClass"),
        ])
    }

    pub(super) fn judge_by_plugins(
        &self,
        request: &AdmissionRequest<'_>,
        remarks: &mut Remarks,
    ) -> Result<(), Box<Status>> {
        if !self.is_judged() {
            return Ok(());
        }
        let find =
            |group: &str, resource: &str, namespace: &str| self.find(group, resource, namespace);
        self.core.settings.plugins.validate(request, &find, remarks)
    }

    /// The quotas that a request may use up.
    pub(super) fn quotas(&self, operation: Operation) -> Vec<Document> {
        let counts = matches!(operation, Operation::Create | Operation::Update);
        match self.namespace {
            Some(namespace) if counts && self.core.settings.plugins.has("ResourceQuota") => {
                self.find("", "resourcequotas", namespace)
            }
            _ => Vec::new(),
        }
    }

    /// Counts what a request uses up in `quotas`.
    ///
    /// # Errors
    /// The answer, when a quota does not allow it.
    pub(super) fn charge(
        &self,
        request: &AdmissionRequest<'_>,
        mut quotas: Vec<Document>,
    ) -> Result<(), Box<Status>> {
        if quotas.is_empty() || !quota::concerns(request) {
            return Ok(());
        }
        for _ in 0..ATTEMPTS {
            let charges = quota::charge(request, &quotas)?;
            if request.dry_run {
                return Ok(());
            }
            let lost = wait(self.count(request.namespace, charges))?;
            if lost.is_empty() {
                return Ok(());
            }
            // Those that were counted are not counted again.
            quotas = self.find("", "resourcequotas", request.namespace);
            quotas.retain(|quota| lost.iter().any(|it| it == metadata_text(quota.root(), "name")));
        }
        Err(Status::timeout("resource quota evaluation timed out", 1).into())
    }

    /// Stores new counts, and names the quotas that have changed meanwhile.
    async fn count(
        &self,
        namespace: &str,
        charges: Vec<Charge>,
    ) -> Result<Vec<String>, Box<Status>> {
        let mut lost = Vec::new();
        let Some(served) = self.core.find("", "v1", "resourcequotas") else { return Ok(lost) };
        for Charge { name, mut quota } in charges {
            let revision = metadata_text(quota.root(), "resourceVersion").parse();
            let expected = Expect::At(Revision(revision.unwrap_or_default()));
            let key = served.key(&self.core.layout, Some(namespace), &name);
            let value = served.encode(&mut quota, None).await?;
            let write = Write::put(&key, expected, value);
            match self.core.write(&served, write).await {
                Ok(_) => {}
                Err(WriteFailure::Conflict(_)) => lost.push(name),
                Err(WriteFailure::Failed(status)) => return Err(status),
            }
        }
        Ok(lost)
    }

    fn find(&self, group: &str, resource: &str, namespace: &str) -> Vec<Document> {
        wait(configured::objects(self.core, group, resource, namespace))
    }

    fn is_native(&self, kinds: &[(&str, &str)]) -> bool {
        matches!(&self.served.rules, Rules::Native(kind) if kinds.contains(&(kind.group, kind.kind)))
    }
}
