//! Texts of a size: CRDs and objects around a schema, and lists of things that differ in a number.

use std::fmt::Write as _;

/// What a case is about: one or two texts.
pub(crate) struct Input {
    pub(crate) first: Vec<u8>,
    pub(crate) second: Vec<u8>,
}

impl Input {
    pub(crate) fn one(text: impl Into<Vec<u8>>) -> Self {
        Self { first: text.into(), second: Vec::new() }
    }

    pub(crate) fn two(first: impl Into<Vec<u8>>, second: impl Into<Vec<u8>>) -> Self {
        Self { first: first.into(), second: second.into() }
    }

    pub(crate) fn size(&self) -> usize {
        self.first.len() + self.second.len()
    }
}

/// `write` for every number below `n`, with commas between.
pub(crate) fn list(n: usize, write: impl Fn(usize) -> String) -> String {
    let mut out = String::new();
    for at in 0..n {
        let _ = write!(out, "{}{}", if at > 0 { "," } else { "" }, write(at));
    }
    out
}

/// A CRD with versions that have these schemas for their `spec`.
pub(crate) fn crd(schemas: &[String]) -> String {
    crd_with(schemas, "")
}

/// The same with more names.
pub(crate) fn crd_with(schemas: &[String], names: &str) -> String {
    let versions = list(schemas.len(), |at| {
        let schema = schemas.get(at).map_or("", String::as_str);
        format!(
            r#"{{"name":"v{}","served":true,"storage":{},"schema":{{"openAPIV3Schema":{{"type":"object","properties":{{"spec":{schema}}}}}}}}}"#,
            at + 1,
            at == 0
        )
    });
    format!(
        r#"{{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{{"name":"lamps.example.com"}},"spec":{{"group":"example.com","scope":"Namespaced","names":{{"kind":"Lamp","plural":"lamps","singular":"lamp","listKind":"LampList"{names}}},"versions":[{versions}]}}}}"#
    )
}

/// A lamp with this `spec`.
pub(crate) fn lamp(spec: &str) -> String {
    format!(
        r#"{{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{{"name":"desk"}},"spec":{spec}}}"#
    )
}

/// A Deployment with so many containers.
pub(crate) fn deployment(n: usize) -> String {
    let containers = list(n, |at| {
        format!(
            r#"{{"name":"c{at}","image":"nginx","args":["a"],"env":[{{"name":"A","value":"1"}}]}}"#
        )
    });
    format!(
        r#"{{"apiVersion":"apps/v1","kind":"Deployment","metadata":{{"name":"web"}},"spec":{{"replicas":1,"selector":{{"matchLabels":{{"a":"b"}}}},"template":{{"metadata":{{"labels":{{"a":"b"}}}},"spec":{{"containers":[{containers}]}}}}}}}}"#
    )
}
