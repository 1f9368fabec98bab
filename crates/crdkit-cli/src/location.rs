//! Schema locations: templates of file names or URLs that hold a JSON Schema for each kind.
//!
//! The layout is kubeconform's, so that catalogues made for it can be used. A schema is fetched when
//! the first object of its kind is met, and once only.

use crate::crds::KnownSchema;
use crate::limits;
use crate::objects::Identity;
use crate::source::{Client, Fetched, read_file};
use anyhow::{Context as _, Result, bail};
use crdkit_codec::json;
use crdkit_engine::Crd;
use crdkit_structure::definitions;
use crdkit_text::kind::GroupVersionKind;
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

const DEFAULT: &str = "https://raw.githubusercontent.com/yannh/kubernetes-json-schema/master";
const LAYOUT: &str = "/{{ .NormalizedKubernetesVersion }}-standalone{{ .StrictSuffix }}/{{ .ResourceKind }}{{ .KindSuffix }}.json";

/// All schema locations of a run.
#[derive(Default)]
pub(crate) struct Locations {
    templates: Vec<Template>,
    kubernetes_version: String,
    strict: bool,
    client: Arc<Client>,
    found: Mutex<HashMap<String, Arc<OnceLock<KnownSchema>>>>,
}

/// A schema location, unchanged, if its places can be filled in.
pub(crate) fn checked(text: &str) -> Result<String, String> {
    Template::parse(text).map(|_| text.to_owned()).map_err(|error| error.to_string())
}

/// Text with places to fill in.
struct Template(Vec<TemplatePart>);

enum TemplatePart {
    Text(String),
    Placeholder(Placeholder),
}

#[derive(Clone, Copy)]
enum Placeholder {
    KubernetesVersion,
    StrictSuffix,
    Kind,
    ApiVersion,
    Group,
    KindSuffix,
}

impl Locations {
    /// Locations as `texts` name them, in the order they are looked at.
    pub(crate) fn new(
        texts: &[String],
        kubernetes_version: &str,
        strict: bool,
        client: Arc<Client>,
    ) -> Result<Self> {
        let templates = texts.iter().map(|text| Template::parse(text)).collect::<Result<_>>()?;
        let kubernetes_version = match kubernetes_version {
            "master" => "master".to_owned(),
            version => format!("v{version}"),
        };
        Ok(Self { templates, kubernetes_version, strict, client, found: Mutex::default() })
    }

    /// What the first location that has something says about an object's kind.
    pub(crate) fn get(&self, identity: &Identity) -> KnownSchema {
        if self.templates.is_empty() {
            return KnownSchema::Nothing;
        }
        let key = format!("{}/{}", identity.api_version(), identity.gvk.kind);
        let cell = {
            let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(found.entry(key).or_default())
        };
        cell.get_or_init(|| {
            self.look(identity).unwrap_or_else(|error| KnownSchema::Unusable(format!("{error:#}")))
        })
        .clone()
    }

    fn look(&self, identity: &Identity) -> Result<KnownSchema> {
        // What an object calls itself is part of a file name, and must not lead out of where that is.
        let GroupVersionKind { group, version, kind } = &identity.gvk;
        if [group, version, kind].into_iter().any(|name| name.contains(['/', '\\']) || name == "..")
        {
            return Ok(KnownSchema::Nothing);
        }
        for template in &self.templates {
            let name = template.fill(identity, &self.kubernetes_version, self.strict);
            let Some(bytes) = self.read(&name)? else { continue };
            let decoded = json::decode(&bytes, &limits::decoding())
                .map_err(|issue| anyhow::anyhow!("{issue}"))
                .with_context(|| format!("`{name}` is not JSON"))?;
            let crd = definitions::crd_of_schema(&identity.gvk, decoded.document.root());
            let (crd, unjudged) = crd.with_context(|| format!("`{name}` is too large"))?;
            if let Some(unjudged) = unjudged {
                return Ok(KnownSchema::Unusable(format!("`{name}` has {unjudged}")));
            }
            return Ok(match Crd::compile(&crd) {
                Ok(crd) => KnownSchema::Schema(crd),
                Err(error) => KnownSchema::Unusable(error.to_string()),
            });
        }
        Ok(KnownSchema::Nothing)
    }

    fn read(&self, name: &str) -> Result<Option<Vec<u8>>> {
        if name.starts_with("http://") || name.starts_with("https://") {
            self.client.allow_unpinned(name)?;
            return Ok(match self.client.get(name)? {
                Fetched::Found(bytes) => Some(bytes),
                Fetched::Missing => None,
            });
        }
        match read_file(Path::new(name)) {
            Ok(bytes) => {
                self.client.say(&format!("{name}: {} bytes", bytes.len()));
                Ok(Some(bytes))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                self.client.say(&format!("{name}: not there"));
                Ok(None)
            }
            Err(error) => Err(error).with_context(|| format!("`{name}` cannot be read")),
        }
    }
}

impl Template {
    fn parse(text: &str) -> Result<Self> {
        let text = match text {
            "default" => format!("{DEFAULT}{LAYOUT}"),
            text if text.ends_with("json") => text.to_owned(),
            text => format!("{}{LAYOUT}", text.trim_end_matches('/')),
        };
        let mut parts = Vec::new();
        let mut rest = text.as_str();
        while let Some((before, after)) = rest.split_once("{{") {
            let Some((name, after)) = after.split_once("}}") else {
                bail!("`{text}` has `{{{{` without `}}}}`");
            };
            parts.push(TemplatePart::Text(before.to_owned()));
            parts.push(TemplatePart::Placeholder(match name.trim().trim_matches('-').trim() {
                ".NormalizedKubernetesVersion" => Placeholder::KubernetesVersion,
                ".StrictSuffix" => Placeholder::StrictSuffix,
                ".ResourceKind" => Placeholder::Kind,
                ".ResourceAPIVersion" => Placeholder::ApiVersion,
                ".Group" => Placeholder::Group,
                ".KindSuffix" => Placeholder::KindSuffix,
                name => bail!(
                    "`{text}` has `{name}`; it may have .Group, .ResourceKind, \
                     .ResourceAPIVersion, .KindSuffix, .StrictSuffix and .NormalizedKubernetesVersion"
                ),
            }));
            rest = after;
        }
        parts.push(TemplatePart::Text(rest.to_owned()));
        Ok(Self(parts))
    }

    fn fill(&self, identity: &Identity, kubernetes_version: &str, strict: bool) -> String {
        let GroupVersionKind { group, version, kind } = &identity.gvk;
        let (kind, suffix) = (kind.to_lowercase(), kind_suffix(group, version));
        let parts = self.0.iter().map(|part| match part {
            TemplatePart::Text(text) => text.as_str(),
            TemplatePart::Placeholder(placeholder) => match placeholder {
                Placeholder::KubernetesVersion => kubernetes_version,
                Placeholder::StrictSuffix if strict => "-strict",
                Placeholder::StrictSuffix => "",
                Placeholder::Kind => &kind,
                Placeholder::ApiVersion => version,
                // Kinds without a group have their version in its place.
                Placeholder::Group if group.is_empty() => version,
                Placeholder::Group => group,
                Placeholder::KindSuffix => &suffix,
            },
        });
        parts.collect()
    }
}

/// The first word of the group, and the version.
fn kind_suffix(group: &str, version: &str) -> String {
    let version = version.to_lowercase();
    match group.split('.').next() {
        None | Some("") => format!("-{version}"),
        Some(word) => format!("-{}-{version}", word.to_lowercase()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crdkit_text::kind::GroupVersion;

    #[test]
    fn templates_are_filled_as_kubeconform_does() {
        let fill = |template: &str, group: &str, version: &str, kind: &str| {
            let gvk = GroupVersion { group, version }.kind(kind);
            let identity = Identity { gvk, ..Identity::default() };
            Template::parse(template).unwrap().fill(&identity, "v1.30.0", true)
        };
        let standalone = "x/v1.30.0-standalone-strict";
        for (group, version, kind, name) in [
            ("", "v1", "Service", "service-v1.json"),
            ("apps", "v1", "Deployment", "deployment-apps-v1.json"),
            ("networking.k8s.io", "v1", "Ingress", "ingress-networking-v1.json"),
        ] {
            assert_eq!(fill("x", group, version, kind), format!("{standalone}/{name}"));
        }
        let catalogue = "c/{{.Group}}/{{ .ResourceKind }}_{{.ResourceAPIVersion}}.json";
        assert_eq!(fill(catalogue, "example.com", "v1", "Lamp"), "c/example.com/lamp_v1.json");
        assert_eq!(fill(catalogue, "", "v1", "Pod"), "c/v1/pod_v1.json");
        assert!(Template::parse("{{ .Nothing }}.json").is_err());
        assert!(Template::parse("{{ .Group").is_err());
    }
}
