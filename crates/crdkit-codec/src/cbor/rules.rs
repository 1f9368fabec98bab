//! What form CBOR may have; what its values mean is not decided here.

use crdkit_value::Limits;

/// Bounds and refusals that concern the form of the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "independent switches")]
pub struct Rules {
    /// Arrays, maps and tags within tags inside one another.
    pub depth: usize,
    /// Items of one array.
    pub items: u64,
    /// Pairs of one map.
    pub pairs: u64,
    /// Whether every floating-point number must be finite.
    pub finite: bool,
    /// Whether tags 2 and 3 are allowed.
    pub bignums: bool,
    /// Whether lengths may be indefinite.
    pub indefinite: bool,
    /// Whether the wrong content of tags 0 to 3 is wrong form.
    pub check_tags: bool,
}

impl Rules {
    /// The Kubernetes serializer's rules; the nesting is the caller's.
    pub fn kubernetes(limits: &Limits) -> Self {
        Self {
            depth: limits.depth,
            items: 2_147_483_647,
            pairs: 2_097_152,
            finite: true,
            bignums: false,
            indefinite: true,
            check_tags: false,
        }
    }

    /// What the frames of a sequence have to keep to: the bounds of [`Rules::kubernetes`], and numbers
    /// are left to whoever decodes the frame.
    pub fn frames(limits: &Limits) -> Self {
        Self { finite: false, bignums: true, ..Self::kubernetes(limits) }
    }

    /// The narrow bounds of Kubernetes' Go client for a sequence: an object that is nested deeper than
    /// 31 levels cannot be watched with it.
    pub fn go_client_frames() -> Self {
        let limits = Limits::new().depth(32);
        Self { items: 131_072, pairs: 131_072, ..Self::frames(&limits) }
    }

    /// What Go's encoder asks of CBOR that it takes over as it is.
    pub fn embedded() -> Self {
        let limits = Limits::new().depth(65_535);
        let any = i64::MAX.unsigned_abs();
        let frames = Self::frames(&limits);
        Self { items: any, pairs: any, indefinite: false, check_tags: true, ..frames }
    }
}
