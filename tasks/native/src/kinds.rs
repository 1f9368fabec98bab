//! Kinds: names, verbs, subresources, columns and how the server treats their objects.

use crate::facts::{Facts, flag, items, text, texts};
use crate::types::Names;
use crate::write::Section;
use anyhow::{Result, bail};
use serde_json::Value;

/// Writes the objects that a server makes itself, and all kinds.
pub(crate) fn write(facts: &Facts, names: &Names<'_>, out: &mut Section) -> Result<()> {
    let present = facts.kinds.get("presentAtStart").cloned().unwrap_or_default();
    out.text(&present.to_string());
    out.list(items(&facts.kinds, "kinds"), |out, kind| {
        write_kind(kind, names, out)?;
        let version = match text(kind, "group") {
            "" => text(kind, "version").to_owned(),
            group => format!("{group}/{}", text(kind, "version")),
        };
        let name = format!("{version}/{}", text(kind, "kind"));
        for behaviour in ["anyFinalizer", "countsEmpty"] {
            out.flag(texts(&facts.behaviours, behaviour).contains(&&*name));
        }
        let unchecked = facts.behaviours.get("uncheckedOnUpdate");
        out.texts(&unchecked.map(|kinds| texts(kinds, &name)).unwrap_or_default());
        Ok(())
    })
}

fn write_kind(kind: &Value, names: &Names<'_>, out: &mut Section) -> Result<()> {
    for key in ["group", "version", "kind", "listKind", "plural", "singular"] {
        out.text(text(kind, key));
    }
    for key in ["shortNames", "categories", "verbs"] {
        out.texts(&texts(kind, key));
    }
    out.flag(flag(kind, "namespaced"));
    out.list(items(kind, "subresources"), |out, sub| {
        for key in ["name", "group", "version", "kind"] {
            out.text(text(sub, key));
        }
        out.texts(&texts(sub, "verbs"));
        Ok(())
    })?;
    out.number(names.number(text(kind, "schema"))?);
    out.text(text(kind, "preferredVersion"));
    out.text(text(kind, "warning"));
    let none = Value::Null;
    let storage = kind.get("storage").unwrap_or(&none);
    for key in ["apiVersion", "kind", "encoding", "key"] {
        out.text(text(storage, key));
    }
    out.list(items(kind, "columns"), |out, column| {
        for key in ["name", "type", "format", "cell", "computed"] {
            out.text(text(column, key));
        }
        let priority = column.get("priority").and_then(Value::as_u64).unwrap_or_default();
        out.number(usize::try_from(priority)?);
        Ok(())
    })?;
    behaviour(
        kind.get("behaviour").unwrap_or(&none),
        text(kind, "group"),
        text(kind, "plural") == "pods",
        out,
    )
}

fn behaviour(facts: &Value, group: &str, is_pod: bool, out: &mut Section) -> Result<()> {
    out.flag(facts.get("stored").and_then(Value::as_bool).unwrap_or(true));
    out.flag(flag(facts, "putWithoutResourceVersion"));
    out.flag(flag(facts, "putCreatesMissing"));
    out.flag(text(facts, "deleteReturns") == "object");
    out.flag(text(facts, "defaultPropagation") == "Orphan");
    out.texts(&texts(facts, "finalizersOnCreate"));
    out.texts(&texts(facts, "fieldSelectors"));
    let none = Value::Null;
    let generation = facts.get("generation").unwrap_or(&none);
    out.flag(generation.get("onCreate").is_some_and(|it| !it.is_null()));
    out.texts(&texts(generation, "bumpedBy"));
    let name = facts.get("name").unwrap_or(&none);
    let max = name.get("max").and_then(Value::as_u64).unwrap_or_default();
    out.number(match text(name, "format") {
        "" | "pathSegment" => 0,
        "dns1123Subdomain" => 1,
        "dns1123Label" => 2,
        "canonical IP" => 3,
        "{plural}.{group}" | "{version}.{group}" => 4,
        format if format.starts_with("dns1123Subdomain, with a signer") => 5,
        format => bail!("`{format}` is not a known format of names"),
    });
    out.number(usize::try_from(max)?);
    let status = facts.get("status").unwrap_or(&none);
    out.flag(!status.is_null());
    out.flag(text(status, "create") == "kept");
    let update = status.get("updateStatus").unwrap_or(&none);
    out.texts(&texts(update, "takes"));
    let scale = facts.get("scale").unwrap_or(&none);
    for key in ["specReplicas", "statusReplicas"] {
        out.text(text(scale, key));
    }
    let ttl = facts.get("ttlSeconds").and_then(Value::as_u64).unwrap_or_default();
    out.number(usize::try_from(ttl)?);
    // Where the server's registry of kinds was made, which its answers name.
    out.text(match group {
        "apiextensions.k8s.io" => "k8s.io/apiextensions-apiserver/pkg/apiserver/apiserver.go:56",
        "apiregistration.k8s.io" => "k8s.io/kube-aggregator/pkg/apiserver/scheme/scheme.go:28",
        _ => "pkg/api/legacyscheme/scheme.go:30",
    });
    // Admission plugins have defaults for pods only.
    out.flag(is_pod);
    Ok(())
}
