//! The Markdown cases below `resources/mdtest`.
//!
//! | Block | Meaning |
//! |---|---|
//! | `yaml cluster` | the objects that exist, in place of those before |
//! | `yaml object` | creates an object; a word after it is the name of who does |
//! | `yaml output` | what the last object became |
//! | `text message` | the server's message about the last object |
//! | `text warnings` | what whoever sent the last object is told |
//! | `text audit` | what the audit log is told about the last object |
//!
//! An object without a message after it is accepted, and nobody is told anything unless the case says so.

use crdkit_admission::plugins::{Plugins, quota};
use crdkit_admission::policy::PolicySet;
use crdkit_admission::{AdmissionRequest, Operation, Remarks, User};
use crdkit_codec::{DecodeOptions, Format, go_json};
use crdkit_patch::{Definitions, Schema, merge_configuration};
use crdkit_schema::status::Status;
use crdkit_testkit::Block;
use crdkit_text::kind::{GroupVersionKind, GroupVersionResource};
use crdkit_value::{Document, Value};
use std::path::Path;

#[test]
fn markdown_cases_hold() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("resources/mdtest");
    let mut failures = Vec::new();
    for blocks in crdkit_testkit::blocks(&directory) {
        run(&blocks, &mut failures);
    }
    assert!(failures.is_empty(), "\n{}\n", failures.join("\n\n"));
}

/// What became of an object.
struct Admitted {
    object: Document,
    message: String,
    warnings: Vec<String>,
    notes: Vec<String>,
}

fn run(blocks: &[Block], failures: &mut Vec<String>) {
    let mut cluster = Vec::new();
    let mut last: Option<Admitted> = None;
    for (at, block) in blocks.iter().enumerate() {
        let mut compare = |found: &str, wanted: &str| {
            if found != wanted {
                failures.push(format!("{}\nfound  {found}\nwanted {wanted}", block.place()));
            }
        };
        let follows = |word: &str| {
            let after = blocks.iter().skip(at + 1).take_while(|it| it.word(1) != "object");
            after.filter(|it| it.word(1) == word).count() > 0
        };
        match block.word(1) {
            "cluster" => cluster = documents(&block.text),
            "object" => {
                let object = documents(&block.text).pop().expect("an object");
                let admitted = admit(&cluster, object, block.word(2));
                if !follows("message") {
                    compare(&admitted.message, "");
                }
                if !follows("warnings") {
                    compare(&admitted.warnings.join("\n"), "");
                }
                last = Some(admitted);
            }
            word => {
                let last = last.as_ref().expect("an object comes first");
                match word {
                    "message" => compare(&last.message, block.text.trim()),
                    "audit" => compare(&last.notes.join("\n"), block.text.trim()),
                    "warnings" => compare(&last.warnings.join("\n"), block.text.trim()),
                    _ => {
                        let wanted = documents(&block.text).pop().expect("an object");
                        if last.object != wanted {
                            compare(
                                &go_json::value(last.object.root()),
                                &go_json::value(wanted.root()),
                            );
                        }
                    }
                }
            }
        }
    }
}

fn documents(text: &str) -> Vec<Document> {
    let parts = text.split("\n---\n").filter(|part| !part.trim().is_empty());
    let decode = |part: &str| {
        let decoded = Format::Yaml.decode(part.as_bytes(), &DecodeOptions::default());
        decoded.expect("the block is YAML").document
    };
    parts.map(decode).collect()
}

fn text<'v>(object: Value<'v>, pointer: &str) -> &'v str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// The resource of a kind.
fn plural(kind: &str) -> String {
    match kind {
        "Ingress" | "RuntimeClass" | "PriorityClass" | "StorageClass" | "IngressClass" => {
            format!("{}es", kind.to_lowercase())
        }
        _ => format!("{}s", kind.to_lowercase()),
    }
}

fn admit(cluster: &[Document], mut object: Document, user: &str) -> Admitted {
    let root = object.root();
    let kind = GroupVersionKind::of(text(root, "/apiVersion"), text(root, "/kind"));
    let resource = GroupVersionResource {
        group: kind.group.clone(),
        version: kind.version.clone(),
        resource: plural(&kind.kind),
    };
    let find = |group: &str, resource: &str, namespace: &str| {
        let is_meant = |it: &&Document| {
            let kind =
                GroupVersionKind::of(text(it.root(), "/apiVersion"), text(it.root(), "/kind"));
            let place = text(it.root(), "/metadata/namespace");
            kind.group == group
                && plural(&kind.kind) == resource
                && (namespace.is_empty() || place == namespace)
        };
        cluster.iter().filter(is_meant).cloned().collect::<Vec<_>>()
    };
    let policies = PolicySet::read(cluster.iter().cloned());
    let (name, namespace) =
        (text(root, "/metadata/name").to_owned(), text(root, "/metadata/namespace").to_owned());
    let user = User { name: user.to_owned(), ..User::default() };
    let sent = object.clone();
    let request = AdmissionRequest {
        operation: Operation::Create,
        kind: &kind,
        resource: &resource,
        subresource: "",
        equivalents: &[],
        name: &name,
        namespace: &namespace,
        user: &user,
        dry_run: false,
        options: None,
        object: Some(&sent),
        old_object: None,
        namespace_object: policies.namespace(&namespace),
        authorizer: None,
    };
    let mut remarks = Remarks::default();
    let plugins = Plugins::default();
    let refusal = (|| -> Result<(), Box<Status>> {
        plugins.mutate(&request, &mut object, &find)?;
        let unconverted = |object: &Document, _: &_| Ok(object.clone());
        let merge = |kind: &GroupVersionKind, object: &mut Document, made: &Document| {
            let version = kind.group_version().to_string();
            let schema = Schema::of_kind(Definitions::native(), &version, &kind.kind);
            merge_configuration(&schema.expect("a native kind"), object, made)
        };
        policies.mutate(&request, &mut object, &unconverted, &merge)?;
        let request = AdmissionRequest { object: Some(&object), ..request };
        plugins.validate(&request, &find, &mut remarks)?;
        let judgement = policies.judge(&request, &unconverted);
        remarks.warnings.extend(judgement.remarks.warnings);
        remarks.audit_annotations.extend(judgement.remarks.audit_annotations);
        judgement.refusal.map_or(Ok(()), |status| Err(Box::new(status)))?;
        if quota::concerns(&request) {
            quota::charge(&request, &find("", "resourcequotas", &namespace))?;
        }
        Ok(())
    })();
    let message = refusal.err().map(|status| status.message).unwrap_or_default();
    let notes = remarks.audit_annotations.into_iter();
    let notes = notes.map(|(key, value)| format!("{key}: {value}")).collect();
    Admitted { object, message, warnings: remarks.warnings, notes }
}
