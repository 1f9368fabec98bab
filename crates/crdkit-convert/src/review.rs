//! `ConversionReview`, from the side of whoever is asked: the bytes of a review in, the bytes of the answer out.

use crate::{Conversion, ConvertError, kind_of};
use crdkit_codec::json::{self, Layout};
use crdkit_codec::{DecodeOptions, Format, go_json};
use crdkit_text::kind::GroupVersionKind;
use crdkit_value::{Document, Limits, Value};

/// Conversions of several kinds.
#[derive(Debug, Default)]
pub struct Conversions(Vec<Conversion>);

/// Why bytes are no review.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoReview(String);

impl FromIterator<Conversion> for Conversions {
    fn from_iter<I: IntoIterator<Item = Conversion>>(conversions: I) -> Self {
        Self(conversions.into_iter().collect())
    }
}

impl Conversions {
    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Conversion> {
        self.0.iter()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `object` in `version`, by the rules for its kind.
    ///
    /// # Errors
    /// There are none, or they cannot be followed.
    pub fn convert(&self, object: &Document, version: &str) -> Result<Document, ConvertError> {
        let GroupVersionKind { group, kind, .. } = kind_of(object.root());
        let known = self.0.iter().find(|it| it.kind.group == group && it.kind.kind == kind);
        let known =
            known.ok_or_else(|| ConvertError(format!("no rules are for {kind}.{group}")))?;
        known.convert(object, version)
    }

    /// The answer to the review in `body`, both JSON. Objects that cannot be converted make it a failure.
    ///
    /// # Errors
    /// What is wrong with a body that is no review.
    pub fn review(&self, body: &[u8]) -> Result<Vec<u8>, NoReview> {
        let options = DecodeOptions::new().limits(Limits::default());
        let decoded = Format::Json.decode(body, &options);
        let decoded =
            decoded.map_err(|issue| NoReview(format!("the body is not JSON: {issue}")))?;
        let root = decoded.document.root();
        let text = |value: Value<'_>, key: &str| {
            value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        if text(root, "kind") != "ConversionReview" {
            return Err(NoReview("the document is not a ConversionReview".to_owned()));
        }
        let request = root.get("request").filter(|it| it.as_object().is_some());
        let request = request.ok_or_else(|| NoReview("the review has no request".to_owned()))?;
        let uid = text(request, "uid");
        if uid.is_empty() {
            return Err(NoReview("the request has no uid".to_owned()));
        }
        let mut answer = format!(
            "{{\"apiVersion\":{},\"kind\":\"ConversionReview\",\"response\":{{\"uid\":{},",
            go_json::string(&text(root, "apiVersion")),
            go_json::string(&uid),
        )
        .into_bytes();
        let result = match self.converted(request, &text(request, "desiredAPIVersion")) {
            Ok(objects) => {
                answer.extend_from_slice(b"\"convertedObjects\":[");
                answer.extend_from_slice(&objects);
                answer.extend_from_slice(b"],");
                "{\"status\":\"Success\"}".to_owned()
            }
            Err(problem) => {
                let message = go_json::string(&problem.to_string());
                format!("{{\"status\":\"Failure\",\"message\":{message}}}")
            }
        };
        answer.extend_from_slice(format!("\"result\":{result}}}}}").as_bytes());
        Ok(answer)
    }

    /// The objects of a request in the version that is wanted, written one after the other.
    fn converted(&self, request: Value<'_>, wanted: &str) -> Result<Vec<u8>, ConvertError> {
        let (group, version) = wanted.rsplit_once('/').unwrap_or(("", wanted));
        let mut out = Vec::new();
        for object in request.get("objects").into_iter().flat_map(Value::items) {
            let object = Document::copy_of(object);
            let kind = kind_of(object.root());
            if kind.group != group {
                let problem = format!("{} is not of the group of {wanted}", kind.kind);
                return Err(ConvertError(problem));
            }
            if !out.is_empty() {
                out.push(b',');
            }
            json::write(self.convert(&object, version)?.root(), Layout::Compact, &mut out);
        }
        Ok(out)
    }
}
