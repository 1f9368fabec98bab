//! Objects to measure with: plausible, and the same every time.

use std::fmt::Write as _;

/// A `List` of `n` objects as compact JSON: half deployments, half maps of settings.
pub(crate) fn list(n: usize) -> String {
    let mut out = String::from(r#"{"apiVersion":"v1","kind":"List","items":["#);
    for i in 0..n {
        if i > 0 {
            out.push(',');
        }
        out.push_str(&object(i));
    }
    out.push_str("]}");
    out
}

/// One object as compact JSON.
pub(crate) fn object(i: usize) -> String {
    let mut out = String::new();
    if i.is_multiple_of(2) {
        let _ = write!(
            out,
            r#"{{"apiVersion":"apps/v1","kind":"Deployment","metadata":{{"name":"web-{i}","namespace":"team-{}","labels":{{"app.kubernetes.io/name":"web-{i}","app.kubernetes.io/part-of":"shop","tier":"frontend"}},"annotations":{{"deployment.kubernetes.io/revision":"{i}","description":"Serves \"the shop\" to customers\nand nobody else."}}}},"spec":{{"replicas":{},"selector":{{"matchLabels":{{"app.kubernetes.io/name":"web-{i}"}}}},"strategy":{{"type":"RollingUpdate","rollingUpdate":{{"maxSurge":"25%","maxUnavailable":0}}}},"template":{{"metadata":{{"labels":{{"app.kubernetes.io/name":"web-{i}","tier":"frontend"}}}},"spec":{{"serviceAccountName":"web","terminationGracePeriodSeconds":30,"containers":[{{"name":"web","image":"registry.example.com/shop/web:1.{i}.0","imagePullPolicy":"IfNotPresent","args":["--port=8080","--log-level=info","--weight=0.{i}"],"ports":[{{"name":"http","containerPort":8080,"protocol":"TCP"}},{{"name":"metrics","containerPort":9090,"protocol":"TCP"}}],"env":[{{"name":"REGION","value":"eu-central-{}"}},{{"name":"POD_NAME","valueFrom":{{"fieldRef":{{"fieldPath":"metadata.name"}}}}}},{{"name":"DEBUG","value":"false"}}],"resources":{{"requests":{{"cpu":"250m","memory":"128Mi"}},"limits":{{"memory":"512Mi"}}}},"readinessProbe":{{"httpGet":{{"path":"/healthz","port":"http"}},"periodSeconds":5,"failureThreshold":3}},"securityContext":{{"readOnlyRootFilesystem":true,"runAsNonRoot":true,"capabilities":{{"drop":["ALL"]}}}},"volumeMounts":[{{"name":"config","mountPath":"/etc/web"}}]}}],"volumes":[{{"name":"config","configMap":{{"name":"web-{i}","defaultMode":420}}}}]}}}}}},"status":{{"observedGeneration":{i},"replicas":3,"conditions":[{{"type":"Available","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z","reason":"MinimumReplicasAvailable","message":"Deployment has minimum availability."}}]}}}}"#,
            i % 17,
            i % 9 + 1,
            i % 3
        );
    } else {
        let _ = write!(
            out,
            r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"web-{i}","namespace":"team-{}","uid":"5b1c{i:08x}-9d0e-4f6a-8a57-0c3b2a1d4e5f","generation":{i}}},"data":{{"server.yaml":"listen: 0.0.0.0:8080\nroutes:\n  - path: /\n    to: home\n  - path: /cart\n    to: cart\n","weights":"0.25,0.5,0.25","feature-flags":"checkout-v2,search-beta","timeout":"30s"}},"immutable":false,"weight":{}.5}}"#,
            i % 17,
            i % 100
        );
    }
    out
}
