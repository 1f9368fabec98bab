//! `spec.conversion`.

use super::options::CheckOptions;
use super::{SPEC, at, supported};
use crate::model::{ClientConfig, Conversion, Crd, Service};
use crate::path::Path;
use crate::pem;
use crdkit_codec::go_json;
use crdkit_issue::{Arg, Issue, codes};
use crdkit_text::names as text_names;
use crdkit_text::url::Url;
use std::collections::BTreeSet;

/// Checks the conversion of a CRD.
pub(super) fn check(crd: &Crd<'_>, options: &CheckOptions, issues: &mut Vec<Issue>) {
    let Some(conversion) = &crd.spec.conversion else { return };
    let path = SPEC.field("conversion");
    match conversion.strategy {
        "None" | "Webhook" => {}
        "" => issues.push(at(codes::crd::REQUIRED, &path.field("strategy"), conversion.source)),
        other => {
            let issue =
                at(codes::crd::UNSUPPORTED_VALUE, &path.field("strategy"), conversion.source);
            let supported = supported(&["None", "Webhook"]);
            issues.push(issue.value(other).with("supported", supported));
        }
    }
    if conversion.strategy == "Webhook" {
        webhook(conversion, options, &path, issues);
    } else {
        let unwanted = [
            ("webhookClientConfig", conversion.client_config.is_some()),
            ("conversionReviewVersions", !conversion.review_versions.is_empty()),
        ];
        for (field, set) in unwanted {
            if set {
                let path = path.field(field);
                issues.push(at(codes::crd::WEBHOOK_WITHOUT_STRATEGY, &path, conversion.source));
            }
        }
    }
}

/// Whether the server speaks this version of conversion reviews.
pub(super) fn is_recognized(version: &str) -> bool {
    matches!(version, "v1" | "v1beta1")
}

/// What makes a CA bundle unusable.
pub(super) fn ca_bundle_problem(bundle: &[u8]) -> Option<String> {
    let problem = pem::certificates_problem(bundle)?;
    Some(format!("unable to load root certificates: {problem}"))
}

fn webhook(
    conversion: &Conversion<'_>,
    options: &CheckOptions,
    path: &Path<'_>,
    issues: &mut Vec<Issue>,
) {
    let config_path = path.field("webhookClientConfig");
    match &conversion.client_config {
        None => {
            issues.push(at(codes::crd::WEBHOOK_REQUIRED, &config_path, conversion.source));
        }
        Some(config) => client_config(config, options, &config_path, issues),
    }
    let path = path.field("conversionReviewVersions");
    review_versions(conversion, options, &path, issues);
}

fn client_config(
    config: &ClientConfig<'_>,
    options: &CheckOptions,
    path: &Path<'_>,
    issues: &mut Vec<Issue>,
) {
    match (config.url, config.service) {
        (Some(address), None) => url(address, config, &path.field("url"), issues),
        (None, Some(service)) => self::service(&service, config, &path.field("service"), issues),
        _ => issues.push(at(codes::crd::WEBHOOK_URL_OR_SERVICE, path, Some(config.source))),
    }
    if !config.ca_bundle.is_empty() && !options.allow_invalid_ca_bundle {
        let problem = ca_bundle_problem(&config.ca_bundle);
        issues.extend(problem.map(|problem| {
            let written = config.source.get("caBundle");
            let shown = written.map(go_json::value).unwrap_or_default();
            at(codes::crd::CA_BUNDLE, &path.field("caBundle"), written)
                .value(Arg::Literal(shown.into()))
                .with("problem", problem)
        }));
    }
}

fn url(address: &str, config: &ClientConfig<'_>, path: &Path<'_>, issues: &mut Vec<Issue>) {
    let source = config.source.get("url");
    let url = match Url::parse(address) {
        Ok(url) => url,
        Err(problem) => {
            let issue = at(codes::crd::WEBHOOK_URL_UNREADABLE, path, source);
            return issues.push(issue.with("problem", problem.to_string()));
        }
    };
    let parts = [
        (codes::crd::WEBHOOK_URL_SCHEME, url.scheme().to_owned(), url.scheme() != "https"),
        (codes::crd::WEBHOOK_URL_HOST, String::new(), url.host().is_empty()),
        (codes::crd::WEBHOOK_URL_USER, user(address), url.has_user()),
        (codes::crd::WEBHOOK_URL_FRAGMENT, url.fragment(), !url.fragment().is_empty()),
        (codes::crd::WEBHOOK_URL_QUERY, url.raw_query().to_owned(), !url.raw_query().is_empty()),
    ];
    for (code, shown, wrong) in parts {
        if wrong {
            issues.push(at(code, path, source).value(shown));
        }
    }
}

/// What stands between the scheme and the host.
fn user(address: &str) -> String {
    let authority = address.split_once("//").map_or("", |(_, rest)| rest);
    let authority = authority.split(['/', '?', '#']).next().unwrap_or_default();
    authority.rsplit_once('@').map_or("", |(user, _)| user).to_owned()
}

/// The server looks for the name in the namespace and for the namespace in the name, so a missing
/// one is reported as the other.
fn service(
    service: &Service<'_>,
    config: &ClientConfig<'_>,
    path: &Path<'_>,
    issues: &mut Vec<Issue>,
) {
    let source = config.source.get("service");
    for (field, value) in [("name", service.namespace), ("namespace", service.name)] {
        if value.is_empty() {
            issues.push(at(codes::crd::REQUIRED, &path.field(field), source));
        }
    }
    if !(1..=65_535).contains(&service.port) {
        let issue = at(codes::crd::SERVICE_PORT, &path.field("port"), source);
        issues.push(issue.value(service.port));
    }
    let url_path = match service.path {
        None | Some("" | "/") => return,
        Some(url_path) => url_path,
    };
    let path = path.field("path");
    let report = |problem: String| {
        at(codes::crd::SERVICE_PATH, &path, source).value(url_path).with("problem", problem)
    };
    if url_path == "//" {
        return issues.push(report("segment[0] may not be empty".into()));
    }
    if !url_path.starts_with('/') {
        issues.push(report("must start with a '/'".into()));
    }
    // The first byte goes whatever it is.
    let steps = String::from_utf8_lossy(url_path.as_bytes().get(1..).unwrap_or_default());
    for (index, step) in steps.strip_suffix('/').unwrap_or(&steps).split('/').enumerate() {
        if step.is_empty() {
            issues.push(report(format!("segment[{index}] may not be empty")));
        }
        for problem in text_names::dns1123_subdomain(step).iter().filter(|_| !step.is_empty()) {
            issues.push(report(format!("segment[{index}]: {problem}")));
        }
    }
}

fn review_versions(
    conversion: &Conversion<'_>,
    options: &CheckOptions,
    path: &Path<'_>,
    issues: &mut Vec<Issue>,
) {
    let versions = &conversion.review_versions;
    let source = conversion.source;
    if versions.is_empty() {
        return issues.push(at(codes::crd::REQUIRED, path, source));
    }
    let mut seen = BTreeSet::new();
    for (index, version) in versions.iter().enumerate() {
        let path = path.index(index);
        if !seen.insert(*version) {
            issues.push(at(codes::crd::DUPLICATE_REVIEW_VERSION, &path, source).value(*version));
            continue;
        }
        for problem in text_names::dns1035_label(version) {
            let issue = at(codes::crd::INVALID_NAME, &path, source).value(*version);
            issues.push(issue.with("problem", problem));
        }
    }
    let recognized = versions.iter().any(|version| is_recognized(version));
    if options.require_recognized_review_version && !recognized {
        let shown = go_json::strings(versions.iter().copied());
        let issue = at(codes::crd::REVIEW_VERSION_UNKNOWN, path, source);
        issues.push(issue.value(Arg::Literal(shown.into())));
    }
}
