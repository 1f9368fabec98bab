//! Patches: their media types, and which of them an endpoint takes.

use super::content_type::UnsupportedMediaType;

/// A way to change an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PatchType {
    /// RFC 6902.
    Json,
    /// RFC 7386.
    Merge,
    /// Kubernetes' own merge, which knows how lists merge.
    Strategic,
    /// The same in CBOR, which the proposal has and the API server does not.
    StrategicCbor,
    /// Server-side apply, in YAML or JSON.
    ApplyYaml,
    /// Server-side apply in CBOR.
    ApplyCbor,
}

/// Which patches an endpoint takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchOffer(Vec<PatchType>);

impl PatchType {
    /// The name of the media type.
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "application/json-patch+json",
            Self::Merge => "application/merge-patch+json",
            Self::Strategic => "application/strategic-merge-patch+json",
            Self::StrategicCbor => "application/strategic-merge-patch+cbor",
            Self::ApplyYaml => "application/apply-patch+yaml",
            Self::ApplyCbor => "application/apply-patch+cbor",
        }
    }

    /// The patch type that says the same without CBOR.
    #[must_use]
    pub fn without_cbor(self) -> Self {
        match self {
            Self::StrategicCbor => Self::Strategic,
            Self::ApplyCbor => Self::ApplyYaml,
            other => other,
        }
    }
}

impl PatchOffer {
    /// Resources whose lists have merge keys; `cbor` says whether CBOR is switched on.
    pub fn builtin(cbor: bool) -> Self {
        let types = [PatchType::Json, PatchType::Merge, PatchType::Strategic, PatchType::ApplyYaml];
        let mut types = types.to_vec();
        types.extend(cbor.then_some(PatchType::ApplyCbor));
        Self(types)
    }

    /// Custom resources, which have no strategic merge.
    pub fn custom_resource(cbor: bool) -> Self {
        let mut offer = Self::builtin(cbor);
        offer.0.retain(|patch| *patch != PatchType::Strategic);
        offer
    }

    /// The same offer with strategic merge patches in CBOR wherever they are taken in JSON and CBOR is
    /// switched on.
    #[must_use]
    pub fn with_proposal(mut self) -> Self {
        if self.0.contains(&PatchType::Strategic) && self.0.contains(&PatchType::ApplyCbor) {
            self.0.push(PatchType::StrategicCbor);
        }
        self
    }

    /// The patch type of a request. Everything from the first semicolon on is cut off, the rest must match
    /// to the letter.
    ///
    /// # Errors
    /// When it is none of those that are taken.
    pub fn patch_type(&self, content_type: &str) -> Result<PatchType, UnsupportedMediaType> {
        let name = match content_type.find(';') {
            Some(at) if at > 0 => content_type.get(..at).unwrap_or_default(),
            _ => content_type,
        };
        let found = self.0.iter().copied().find(|patch| patch.name() == name);
        found.ok_or_else(|| UnsupportedMediaType {
            accepted: self.0.iter().map(|patch| patch.name()).collect(),
        })
    }
}
