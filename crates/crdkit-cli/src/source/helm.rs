//! Charts of a repository: `helm+URL?chart=NAME&version=VERSION`.
//!
//! The index of the repository says where the archive of a version is and what its digest must be. Without a version
//! the newest release counts; `1.4` is the newest of `1.4.x`.

use super::{Client, Fetched, Resolved, archive, digest};
use crate::limits;
use anyhow::{Context as _, Result, anyhow, bail};
use crdkit_codec::yaml;
use crdkit_text::semver::Version;
use crdkit_value::Value;

/// What `text`, the source without `helm+`, leads to; `at` is the version, where that is decided.
pub(super) fn read(text: &str, at: Option<&str>, client: &Client) -> Result<Resolved> {
    const USAGE: &str = "write `helm+URL?chart=NAME&version=VERSION`";
    let (url, query) = text.split_once('?').context(USAGE)?;
    let (mut chart, mut wanted) = ("", "");
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        match pair.split_once('=') {
            Some(("chart", value)) => chart = value,
            Some(("version", value)) => wanted = value,
            _ => bail!("`{pair}` is not understood; {USAGE}"),
        }
    }
    if !url.contains("://") || chart.is_empty() {
        bail!(USAGE);
    }
    let base = url.trim_end_matches('/');
    let index = get(&format!("{base}/index.yaml"), client)?;
    let index = yaml::decode(&index, &limits::decoding())
        .map_err(|issue| anyhow!("the index of the repository cannot be read: {issue}"))?;
    let charts = index.document.root().get("entries");
    let releases = charts.and_then(|it| it.get(chart)).with_context(|| {
        let names = charts.into_iter().flat_map(Value::members).map(|(name, _)| name);
        let names: Vec<_> = names.take(10).collect();
        format!("the repository has no chart `{chart}`; it has {}", names.join(", "))
    })?;
    let release = choose(releases, at.unwrap_or(wanted)).with_context(|| {
        let known = releases.items().filter_map(|it| it.get("version")?.as_str());
        let known: Vec<_> = known.take(5).collect();
        format!("`{chart}` has no version `{wanted}`; the newest are {}", known.join(", "))
    })?;
    let field = |name: &str| release.get(name).and_then(Value::as_str).unwrap_or_default();
    let place = release.get("urls").into_iter().flat_map(Value::items).find_map(Value::as_str);
    let place = place.context("the index does not say where the chart is")?;
    let address = if place.contains("://") { place.to_owned() } else { format!("{base}/{place}") };
    if !address.starts_with("https://") && !address.starts_with("http://") {
        bail!("the chart is at `{address}`; name that as a source");
    }
    let bytes = get(&address, client)?;
    let (found, said) = (digest(&bytes), field("digest").trim_start_matches("sha256:"));
    if !said.is_empty() && found.trim_start_matches("sha256:") != said {
        bail!("`{address}` is not what the index says: {found} instead of sha256:{said}");
    }
    let found = archive::unpack(&address, &bytes, client.unpacked())?;
    Ok(Resolved { found, at: Some(field("version").to_owned()) })
}

fn get(url: &str, client: &Client) -> Result<Vec<u8>> {
    match client.get(url)? {
        Fetched::Found(bytes) => Ok(bytes),
        Fetched::Missing => bail!("`{url}` does not exist (the server answers 404)"),
    }
}

/// The newest release that `wanted` allows; one that is not final only where it is named.
fn choose<'i>(releases: Value<'i>, wanted: &str) -> Option<Value<'i>> {
    let version = |release: &Value<'i>| release.get("version").and_then(Value::as_str);
    let bare = |text: &'i str| text.strip_prefix('v').unwrap_or(text);
    let short = wanted.strip_prefix('v').unwrap_or(wanted);
    let named = releases.items().find(|it| version(it).is_some_and(|it| bare(it) == short));
    named.or_else(|| {
        let prefix = if short.is_empty() { String::new() } else { format!("{short}.") };
        let allowed = releases.items().filter_map(|release| {
            let text = bare(version(&release)?);
            let is_final = !text.split('+').next().unwrap_or_default().contains('-');
            let allowed = is_final && text.starts_with(&prefix);
            allowed.then(|| Some((Version::parse_normalized(text).ok()?, release)))?
        });
        allowed.max_by(|left, right| left.0.cmp(&right.0)).map(|(_, release)| release)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crdkit_codec::DecodeOptions;

    #[test]
    fn the_newest_release_that_is_allowed_is_chosen() {
        let text =
            "[{version: v1.9.0}, {version: 1.10.0}, {version: 2.0.0-rc.1}, {version: 1.2.3+a}]";
        let decoded = yaml::decode(text.as_bytes(), &DecodeOptions::default()).unwrap();
        let check = |wanted: &str, expected: Option<&str>| {
            let found = choose(decoded.document.root(), wanted);
            assert_eq!(found.and_then(|it| it.get("version")?.as_str()), expected, "{wanted}");
        };
        check("", Some("1.10.0"));
        check("1", Some("1.10.0"));
        check("1.9", Some("v1.9.0"));
        check("v1.9.0", Some("v1.9.0"));
        check("2.0.0-rc.1", Some("2.0.0-rc.1"));
        check("2", None);
        check("1.1", None);
    }
}
