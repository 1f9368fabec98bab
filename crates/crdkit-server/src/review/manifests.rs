//! What a cluster needs to ask a webhook: its configurations, a service, a deployment.

use super::Reviewer;
use crdkit_text::base64::Base64;
use std::fmt::Write as _;

/// What manifests are to say.
#[derive(Clone, Debug)]
pub struct ManifestOptions {
    /// The name of everything.
    pub name: String,
    /// The namespace of the service and the deployment.
    pub namespace: String,
    /// The image of the deployment.
    pub image: String,
    /// Certificates that the API server has to trust, as PEM; empty if something else puts them in.
    pub authority: String,
    /// The arguments of the webhook, its address and certificates aside.
    pub arguments: Vec<String>,
}

impl Reviewer {
    /// The manifests, as YAML.
    pub fn manifests(&self, options: &ManifestOptions) -> String {
        let ManifestOptions { name, namespace, image, authority, arguments } = options;
        let mut rules = String::new();
        for reviewed in self.reviewed() {
            let versions = reviewed.versions.join(", ");
            let _ = write!(
                rules,
                "\n    - {{apiGroups: [{}], apiVersions: [{versions}], resources: [{}, {}/*], operations: [CREATE, UPDATE]}}",
                reviewed.group, reviewed.plural, reviewed.plural
            );
        }
        if rules.is_empty() {
            rules.push_str(
                "\n    - {apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], operations: [CREATE, UPDATE]}",
            );
        }
        let trust = match authority.as_str() {
            "" => String::new(),
            authority => {
                format!("\n      caBundle: {}", Base64::Standard.encode(authority.as_bytes()))
            }
        };
        let mut out = String::new();
        for conversion in self.conversions() {
            let kind = conversion.kind();
            let _ = write!(
                out,
                "# In the CRD of {}.{}:\n# spec:\n#   conversion:\n#     strategy: Webhook\n#     webhook:\n#       conversionReviewVersions: [v1]\n#       clientConfig:\n#         service: {{name: {name}, namespace: {namespace}, path: /convert, port: 443}}{}\n",
                kind.kind,
                kind.group,
                trust.replace("\n      ", "\n#         ")
            );
        }
        let configurations = [
            ("MutatingWebhookConfiguration", "mutate"),
            ("ValidatingWebhookConfiguration", "validate"),
        ];
        // Who converts only is asked about no requests.
        for (kind, word) in configurations.into_iter().filter(|_| self.judges()) {
            let _ = write!(
                out,
                "apiVersion: admissionregistration.k8s.io/v1\nkind: {kind}\nmetadata:\n  name: {name}\nwebhooks:\n- name: {word}.{name}.crdkit.dev\n  admissionReviewVersions: [v1, v1beta1]\n  sideEffects: None\n  failurePolicy: Fail\n  timeoutSeconds: 5\n  clientConfig:\n    service: {{name: {name}, namespace: {namespace}, path: /{word}, port: 443}}{}\n  rules:{rules}\n---\n",
                trust.replace("\n      ", "\n    ")
            );
        }
        let mut list = String::new();
        let fixed =
            ["webhook", "--listen=0.0.0.0:8443", "--cert=/tls/tls.crt", "--key=/tls/tls.key"];
        for argument in fixed.into_iter().chain(arguments.iter().map(String::as_str)) {
            let _ = write!(list, "\n        - {}", crdkit_codec::go_json::string(argument));
        }
        let _ = write!(
            out,
            "apiVersion: v1\nkind: Service\nmetadata:\n  name: {name}\n  namespace: {namespace}\nspec:\n  selector: {{app: {name}}}\n  ports:\n  - {{port: 443, targetPort: 8443}}\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {name}\n  namespace: {namespace}\nspec:\n  replicas: 2\n  selector: {{matchLabels: {{app: {name}}}}}\n  template:\n    metadata:\n      labels: {{app: {name}}}\n    spec:\n      containers:\n      - name: webhook\n        image: {image}\n        args:{list}\n        ports:\n        - containerPort: 8443\n        readinessProbe:\n          httpGet: {{path: /readyz, port: 8443, scheme: HTTPS}}\n        securityContext:\n          allowPrivilegeEscalation: false\n          readOnlyRootFilesystem: true\n          runAsNonRoot: true\n          capabilities: {{drop: [ALL]}}\n          seccompProfile: {{type: RuntimeDefault}}\n        volumeMounts:\n        - {{name: tls, mountPath: /tls, readOnly: true}}\n      volumes:\n      - name: tls\n        secret: {{secretName: {name}-tls}}\n"
        );
        out
    }
}
