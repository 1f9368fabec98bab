//! Artifacts of registries: Helm charts, and layers that are archives or files, over the registry's HTTP protocol.
//!
//! Takes `oci://HOST/REPOSITORY[:TAG][@DIGEST]`, gives the files of all layers and the digest of the manifest. What
//! comes in is compared with the digest that names it. Registries on this machine are asked without TLS, as other
//! clients do.

use super::http::HttpAnswer;
use super::{Client, FoundEntries, Resolved, archive, digest};
use crate::input::InputEntry;
use anyhow::{Context as _, Result, bail};
use crdkit_codec::Format;
use serde_json::Value as Json;
use std::path::PathBuf;

const ACCEPT: &str = "application/vnd.oci.image.manifest.v1+json, \
     application/vnd.oci.image.index.v1+json, \
     application/vnd.docker.distribution.manifest.v2+json, \
     application/vnd.docker.distribution.manifest.list.v2+json";
const TITLE: &str = "org.opencontainers.image.title";

/// What `source` leads to; `at` is the digest of the manifest, where that is decided.
pub(super) fn read(source: &str, at: Option<&str>, client: &Client) -> Result<Resolved> {
    if client.is_offline() {
        bail!("a registry is on the network, and `--offline` was given");
    }
    let reference = Reference::parse(source)?;
    let mut registry = Registry { client, reference: &reference, authorization: None };
    let wanted = at.unwrap_or(&reference.wanted);
    let (manifest, resolved) = registry.manifest(wanted)?;
    let manifest = match manifest.get("manifests").and_then(Json::as_array) {
        // One for each platform; what is asked for here is the same on all of them.
        Some(list) => {
            let first = list.iter().find_map(|it| it.get("digest")?.as_str());
            registry.manifest(first.context("the index names no manifest")?)?.0
        }
        None => manifest,
    };
    let mut found = FoundEntries::default();
    let mut other = Vec::new();
    for layer in manifest.get("layers").and_then(Json::as_array).into_iter().flatten() {
        let text = |key: &str| layer.get(key).and_then(Json::as_str).unwrap_or_default();
        let (media_type, id) = (text("mediaType"), text("digest"));
        let title = layer.get("annotations").and_then(|it| it.get(TITLE)).and_then(Json::as_str);
        let Some(form) = LayerForm::of(media_type, title) else {
            other.push(media_type.to_owned());
            continue;
        };
        let bytes = registry.blob(id)?;
        let name = format!("{source}#{}", title.unwrap_or_default());
        match form {
            LayerForm::Archive => {
                found.extend(archive::unpack(
                    name.trim_end_matches('#'),
                    &bytes,
                    client.unpacked(),
                )?);
            }
            LayerForm::File(format) => {
                let entry = InputEntry::memory(&name, bytes);
                found.entries.push(InputEntry { format: Some(format), ..entry });
            }
        }
    }
    if found.entries.is_empty() && found.left_out.is_empty() {
        let other = if other.is_empty() { "nothing".to_owned() } else { other.join(", ") };
        bail!("there is no archive, YAML or JSON in it; it has {other}");
    }
    Ok(Resolved { found, at: Some(resolved) })
}

/// How the files of a layer are packed.
enum LayerForm {
    Archive,
    File(Format),
}

impl LayerForm {
    /// By its type, and by the name of the file where that says nothing.
    fn of(media_type: &str, title: Option<&str>) -> Option<Self> {
        let is_signature = media_type.contains("provenance") || media_type.contains("signature");
        let packed = media_type.contains("tar+gzip") || media_type.contains("tar.gzip");
        if is_signature {
            None
        } else if packed || media_type.ends_with("tar") {
            Some(Self::Archive)
        } else if media_type.ends_with("yaml") {
            Some(Self::File(Format::Yaml))
        } else if let Some(title) = title {
            let file = Format::of_name(title.as_ref()).map(Self::File);
            file.or_else(|| archive::is_archive(title).then_some(Self::Archive))
        } else {
            media_type.ends_with("json").then_some(Self::File(Format::Json))
        }
    }
}

/// `oci://HOST/REPOSITORY[:TAG][@DIGEST]`.
struct Reference {
    host: String,
    repository: String,
    /// The digest, or else the tag.
    wanted: String,
}

impl Reference {
    fn parse(source: &str) -> Result<Self> {
        let usage = "write `oci://HOST/REPOSITORY:TAG` or `oci://HOST/REPOSITORY@sha256:…`";
        let rest = source.strip_prefix("oci://").context(usage)?;
        let (rest, id) = match rest.split_once('@') {
            Some((rest, id)) => (rest, Some(id)),
            None => (rest, None),
        };
        let (host, path) = rest.split_once('/').context(usage)?;
        let (repository, tag) = path.split_once(':').unwrap_or((path, "latest"));
        let wanted = id.unwrap_or(tag);
        // Helm writes `_` for the `+` of a version, which a tag cannot have.
        let wanted = wanted.replace('+', "_");
        let plain = |text: &str, more: &str| {
            !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || more.contains(c))
        };
        let is_path = plain(repository, "._-/")
            && repository.split('/').all(|it| plain(it, "._-") && it != "..");
        if !plain(host, ".-:[]") || !is_path || !plain(&wanted, "._-:") {
            bail!(usage);
        }
        Ok(Self { host: host.to_owned(), repository: repository.to_owned(), wanted })
    }

    /// The address of something in the repository.
    fn url(&self, what: &str, id: &str) -> String {
        let scheme = if is_here(&self.host) { "http" } else { "https" };
        format!("{scheme}://{}/v2/{}/{what}/{id}", self.host, self.repository)
    }
}

/// Whether a host is this machine.
fn is_here(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let is_loopback = name.parse::<std::net::IpAddr>().is_ok_and(|it| it.is_loopback());
    is_loopback || name == "localhost"
}

/// A registry that may want to know who asks.
struct Registry<'r> {
    client: &'r Client,
    reference: &'r Reference,
    authorization: Option<String>,
}

impl Registry<'_> {
    /// A manifest by tag or digest, and its digest.
    fn manifest(&mut self, wanted: &str) -> Result<(Json, String)> {
        let body = self.get(&self.reference.url("manifests", wanted))?;
        let found = digest(&body);
        if wanted.starts_with("sha256:") && wanted != found {
            bail!("the registry sends {found} for {wanted}");
        }
        let manifest = serde_json::from_slice(&body).context("the manifest is not JSON")?;
        Ok((manifest, found))
    }

    fn blob(&mut self, id: &str) -> Result<Vec<u8>> {
        if !id.starts_with("sha256:") || id.contains('/') {
            bail!("a layer is named `{id}`, which is not a SHA-256 digest");
        }
        let body = self.get(&self.reference.url("blobs", id))?;
        match digest(&body) {
            found if found == id => Ok(body),
            found => bail!("the registry sends {found} for {id}"),
        }
    }

    fn get(&mut self, url: &str) -> Result<Vec<u8>> {
        let mut answer = self.ask(url)?;
        if answer.status == 401 && self.authorization.is_none() {
            self.authorization = Some(self.log_in(&answer)?);
            answer = self.ask(url)?;
        }
        match answer.status {
            200 => Ok(answer.body),
            401 | 403 => bail!("the registry does not allow it (status {})", answer.status),
            404 => bail!("the registry does not have it (status 404)"),
            status => bail!("the registry answers with status {status}"),
        }
    }

    fn ask(&self, url: &str) -> Result<HttpAnswer> {
        let mut headers = vec![("accept", ACCEPT)];
        headers.extend(self.authorization.as_deref().map(|it| ("authorization", it)));
        self.client.ask(url, &headers)
    }

    /// What to send along, as the registry asked for it.
    fn log_in(&self, answer: &HttpAnswer) -> Result<String> {
        let known = credentials(&self.reference.host);
        let advice = "log in with `docker login` or `helm registry login`; helpers that keep \
             passwords elsewhere are not asked";
        let Some(parameters) = answer.challenge.strip_prefix("Bearer ") else {
            return known.map(|it| format!("Basic {it}")).context(advice);
        };
        let parameter = |name: &str| parameter(parameters, name).unwrap_or_default();
        let realm = parameter("realm");
        let host = realm.split_once("://").map(|(_, rest)| rest.split('/').next().unwrap_or(rest));
        let is_safe = realm.starts_with("https://") || host.is_some_and(is_here);
        if !is_safe {
            bail!("the registry wants tokens from `{realm}`, which is not safe");
        }
        let scope = match parameter("scope") {
            "" => format!("repository:{}:pull", self.reference.repository),
            scope => scope.to_owned(),
        };
        let join = if realm.contains('?') { '&' } else { '?' };
        let (service, scope) = (encoded(parameter("service")), encoded(&scope));
        let url = format!("{realm}{join}service={service}&scope={scope}");
        let basic = known.map(|it| format!("Basic {it}"));
        let headers: Vec<_> = basic.iter().map(|it| ("authorization", it.as_str())).collect();
        let answer = self.client.ask(&url, &headers)?;
        if answer.status != 200 {
            bail!("the registry gives no token (status {}); {advice}", answer.status);
        }
        let token: Json = serde_json::from_slice(&answer.body).context("the token is not JSON")?;
        let token = ["token", "access_token"].iter().find_map(|key| token.get(key)?.as_str());
        token.map(|it| format!("Bearer {it}")).context("the registry gives no token")
    }
}

/// A parameter of a challenge such as `realm="https://…",service="…"`.
fn parameter<'p>(parameters: &'p str, name: &str) -> Option<&'p str> {
    let mut rest = parameters;
    loop {
        let (key, after) = rest.split_once('=')?;
        let (value, after) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"')?,
            None => after.split_once(',').unwrap_or((after, "")),
        };
        if key.trim_matches([',', ' ']).eq_ignore_ascii_case(name) {
            return Some(value);
        }
        rest = after;
    }
}

/// Text as a part of a query.
fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/:".contains(&byte);
    let one = |byte: u8| match byte {
        byte if plain(byte) => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(one).collect()
}

/// Name and password for a host as `docker login` and `helm registry login` keep them.
fn credentials(host: &str) -> Option<String> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let docker = std::env::var_os("DOCKER_CONFIG").map(PathBuf::from);
    let docker = docker.or_else(|| Some(home.as_ref()?.join(".docker")));
    let helm = std::env::var_os("HELM_REGISTRY_CONFIG").map(PathBuf::from);
    let helm = helm.or_else(|| Some(home?.join(".config/helm/registry/config.json")));
    let files = [helm, docker.map(|it| it.join("config.json"))];
    files.into_iter().flatten().find_map(|file| {
        let settings: Json = serde_json::from_slice(&super::read_file(&file).ok()?).ok()?;
        let known = settings.get("auths")?.as_object()?;
        let entry = known.get(host).or_else(|| known.get(&format!("https://{host}")))?;
        entry.get("auth")?.as_str().filter(|it| !it.is_empty()).map(str::to_owned)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_read_as_other_clients_do() {
        let read = |text: &str| {
            Reference::parse(text).ok().map(|it| (it.url("manifests", &it.wanted), it.repository))
        };
        let url = |text: &str| read(text).map(|it| it.0);
        let https = "https://ghcr.io/v2/a/b/manifests";
        assert_eq!(url("oci://ghcr.io/a/b:1.2.0").unwrap(), format!("{https}/1.2.0"));
        assert_eq!(url("oci://ghcr.io/a/b").unwrap(), format!("{https}/latest"));
        assert_eq!(url("oci://ghcr.io/a/b:1.2.0+x").unwrap(), format!("{https}/1.2.0_x"));
        assert_eq!(url("oci://ghcr.io/a/b:1@sha256:ab").unwrap(), format!("{https}/sha256:ab"));
        let here = "http://localhost:5000/v2/a/manifests/latest";
        assert_eq!(url("oci://localhost:5000/a").unwrap(), here);
        for wrong in
            ["oci:", "oci://", "oci://host", "oci://host/", "oci://h/a/../b", "oci://h/a?x"]
        {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn challenges_are_read() {
        let text = r#"realm="https://a/token",service="a b", scope="x:y:pull,push""#;
        assert_eq!(parameter(text, "realm"), Some("https://a/token"));
        assert_eq!(parameter(text, "scope"), Some("x:y:pull,push"));
        assert_eq!(parameter(text, "other"), None);
        assert_eq!(parameter("realm=a,service=b", "service"), Some("b"));
        assert_eq!(encoded("a b&c:d"), "a%20b%26c:d");
    }
}
