//! Label selectors that are written as objects: `matchLabels` and `matchExpressions`.
//!
//! An absent or empty selector matches everything; one that is malformed matches nothing.

use crdkit_value::Value;

/// A label selector.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectSelector(Box<[Requirement]>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    key: Box<str>,
    operator: Operator,
    values: Box<[Box<str>]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    In,
    NotIn,
    Exists,
    DoesNotExist,
    /// None that is known.
    Never,
}

impl ObjectSelector {
    /// The selector in `value`.
    pub fn read(value: Option<Value<'_>>) -> Self {
        let member = |key: &str| value.and_then(|value| value.get(key));
        let labels = member("matchLabels").into_iter().flat_map(Value::members);
        let labels = labels.map(|(key, value)| Requirement {
            key: key.into(),
            operator: Operator::In,
            values: value.as_str().map(Into::into).into_iter().collect(),
        });
        let expressions = member("matchExpressions").into_iter().flat_map(Value::items);
        let expressions = expressions.map(|expression| {
            let text = |key: &str| expression.get(key).and_then(Value::as_str).unwrap_or_default();
            let values = expression.get("values").into_iter().flat_map(Value::items);
            Requirement {
                key: text("key").into(),
                operator: match text("operator") {
                    "In" => Operator::In,
                    "NotIn" => Operator::NotIn,
                    "Exists" => Operator::Exists,
                    "DoesNotExist" => Operator::DoesNotExist,
                    _ => Operator::Never,
                },
                values: values.filter_map(Value::as_str).map(Into::into).collect(),
            }
        });
        Self(labels.chain(expressions).collect())
    }

    /// Whether it matches everything.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the labels of `object` match.
    pub fn matches(&self, object: Value<'_>) -> bool {
        let labels = object.get("metadata").and_then(|metadata| metadata.get("labels"));
        self.0.iter().all(|requirement| {
            let label = labels.and_then(|labels| labels.get(&requirement.key)?.as_str());
            let among = |label: &str| requirement.values.iter().any(|value| &**value == label);
            match requirement.operator {
                Operator::In => label.is_some_and(among),
                Operator::NotIn => !label.is_some_and(among),
                Operator::Exists => label.is_some(),
                Operator::DoesNotExist => label.is_none(),
                Operator::Never => false,
            }
        })
    }
}
