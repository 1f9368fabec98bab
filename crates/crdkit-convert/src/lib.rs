//! Objects in other versions of their kind, by rules in a file.
//!
//! [`Conversion::read`] takes the document of such a file and gives the conversion, or what is wrong with it, each where
//! it stands. [`Conversion::convert`] takes an object and gives it in another version; [`Conversions::review`] answers a
//! `ConversionReview` that way. [`prove`] takes the CRD as well and says of every pair of versions whether an object comes
//! back from the other one as it was: proved, with a counterexample, or open.
//!
//! A pair of versions has one list of rules. It is followed in order from the first version to the second one, and backwards,
//! each rule turned round, on the way back. Versions that have no rules of their own are reached through others.
//!
//! ```
//! use crdkit_codec::{DecodeOptions, yaml};
//! use crdkit_convert::Conversion;
//!
//! let document = |text: &str| {
//!     let decoded = yaml::decode(text.as_bytes(), &DecodeOptions::default());
//!     decoded.map(|decoded| decoded.document).map_err(|issue| issue.to_string())
//! };
//! let rules = document("
//!   for: Lamp.lighting.example.com
//!   conversions:
//!   - from: v1alpha1
//!     to: v1
//!     rules:
//!     - rename: {path: spec.power, to: watts}
//! ")?;
//! let conversion = Conversion::read(rules.root()).map_err(|issues| issues[0].to_string())?;
//! let lamp = document("{apiVersion: lighting.example.com/v1alpha1, kind: Lamp, spec: {power: 40}}")?;
//! let lamp = conversion.convert(&lamp, "v1")?;
//! assert_eq!(lamp.root().pointer("/spec/watts").and_then(|it| it.as_i64()), Some(40));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod expression;
mod kept;
mod place;
pub mod prove;
mod read;
mod review;
mod rule;

pub use review::{Conversions, NoReview};

use crdkit_issue::{FieldPath, Span};
use crdkit_text::kind::{GroupKind, GroupVersionKind};
use crdkit_value::{Document, NodeId, Value};
use kept::Kept;
use rule::{ConversionRule, Direction};
use std::collections::VecDeque;

/// How objects of one kind are converted.
#[derive(Debug)]
pub struct Conversion {
    kind: GroupKind,
    pairs: Vec<Pair>,
}

/// Two versions, and the rules from the first to the second.
#[derive(Debug)]
pub struct Pair {
    /// The version that rules start from.
    pub from: Box<str>,
    /// The version that they lead to.
    pub to: Box<str>,
    /// Where the pair stands in its file.
    pub path: FieldPath,
    /// The same in bytes, if positions were kept.
    pub place: Option<Span>,
    rules: Vec<ConversionRule>,
}

/// Why an object cannot be converted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConvertError(String);

impl Conversion {
    /// The kind whose objects are converted.
    pub fn kind(&self) -> &GroupKind {
        &self.kind
    }

    /// The versions that have rules.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// `object` in `version`. An object of that version already is given as it is.
    ///
    /// # Errors
    /// The object is of another kind, no rules lead there, or an expression fails.
    pub fn convert(&self, object: &Document, version: &str) -> Result<Document, ConvertError> {
        let kind = kind_of(object.root());
        if kind.group_kind() != self.kind {
            let (GroupVersionKind { kind, group, .. }, own) = (&kind, &self.kind);
            return Err(ConvertError(format!(
                "{kind}.{group} is not converted by rules for {}.{}",
                own.kind, own.group
            )));
        }
        let mut object = Document::copy_of(object.root());
        let route = self.route(&kind.version, version).ok_or_else(|| {
            ConvertError(format!("no rules lead from {} to {version}", kind.version))
        })?;
        for (pair, direction) in route {
            pair.follow(direction, &mut object)?;
        }
        let api_version = format!("{}/{version}", self.kind.group);
        match object.root().get("apiVersion").map(Value::id) {
            Some(id) => object.set(id, &api_version),
            None => object.insert(NodeId::ROOT, "apiVersion", &api_version),
        };
        Ok(object)
    }

    /// The fewest pairs that lead from one version to another.
    fn route(&self, from: &str, to: &str) -> Option<Vec<(&Pair, Direction)>> {
        let mut seen = vec![from];
        let mut routes: VecDeque<(&str, Vec<(&Pair, Direction)>)> = [(from, Vec::new())].into();
        while let Some((at, route)) = routes.pop_front() {
            if at == to {
                return Some(route);
            }
            for pair in &self.pairs {
                let (next, direction) = match at {
                    at if at == &*pair.from => (&*pair.to, Direction::Forward),
                    at if at == &*pair.to => (&*pair.from, Direction::Backward),
                    _ => continue,
                };
                if !seen.contains(&next) {
                    seen.push(next);
                    let mut route = route.clone();
                    route.push((pair, direction));
                    routes.push_back((next, route));
                }
            }
        }
        None
    }
}

impl Pair {
    fn follow(&self, direction: Direction, object: &mut Document) -> Result<(), ConvertError> {
        let mut kept = Kept::take(object);
        let result = match direction {
            Direction::Forward => {
                self.rules.iter().try_for_each(|rule| rule.follow(direction, object, &mut kept))
            }
            Direction::Backward => {
                let mut rules = self.rules.iter().rev();
                rules.try_for_each(|rule| rule.follow(direction, object, &mut kept))
            }
        };
        kept.put(object);
        result
    }
}

fn kind_of(object: Value<'_>) -> GroupVersionKind {
    let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
    GroupVersionKind::of(text("apiVersion"), text("kind"))
}
