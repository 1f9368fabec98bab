//! Texts of the wire as types of Rust, for serde's `with`: what a codec spells, a field holds.
//!
//! `#[serde(with = "crdkit_structure::with::duration")] timeout: Duration`. Times need nothing: the types of `jiff` and
//! `time` read RFC 3339 by themselves.

/// Go's durations, such as `1h30m0s`, as [`std::time::Duration`]. There are no negative ones.
pub mod duration {
    use crdkit_text::duration;
    use serde::{Deserialize, Deserializer, Serializer, de, ser};
    use std::time::Duration;

    /// # Errors
    /// When the duration is beyond what Go's can be.
    pub fn serialize<S: Serializer>(value: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        let nanoseconds = i64::try_from(value.as_nanos()).map_err(ser::Error::custom)?;
        serializer.serialize_str(&duration::format(nanoseconds))
    }

    /// # Errors
    /// When the text is no duration, or a negative one.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        let text = String::deserialize(deserializer)?;
        let nanoseconds = duration::parse(&text).map_err(de::Error::custom)?;
        u64::try_from(nanoseconds).map(Duration::from_nanos).map_err(de::Error::custom)
    }
}

/// Base64 with padding as bytes.
pub mod base64 {
    use crdkit_text::base64::Base64;
    use serde::{Deserialize, Deserializer, Serializer, de};

    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(value: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&Base64::Standard.encode(value))
    }

    /// # Errors
    /// When the text is not base64.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        let text = String::deserialize(deserializer)?;
        let problem = |_| de::Error::custom("it is not base64 with padding");
        Base64::Standard.decode(&text).map_err(problem)
    }
}

/// Kubernetes' quantities, such as `100m`, as [`Quantity`].
pub mod quantity {
    pub use crdkit_text::quantity::Quantity;
    use serde::{Deserialize, Deserializer, Serializer, de};

    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(value: &Quantity, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    /// # Errors
    /// When the text is no quantity.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Quantity, D::Error> {
        let text = String::deserialize(deserializer)?;
        Quantity::parse(&text).map_err(de::Error::custom)
    }
}
