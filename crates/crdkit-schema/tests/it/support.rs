//! What the tests share: from YAML text to findings.

use crdkit_codec::{DecodeOptions, Decoded, yaml};
use crdkit_issue::Issue;
use crdkit_schema::check;
use crdkit_schema::model::Crd;
use crdkit_schema::read;

/// The document that `text` holds, with positions.
#[track_caller]
pub(crate) fn decode(text: &str) -> Decoded {
    let options = DecodeOptions::new().positions(true);
    match yaml::decode(text.as_bytes(), &options) {
        Ok(decoded) => decoded,
        Err(issue) => panic!("{issue}\n{text}"),
    }
}

/// What the server would say to a request to create the CRD, strictly.
pub(crate) fn create(decoded: &Decoded) -> Vec<Issue> {
    match read::request(decoded.document.root(), &decoded.issues) {
        Err(issues) => issues,
        Ok(request) if !request.strict.is_empty() => request.strict,
        Ok(request) if !request.limits.is_empty() => request.limits,
        Ok(request) => {
            let mut crd: Crd<'_> = request.crd;
            crd.prepare_for_create();
            check::create(&crd)
        }
    }
}

/// What the server would say to a request to replace `old` by the CRD.
pub(crate) fn update(decoded: &Decoded, old: &Decoded) -> Vec<Issue> {
    let (mut crd, _) = read::crd(decoded.document.root());
    let (old, _) = read::crd(old.document.root());
    crd.prepare_for_update(&old);
    check::update_strategy(&crd, &old)
}
