//! Values kept as the bytes they came in: `RawExtension` and `FieldsV1`.
//!
//! Both hold JSON or CBOR and turn it into the other only when that is asked for, so that what was
//! received can be sent on unchanged. The format is told from the first bytes, as Kubernetes does it;
//! a [`RawExtension`] may also be told its format, as the proposal for CBOR has it.
//!
//! Upstream: `k8s.io/apimachinery/pkg/runtime/extension.go`, `pkg/apis/meta/v1/helpers.go`.

use super::problem::CborFinding;
use super::transcode::{TranscodeError, from_json, to_json};
use super::verdict::form;
use super::{Order, Rules, SELF_DESCRIBED};
use crate::{DecodeOptions, json};
use crdkit_issue::{FieldPath, Issue};
use crdkit_value::Document;
use std::borrow::Cow;
use std::fmt;

/// The format that kept bytes are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RawFormat {
    /// `application/json`.
    Json,
    /// `application/cbor`.
    Cbor,
}

/// Why kept bytes have no form in a format.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RawError {
    /// They are neither JSON nor CBOR.
    Unrecognized,
    /// They are not what they begin like.
    Transcode(TranscodeError),
    /// They are not an object or `null`, and nothing else is allowed.
    NotAnObject,
}

/// Any value: as bytes, or as an object that a program has put there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawExtension {
    raw: Option<Vec<u8>>,
    /// What is written when there are no bytes.
    object: Option<Document>,
    /// The format, if the bytes' first ones are not to decide.
    content_type: Option<RawFormat>,
}

/// The fields an entry of `managedFields` owns, as bytes: an object or `null`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldsV1(Vec<u8>);

impl RawExtension {
    /// Holds `raw`, whose first bytes tell its format.
    pub fn new(raw: Vec<u8>) -> Self {
        Self { raw: Some(raw), ..Self::default() }
    }

    /// Holds `raw`, which is in `format`.
    pub fn with_format(raw: Vec<u8>, format: RawFormat) -> Self {
        Self { raw: Some(raw), content_type: Some(format), object: None }
    }

    /// Holds an object, which takes the format of whatever it is written into.
    pub fn from_object(object: Document) -> Self {
        Self { object: Some(object), ..Self::default() }
    }

    /// The object that a program has put there.
    pub fn object(&self) -> Option<&Document> {
        self.object.as_ref()
    }

    /// Takes the JSON of a field; `null` leaves nothing.
    pub fn from_json(text: &[u8]) -> Self {
        if text == b"null" { Self::default() } else { Self::new(text.to_vec()) }
    }

    /// Takes the CBOR of a field, with tag 55799 put in front where it is missing, so that the bytes tell
    /// their format; `null` leaves nothing.
    pub fn from_cbor(item: &[u8]) -> Self {
        if item == [0xF6] {
            return Self::default();
        }
        let prefix = if item.starts_with(&SELF_DESCRIBED) { &[][..] } else { &SELF_DESCRIBED };
        Self::new([prefix, item].concat())
    }

    /// The bytes; none for nothing.
    pub fn raw(&self) -> Option<&[u8]> {
        self.raw.as_deref()
    }

    /// The format of the bytes, if they have one.
    pub fn format(&self) -> Option<RawFormat> {
        if self.content_type.is_some() {
            return self.content_type;
        }
        let raw = self.raw.as_ref()?;
        if raw.starts_with(&SELF_DESCRIBED) {
            return Some(RawFormat::Cbor);
        }
        match raw.first()? {
            b'\t'
            | b'\r'
            | b'\n'
            | b' '
            | b'{'
            | b'['
            | b'n'
            | b't'
            | b'f'
            | b'"'
            | b'-'
            | b'0'..=b'9' => Some(RawFormat::Json),
            _ => None,
        }
    }

    /// The CBOR of the value: CBOR as it is, JSON turned into CBOR without a tag, nothing as `null`.
    ///
    /// # Errors
    /// When the bytes are not what they have to be.
    pub fn to_cbor(&self) -> Result<Cow<'_, [u8]>, RawError> {
        let Some(raw) = &self.raw else {
            let Some(object) = &self.object else { return Ok(Cow::Borrowed(&[0xF6])) };
            let mut out = Vec::new();
            super::write(object.root(), Order::Sorted, &mut out)
                .map_err(|error| RawError::Transcode(TranscodeError::NotFinite(error)))?;
            return Ok(Cow::Owned(out));
        };
        match self.format().ok_or(RawError::Unrecognized)? {
            RawFormat::Cbor => Ok(Cow::Borrowed(raw)),
            RawFormat::Json => from_json(raw).map(Cow::Owned).map_err(RawError::Transcode),
        }
    }

    /// The JSON of the value: JSON as it is, CBOR as Go writes it, nothing as `null`.
    ///
    /// # Errors
    /// When the bytes are not what they have to be.
    pub fn to_json(&self) -> Result<Cow<'_, [u8]>, RawError> {
        let Some(raw) = &self.raw else {
            let Some(object) = &self.object else { return Ok(Cow::Borrowed(b"null")) };
            let mut out = Vec::new();
            json::write(object.root(), json::Layout::Compact, &mut out);
            return Ok(Cow::Owned(out));
        };
        match self.format().ok_or(RawError::Unrecognized)? {
            RawFormat::Json => Ok(Cow::Borrowed(raw)),
            RawFormat::Cbor => to_json(raw).map(Cow::Owned).map_err(RawError::Transcode),
        }
    }

    /// Turns the bytes into JSON where they are not, as happens to every object Kubernetes decodes.
    ///
    /// # Errors
    /// When the bytes are not what they have to be.
    pub fn make_json(&mut self) -> Result<(), RawError> {
        if self.raw.is_some() {
            let json = self.to_json()?.into_owned();
            *self = Self::new(json);
        }
        Ok(())
    }

    /// The value as a document of its own.
    ///
    /// # Errors
    /// When the bytes are not what they have to be.
    pub fn document(&self, options: &DecodeOptions) -> Result<Document, RawError> {
        let Some(raw) = &self.raw else {
            return Ok(self.object.clone().unwrap_or_default());
        };
        let decoded = match self.format().ok_or(RawError::Unrecognized)? {
            RawFormat::Json => json::decode(raw, options),
            RawFormat::Cbor => super::decode(raw, options),
        };
        let refused = |issue| RawError::Transcode(TranscodeError::Refused(issue));
        decoded.map(|decoded| decoded.document).map_err(refused)
    }
}

impl FieldsV1 {
    /// The fields as a document of their own.
    ///
    /// # Errors
    /// When the bytes are not what they have to be.
    pub fn document(&self, options: &DecodeOptions) -> Result<Document, RawError> {
        RawExtension::from_json(&self.to_json()?).document(options)
    }

    /// Holds `raw`.
    pub fn new(raw: Vec<u8>) -> Self {
        Self(raw)
    }

    /// Takes the JSON of a field as it is; `null` leaves nothing.
    pub fn from_json(text: &[u8]) -> Self {
        if text == b"null" { Self::default() } else { Self(text.to_vec()) }
    }

    /// Takes the CBOR of a field as it is; `null` leaves nothing.
    pub fn from_cbor(item: &[u8]) -> Self {
        if item == [0xF6] { Self::default() } else { Self(item.to_vec()) }
    }

    /// The bytes.
    pub fn raw(&self) -> &[u8] {
        &self.0
    }

    /// The format of the bytes, if they can be an object or `null` in one: one byte decides.
    pub fn format(&self) -> Option<RawFormat> {
        match self.0.first()? {
            b'n' | b'{' | b'\t' | b'\r' | b'\n' | b' ' => Some(RawFormat::Json),
            0xF6 | 0xA0..=0xBF | 0xC6..=0xDB => Some(RawFormat::Cbor),
            _ => None,
        }
    }

    /// The CBOR of the fields; bytes that are not JSON stay as they are.
    ///
    /// # Errors
    /// When the bytes begin like JSON and are not an object or `null`.
    pub fn to_cbor(&self) -> Result<Cow<'_, [u8]>, RawError> {
        if self.0.is_empty() {
            return Ok(Cow::Borrowed(&[0xF6]));
        }
        if self.format() != Some(RawFormat::Json) {
            return Ok(Cow::Borrowed(&self.0));
        }
        let cbor = from_json(&self.0).map_err(RawError::Transcode)?;
        match cbor.first() {
            Some(0xF6 | 0xA0..=0xBF) => Ok(Cow::Owned(cbor)),
            _ => Err(RawError::NotAnObject),
        }
    }

    /// The JSON of the fields; bytes that are not CBOR stay as they are.
    ///
    /// # Errors
    /// When the bytes begin like CBOR and are not a map or `null`.
    pub fn to_json(&self) -> Result<Cow<'_, [u8]>, RawError> {
        if self.0.is_empty() {
            return Ok(Cow::Borrowed(b"null"));
        }
        if self.format() != Some(RawFormat::Cbor) {
            return Ok(Cow::Borrowed(&self.0));
        }
        let json = to_json(&self.0).map_err(RawError::Transcode)?;
        match json.first() {
            Some(b'n' | b'{') => Ok(Cow::Owned(json)),
            _ => Err(RawError::NotAnObject),
        }
    }

    /// Turns the bytes into JSON where they are not.
    ///
    /// # Errors
    /// When the bytes are not what they have to be.
    pub fn make_json(&mut self) -> Result<(), RawError> {
        if !self.0.is_empty() {
            self.0 = self.to_json()?.into_owned();
        }
        Ok(())
    }
}

/// Checks CBOR that is to be taken over into other CBOR as it is: one well-formed item of definite
/// lengths, with the right content for the tags 0 to 3. What it means is not looked at.
///
/// # Errors
/// The finding.
pub fn check_embedded(item: &[u8]) -> Result<(), Box<Issue>> {
    form(item, &Rules::embedded()).map_err(|finding: CborFinding| finding.issue(FieldPath::root()))
}

impl fmt::Display for RawError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unrecognized => f.write_str("the bytes are neither JSON nor CBOR"),
            Self::Transcode(error) => error.fmt(f),
            Self::NotAnObject => f.write_str("the fields are not an object"),
        }
    }
}

impl std::error::Error for RawError {}
