//! Rust types for Go's and Kubernetes' own, with the rules that those types add to the serializer's.
//!
//! A Go string may hold any bytes; `null` in a Go map of scalars is the value before it; a Go array cuts off
//! what is too much and fills up with zeros; times, durations and quantities read their own text. None of
//! that is the codec's business, so it is here and not there.

use crdkit_codec::cbor::{self, RawExtension};
use crdkit_text::timestamp::Timestamp;
use crdkit_text::{duration, quantity};
use serde::de::{self, DeserializeOwned, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

thread_local! {
    static IS_JSON: Cell<bool> = const { Cell::new(false) };
}

/// Reads JSON, for which some of these types have other rules than for CBOR.
pub(super) fn from_json<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    IS_JSON.set(true);
    let outcome = serde_json::from_str(text);
    IS_JSON.set(false);
    outcome
}

pub(super) fn is_json() -> bool {
    IS_JSON.get()
}

/// `string`.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Bytes(pub(super) Vec<u8>);

impl Bytes {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn text<E: de::Error>(&self) -> Result<&str, E> {
        str::from_utf8(&self.0).map_err(E::custom)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct BytesVisitor;
        impl Visitor<'_> for BytesVisitor {
            type Value = Bytes;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_str<E>(self, text: &str) -> Result<Bytes, E> {
                Ok(Bytes(text.into()))
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.into()))
            }

            /// `null` in JSON.
            fn visit_unit<E>(self) -> Result<Bytes, E> {
                Ok(Bytes::default())
            }
        }
        if is_json() {
            return input.deserialize_any(BytesVisitor);
        }
        input.deserialize_string(BytesVisitor)
    }
}

impl Serialize for Bytes {
    /// As Go's JSON shows it.
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(&String::from_utf8_lossy(&self.0))
    }
}

/// `map[string]V`, where `null` is the value before it.
#[derive(Serialize)]
#[serde(transparent)]
pub(super) struct Map<V>(pub(super) BTreeMap<Bytes, V>);

impl<V> Map<V> {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<V> Default for Map<V> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<'de, V: DeserializeOwned + Default + Clone> Deserialize<'de> for Map<V> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct MapVisitor<V>(PhantomData<V>, bool);
        impl<'de, V: DeserializeOwned + Default + Clone> Visitor<'de> for MapVisitor<V> {
            type Value = Map<V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut input: A) -> Result<Map<V>, A::Error> {
                let mut map = BTreeMap::new();
                let mut value = V::default();
                while let Some(key) = input.next_key()? {
                    if self.1 {
                        value = input.next_value::<Option<V>>()?.unwrap_or_default();
                    } else if let Some(raw) = input.next_value::<RawExtension>()?.raw()
                        && untagged(raw) != [0xF6]
                    {
                        value = cbor::from_slice(raw).map_err(de::Error::custom)?;
                    }
                    map.insert(key, value.clone());
                }
                Ok(Map(map))
            }

            fn visit_unit<E>(self) -> Result<Map<V>, E> {
                Ok(Map::default())
            }
        }
        let is_json = is_json();
        let visitor = MapVisitor(PhantomData, is_json);
        if is_json { input.deserialize_any(visitor) } else { input.deserialize_map(visitor) }
    }
}

/// `[N]T`.
pub(super) struct Array<T, const N: usize>([T; N]);

impl<T: Serialize, const N: usize> Serialize for Array<T, N> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(&self.0)
    }
}

impl<'de, T: Deserialize<'de> + Default + Copy, const N: usize> Deserialize<'de> for Array<T, N> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct ArrayVisitor<T, const N: usize>(PhantomData<T>);
        impl<'de, T: Deserialize<'de> + Default + Copy, const N: usize> Visitor<'de>
            for ArrayVisitor<T, N>
        {
            type Value = [T; N];

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut input: A) -> Result<[T; N], A::Error> {
                let mut array = [T::default(); N];
                for place in &mut array {
                    let Some(item) = input.next_element()? else { return Ok(array) };
                    *place = item;
                }
                while input.next_element::<IgnoredAny>()?.is_some() {}
                Ok(array)
            }
        }
        input.deserialize_seq(ArrayVisitor(PhantomData)).map(Self)
    }
}

/// `[3]byte`: bytes as they are, or an array of numbers.
pub(super) struct ThreeBytes([u8; 3]);

impl Serialize for ThreeBytes {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(out)
    }
}

impl<'de> Deserialize<'de> for ThreeBytes {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let raw = RawExtension::deserialize(input)?;
        let Some(item) = raw.raw() else { return Ok(Self([0; 3])) };
        let bare = untagged(item);
        if let Some(0x40..0x60) = bare.first() {
            let bytes: Bytes = cbor::from_slice(bare).map_err(de::Error::custom)?;
            let mut array = [0; 3];
            array.iter_mut().zip(bytes.0).for_each(|(place, byte)| *place = byte);
            return Ok(Self(array));
        }
        let array: Array<u8, 3> = cbor::from_slice(item).map_err(de::Error::custom)?;
        Ok(Self(array.0))
    }
}

/// An item without the tags before it.
fn untagged(item: &[u8]) -> &[u8] {
    let mut rest = item;
    while let Some(first @ 0xC0..0xE0) = rest.first() {
        let argument = match first & 0x1F {
            info @ 24..28 => 1 << (info - 24),
            _ => 0,
        };
        rest = rest.get(1 + argument..).unwrap_or_default();
    }
    rest
}

/// `metav1.Time`: RFC 3339 text, or null for none.
#[derive(Clone, Copy)]
pub(super) struct Time(Option<Timestamp>);

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let Some(text) = Option::<Bytes>::deserialize(input)? else { return Ok(Self(None)) };
        let instant = Timestamp::parse_rfc3339(text.text()?).map_err(de::Error::custom)?;
        Ok(Self(Some(Timestamp { offset: 0, ..instant })))
    }
}

impl Serialize for Time {
    /// JSON has whole seconds.
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let whole = self.0.map(|instant| Timestamp { nanoseconds: 0, ..instant }.to_string());
        whole.serialize(out)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(instant) => instant.fmt(f),
            None => f.write_str(ZERO_TIME),
        }
    }
}

const ZERO_TIME: &str = "0001-01-01T00:00:00Z";

/// `metav1.MicroTime`: the same with exactly six digits of fraction.
#[derive(Clone, Copy)]
pub(super) struct MicroTime(Time);

impl<'de> Deserialize<'de> for MicroTime {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let Some(text) = Option::<Bytes>::deserialize(input)? else { return Ok(Self(Time(None))) };
        let text = text.text()?;
        let fraction = text.find(['.', ',']).and_then(|at| text.get(at + 1..)).unwrap_or_default();
        if fraction.bytes().take_while(u8::is_ascii_digit).count() != 6 {
            return Err(de::Error::custom("not six digits of fraction"));
        }
        let instant = Timestamp::parse_rfc3339(text).map_err(de::Error::custom)?;
        Ok(Self(Time(Some(Timestamp { offset: 0, ..instant }))))
    }
}

impl Serialize for MicroTime {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let text = |instant: Timestamp| {
            let whole = Timestamp { nanoseconds: 0, ..instant }.to_string();
            format!("{}.{:06}Z", whole.trim_end_matches('Z'), instant.nanoseconds / 1000)
        };
        self.0.0.map(text).serialize(out)
    }
}

impl fmt::Display for MicroTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// `time.Time`: text, or seconds since 1970, with the tags 0 and 1 for them or without any.
pub(super) struct Instant(String);

impl<'de> Deserialize<'de> for Instant {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let raw = RawExtension::deserialize(input)?;
        let Some(item) = raw.raw() else { return Ok(Self(ZERO_TIME.into())) };
        let bare = untagged(item);
        let item = item.strip_prefix(&cbor::SELF_DESCRIBED).unwrap_or(item);
        match (item.first(), bare.first()) {
            (Some(0xF7), _) => return Ok(Self(ZERO_TIME.into())),
            (Some(0xC0 | 0xC1), Some(0xC0..0xE0)) => return Err(de::Error::custom("tags")),
            (Some(0xC2..0xE0), _) => return Err(de::Error::custom("another tag")),
            _ => {}
        }
        match bare.first() {
            Some(0x00..0x40) => {
                let seconds: i64 = cbor::from_slice(bare).map_err(de::Error::custom)?;
                Ok(Self(instant(seconds, 0)))
            }
            Some(0xF9..=0xFB) => {
                let seconds: f64 = cbor::from_slice(bare).map_err(de::Error::custom)?;
                if seconds.abs() >= 2f64.powi(63) {
                    return Err(de::Error::custom("too many seconds"));
                }
                #[expect(clippy::cast_possible_truncation, reason = "checked above")]
                let (whole, nanoseconds) = (seconds as i64, (seconds.fract() * 1e9) as i64);
                Ok(Self(instant(whole, nanoseconds)))
            }
            _ => {
                let text: Bytes = cbor::from_slice(bare).map_err(de::Error::custom)?;
                let instant = Timestamp::parse_rfc3339(text.text()?);
                Ok(Self(instant.map_err(de::Error::custom)?.to_string()))
            }
        }
    }
}

impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The text of an instant. Go counts seconds from a year that is so long ago that the earliest ones wrap
/// around; a whole number of centuries that makes them readable is taken off and put back.
fn instant(seconds: i64, nanoseconds: i64) -> String {
    const FIRST: i64 = -9_223_372_028_741_760_000;
    const CYCLE: i128 = 400 * 146_097 * 216;
    let borrowed = i64::from(nanoseconds < 0);
    let nanoseconds = nanoseconds + borrowed * 1_000_000_000;
    let seconds = seconds - borrowed;
    let wrapped = i128::from(seconds) + if seconds < FIRST { 1 << 64 } else { 0 };
    let cycles = wrapped.div_euclid(CYCLE);
    let small = Timestamp {
        seconds: i64::try_from(wrapped.rem_euclid(CYCLE)).unwrap_or_default(),
        nanoseconds: u32::try_from(nanoseconds).unwrap_or_default(),
        offset: 0,
    };
    let text = small.to_string();
    let (year, rest) = text.split_once('-').unwrap_or_default();
    let year = year.parse::<i128>().unwrap_or_default() + cycles * 400;
    format!("{year:04}-{rest}")
}

/// `metav1.Duration`, which has only a JSON form.
pub(super) struct Duration(pub(super) i64);

impl<'de> Deserialize<'de> for Duration {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let raw = RawExtension::deserialize(input)?;
        let text = raw.to_json().map_err(de::Error::custom)?;
        let text: Option<String> = serde_json::from_slice(&text).map_err(de::Error::custom)?;
        duration::parse(&text.unwrap_or_default()).map(Self).map_err(de::Error::custom)
    }
}

impl Serialize for Duration {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(&duration::format(self.0))
    }
}

/// `resource.Quantity`: text; in JSON a number as well.
#[derive(Clone)]
pub(super) struct Quantity(quantity::Quantity);

impl Default for Quantity {
    fn default() -> Self {
        Self(quantity::Quantity::from_i64(0, quantity::QuantityFormat::DecimalSi))
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let text = if is_json() {
            match serde_json::Value::deserialize(input)? {
                serde_json::Value::Null => return Ok(Self::default()),
                serde_json::Value::String(text) => text,
                serde_json::Value::Number(number) => number.to_string(),
                _ => return Err(de::Error::custom("not a quantity")),
            }
        } else {
            match Option::<Bytes>::deserialize(input)? {
                None => return Ok(Self::default()),
                Some(text) => text.text()?.to_owned(),
            }
        };
        let quantity = quantity::Quantity::parse(text.trim_matches([' ', '\t', '\n', '\r']));
        quantity.map(Self).map_err(de::Error::custom)
    }
}

impl Serialize for Quantity {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(&self.0)
    }
}

/// `intstr.IntOrString`: a number of 32 bits or text; null is text in CBOR and a number in JSON.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum IntOrString {
    Int(i32),
    String(Bytes),
}

impl<'de> Deserialize<'de> for IntOrString {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct IntOrStringVisitor(bool);
        impl Visitor<'_> for IntOrStringVisitor {
            type Value = IntOrString;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of 32 bits or a string")
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<IntOrString, E> {
                i32::try_from(number).map(IntOrString::Int).map_err(E::custom)
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<IntOrString, E> {
                i32::try_from(number).map(IntOrString::Int).map_err(E::custom)
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<IntOrString, E> {
                Ok(IntOrString::String(Bytes(text.into())))
            }

            fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<IntOrString, E> {
                Ok(IntOrString::String(Bytes(bytes.into())))
            }

            fn visit_unit<E: de::Error>(self) -> Result<IntOrString, E> {
                if self.0 {
                    return Ok(IntOrString::Int(0));
                }
                Ok(IntOrString::String(Bytes::default()))
            }
        }
        let is_json = is_json();
        input.deserialize_any(IntOrStringVisitor(is_json))
    }
}
