//! How each function's cost depends on its arguments, estimated and counted.
//!
//! One model serves both: [`CostModel::estimate`] works on bounds, [`CostModel::runtime`] on values. The figures are
//! cel-go's and, for its libraries, Kubernetes' (`pkg/cel/library/cost.go`).

use super::{LIST, Range};
use crate::ast::Literal;
use crate::types::Type;
use crate::value::{Data, Opaque, Val};

/// Cost of looking at one character.
pub(crate) const TEXT_FACTOR: f64 = 0.1;
const REGEX_FACTOR: f64 = 0.25;
/// Cost of asking an authorizer.
const AUTHORIZATION: u64 = 350_000;
/// Size a regular expression of a named format may have at most.
const MAX_FORMAT_REGEX: f64 = 128.0;
const MAX_FORMAT_NAME: u64 = 64;

/// How the cost of a call is found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum CostModel {
    /// One.
    One,
    /// A check by an authorizer.
    Authorize,
    /// `&&`, `||`.
    Logic,
    /// `?:`
    Conditional,
    /// `==`
    Equality,
    /// `!=`, and order of strings and bytes.
    Comparison,
    /// `+` on strings and bytes.
    AddText,
    /// `+` on lists.
    AddList,
    /// `in` on lists.
    InList,
    /// `list[i]`
    IndexList,
    /// `map[k]`
    IndexMap,
    /// `contains`
    Contains,
    /// `startsWith`, `endsWith`.
    Affix,
    /// `matches`
    Matches,
    /// `find`, `findAll`.
    Find,
    /// `bytes(string)`
    StringToBytes,
    /// `string(bytes)`
    BytesToString,
    /// `strings.quote`
    Quote,
    /// `format`
    FormatText,
    /// One look at each character, giving a text or URL of the same size.
    Text,
    /// One look at each character, giving a value without size.
    Parse,
    /// Two looks at each character.
    ParseTwice,
    /// `replace`
    Replace,
    /// `split`
    Split,
    /// `join`
    Join,
    /// One look at each element.
    Traverse {
        /// `includes`, which also works on things that are not lists.
        any: bool,
    },
    /// `containsIP`
    ContainsIp {
        /// The argument is text.
        text: bool,
    },
    /// `containsCIDR`
    ContainsCidr {
        /// The argument is text.
        text: bool,
    },
    /// `validate`
    Validate,
    /// Every element with every element.
    Sets(f64),
    /// `slice`
    Slice,
    /// `lists.range`
    Range,
    /// `reverse`
    Reverse,
    /// `flatten`
    Flatten,
    /// `distinct`
    Distinct,
    /// `sort`, by an argument.
    Sort {
        /// Which argument is sorted.
        argument: usize,
        /// Elements are strings or bytes.
        text: bool,
    },
}

/// What is known of an argument before evaluation.
pub(super) struct Argument<'c> {
    pub(super) ty: &'c Type,
    /// Its size, unknown if nothing says it.
    pub(super) size: Range,
    pub(super) computed: Option<Range>,
    pub(super) literal: Option<&'c Literal>,
    /// Type and size of its elements, if it has any.
    pub(super) element: Option<(Type, Range)>,
}

impl Argument<'_> {
    pub(super) fn computed_or_unknown(&self) -> Range {
        self.computed.unwrap_or(Range::UNKNOWN)
    }

    /// A literal integer, 0 if negative.
    fn literal_or(&self, default: u64) -> u64 {
        match self.literal {
            Some(Literal::Int(value)) => u64::try_from(*value).unwrap_or(0),
            _ => default,
        }
    }
}

/// Cost of a call without its arguments, and the size of its result.
pub(super) struct CallEstimate {
    pub(super) cost: Range,
    pub(super) result_size: Option<Range>,
}

impl CostModel {
    /// What matching a text costs.
    pub(crate) fn matches(text: &str, pattern: &str) -> u64 {
        regex_cost(text.chars().count() as u64, pattern.chars().count() as u64)
    }

    /// The model of a call that could not be resolved to one overload.
    pub(crate) fn of_candidates(candidates: &[Self]) -> Self {
        match candidates {
            [only] => *only,
            [first, rest @ ..] if rest.iter().all(|other| other == first) && first.is_by_name() => {
                *first
            }
            [Self::ContainsIp { .. }, ..] => Self::ContainsIp { text: false },
            [Self::ContainsCidr { .. }, ..] => Self::ContainsCidr { text: false },
            _ => Self::One,
        }
    }

    /// Whether the server finds the cost by the function's name rather than the overload.
    fn is_by_name(self) -> bool {
        matches!(
            self,
            Self::Equality
                | Self::Find
                | Self::Text
                | Self::Parse
                | Self::ParseTwice
                | Self::Replace
                | Self::Split
                | Self::Join
                | Self::Traverse { .. }
                | Self::Validate
        )
    }

    /// The cost of a call before evaluation.
    pub(super) fn estimate(self, arguments: &[Argument<'_>]) -> CallEstimate {
        let size =
            |index: usize| arguments.get(index).map_or(Range::UNKNOWN, |argument| argument.size);
        let text = |index| size(index).scale(TEXT_FACTOR);
        let plain = |cost| CallEstimate { cost, result_size: None };
        let sized = |cost, size| CallEstimate { cost, result_size: Some(size) };
        match self {
            Self::One | Self::Logic | Self::Conditional | Self::IndexList | Self::IndexMap => {
                plain(Range::ONE)
            }
            Self::Authorize => plain(Range { min: AUTHORIZATION, max: AUTHORIZATION }),
            Self::Equality => match arguments {
                [left, right] if left.ty == right.ty => opaque_equality(left.ty, right)
                    .unwrap_or_else(|| plain(smaller(size(0), size(1)))),
                _ => plain(smaller(size(0), size(1))),
            },
            Self::Comparison => plain(smaller(size(0), size(1))),
            Self::AddText => {
                let sum = size(0).plus(size(1));
                sized(sum.scale(TEXT_FACTOR), sum)
            }
            Self::AddList => sized(Range::ONE, size(0).plus(size(1))),
            Self::InList => plain(size(1)),
            Self::Contains => plain(text(0).times(text(1))),
            Self::Affix => plain(text(1)),
            Self::Matches => plain(regex_estimate(size(0), size(1))),
            Self::Find => sized(regex_estimate(size(0), size(1)), Range::up_to(size(0).max)),
            // These two wrap around where the size is unknown, and so does the server.
            Self::StringToBytes => {
                sized(text(0), Range { min: size(0).min, max: size(0).max.wrapping_mul(4) })
            }
            Self::Quote => sized(
                text(0),
                Range {
                    min: size(0).min.wrapping_add(2),
                    max: size(0).max.wrapping_mul(2).wrapping_add(2),
                },
            ),
            Self::BytesToString => sized(text(0), Range { min: size(0).min / 4, max: size(0).max }),
            Self::FormatText | Self::Parse => plain(text(0)),
            Self::ParseTwice => plain(size(0).scale(2.0 * TEXT_FACTOR)),
            Self::Text => sized(text(0), size(0)),
            Self::Replace => {
                sized(size(0).scale(2.0 * TEXT_FACTOR), replaced_size(size(0), size(1), size(2)))
            }
            Self::Split => {
                let max = match arguments.get(2).and_then(|limit| limit.literal) {
                    Some(Literal::Int(limit)) => limit.cast_unsigned(),
                    _ => size(0).max,
                };
                sized(size(0).scale(2.0 * TEXT_FACTOR), Range::up_to(max))
            }
            Self::Join => {
                let list = size(0);
                let element = arguments.first().and_then(|list| list.element.as_ref());
                let mut total = element.map_or(Range::ZERO, |(_, element)| list.times(*element));
                if arguments.len() > 1 {
                    let gaps =
                        Range { min: list.min.saturating_sub(1), max: list.max.saturating_sub(1) };
                    total = total.plus(size(1).times(gaps));
                }
                sized(total.scale(TEXT_FACTOR), total)
            }
            Self::Traverse { any } => {
                plain(match arguments.first().and_then(|list| list.element.as_ref()) {
                    Some((Type::String | Type::Bytes, element)) => {
                        size(0).times(Range::ONE.plus(element.scale(TEXT_FACTOR)))
                    }
                    Some(_) => size(0),
                    None if any => size(0),
                    None => text(0),
                })
            }
            Self::ContainsIp { text: is_text } | Self::ContainsCidr { text: is_text } => {
                let address = Range { min: 4, max: 16 };
                let mut cost = address.plus(address).scale(TEXT_FACTOR);
                if matches!(self, Self::ContainsCidr { .. }) {
                    cost = cost.plus(address.scale(TEXT_FACTOR)).plus(Range::ONE);
                }
                plain(if is_text { cost.plus(text(1)) } else { cost })
            }
            Self::Validate => plain(text(1).scale(MAX_FORMAT_REGEX * REGEX_FACTOR)),
            Self::Sets(factor) => plain(size(0).times(size(1)).scale(factor).plus(Range::ONE)),
            Self::Slice => {
                let number = |index: usize, default| {
                    arguments
                        .get(index)
                        .map_or(default, |argument: &Argument<'_>| argument.literal_or(default))
                };
                allocating(1.0, Range::exactly(number(2, size(0).max).wrapping_sub(number(1, 0))))
            }
            Self::Range => allocating(
                1.0,
                Range::exactly(
                    arguments.first().map_or(u64::MAX, |count| count.literal_or(u64::MAX)),
                ),
            ),
            Self::Reverse => allocating(1.0, size(0)),
            Self::Flatten => {
                let depth = arguments.get(1).map_or(1, |depth| depth.literal_or(u64::MAX));
                allocating(to_f64(depth), size(0))
            }
            Self::Distinct => allocating(2.0, size(0).times(size(0))),
            Self::Sort { argument, text } => {
                let factor = if text { 2.0 + TEXT_FACTOR } else { 2.0 };
                allocating(factor, size(argument).times(size(argument)))
            }
        }
    }

    /// Whether the cost needs a list where an argument is an error, which the server does not survive.
    pub(crate) fn needs_list(self, arguments: &[Option<Val<'_>>]) -> bool {
        let list = match self {
            Self::Distinct => 0,
            Self::Sort { argument, .. } => argument,
            _ => return false,
        };
        matches!(arguments.get(list), Some(None))
    }

    /// Whether the cost is known only when the result is.
    pub(crate) fn depends_on_result(self) -> bool {
        matches!(self, Self::Join | Self::Slice | Self::Range | Self::Reverse)
    }

    /// The cost of a call that was made. An argument that is an error is `None`.
    pub(crate) fn runtime<'v>(
        self,
        data: Data<'v>,
        arguments: &[Option<Val<'v>>],
        result: Option<&Val<'v>>,
    ) -> u64 {
        let size =
            |index: usize| arguments.get(index).and_then(Option::as_ref).map_or(1, Val::size);
        let text = |index| scaled(size(index), TEXT_FACTOR);
        match self {
            Self::Logic | Self::Conditional => 0,
            Self::One | Self::AddList | Self::IndexList | Self::IndexMap => 1,
            Self::Authorize => AUTHORIZATION,
            Self::Equality => match arguments.first() {
                Some(Some(Val::Opaque(_))) => 1,
                _ => scaled(size(0).min(size(1)), TEXT_FACTOR),
            },
            Self::Comparison => scaled(size(0).min(size(1)), TEXT_FACTOR),
            Self::AddText => scaled(size(0).saturating_add(size(1)), TEXT_FACTOR),
            Self::InList => size(1),
            Self::Contains => text(0).saturating_mul(text(1)),
            Self::Affix => text(1),
            Self::Matches | Self::Find => regex_cost(size(0), size(1)),
            Self::StringToBytes
            | Self::BytesToString
            | Self::Quote
            | Self::FormatText
            | Self::Text
            | Self::Parse => text(0),
            Self::ParseTwice | Self::Replace | Self::Split => scaled(size(0), 2.0 * TEXT_FACTOR),
            Self::Join => scaled(result.map_or(1, Val::size), 2.0 * TEXT_FACTOR),
            Self::Traverse { .. } => {
                arguments.first().and_then(Option::as_ref).map_or(1, |value| traversal(data, value))
            }
            Self::ContainsIp { text: is_text } => {
                scaled(size(0) * 2, TEXT_FACTOR) + if is_text { text(1) } else { 0 }
            }
            Self::ContainsCidr { text: is_text } => {
                scaled(size(0) * 2, TEXT_FACTOR) + text(0) + 1 + if is_text { text(1) } else { 0 }
            }
            Self::Validate => match arguments.first() {
                Some(Some(Val::Opaque(Opaque::Format(format)))) => {
                    regex_cost(size(1), format.regex_size)
                }
                _ => 1,
            },
            Self::Sets(factor) => floor(size(0).saturating_mul(size(1)), factor).saturating_add(1),
            Self::Slice | Self::Range | Self::Reverse => {
                result.map_or(1, Val::size).saturating_add(1 + LIST)
            }
            Self::Flatten => {
                let depth = match arguments.get(1) {
                    Some(Some(Val::Int(depth))) if *depth >= 0 => to_f64(depth.cast_unsigned()),
                    _ => 1.0,
                };
                floor(size(0), depth).saturating_add(1 + LIST)
            }
            Self::Distinct => self_comparison(data, arguments, 0),
            Self::Sort { argument, .. } => self_comparison(data, arguments, argument),
        }
    }
}

/// Comparing every element of a list with every other.
fn self_comparison<'v>(data: Data<'v>, arguments: &[Option<Val<'v>>], index: usize) -> u64 {
    let Some(Some(Val::List(list))) = arguments.get(index) else {
        return 1;
    };
    let count = list.len() as u64;
    let factor = match list.get(0, data) {
        Some(Ok(Val::String(_) | Val::Bytes(_))) => 2.0 + TEXT_FACTOR,
        _ => 2.0,
    };
    floor(count.saturating_mul(count), factor).saturating_add(1 + LIST)
}

/// One look at everything in a value.
fn traversal<'v>(data: Data<'v>, value: &Val<'v>) -> u64 {
    match value {
        Val::String(text) => floor(text.len() as u64, TEXT_FACTOR),
        Val::Bytes(bytes) => floor(bytes.len() as u64, TEXT_FACTOR),
        Val::List(list) => {
            list.iter(data).map(|item| item.map_or(1, |item| traversal(data, &item))).sum()
        }
        Val::Map(map) => map
            .iter(data)
            .map(|(key, value)| {
                traversal(data, &key) + value.map_or(1, |value| traversal(data, &value))
            })
            .sum(),
        Val::Object(node) => data
            .members(*node)
            .map(|member| match member {
                Some((name, value)) => {
                    floor(name.len() as u64, TEXT_FACTOR)
                        + value.map_or(1, |value| traversal(data, &value))
                }
                // A member the shape does not know counts as two scalars.
                None => 2,
            })
            .sum(),
        _ => 1,
    }
}

fn regex_cost(text: u64, pattern: u64) -> u64 {
    scaled(text.saturating_add(1), TEXT_FACTOR).saturating_mul(scaled(pattern, REGEX_FACTOR))
}

fn regex_estimate(text: Range, pattern: Range) -> Range {
    text.plus(Range::ONE).scale(TEXT_FACTOR).times(pattern.scale(REGEX_FACTOR))
}

/// Comparing two values looks at no more than the smaller one.
fn smaller(left: Range, right: Range) -> Range {
    let max = left.max.min(right.max);
    Range { min: u64::from(max > 0), max }.scale(TEXT_FACTOR)
}

fn opaque_equality(ty: &Type, right: &Argument<'_>) -> Option<CallEstimate> {
    let max = match ty {
        Type::Opaque(name, _) if matches!(&**name, "net.IP" | "net.CIDR") => {
            return Some(CallEstimate { cost: Range::ONE, result_size: None });
        }
        Type::Struct(name) => match &**name {
            "kubernetes.Quantity" | "kubernetes.Semver" => {
                return Some(CallEstimate { cost: Range::ONE, result_size: None });
            }
            "kubernetes.NamedFormat" => MAX_FORMAT_NAME,
            "kubernetes.URL" => right.computed.map_or(1, |size| size.max),
            _ => return None,
        },
        _ => return None,
    };
    Some(CallEstimate { cost: Range { min: 1, max }.scale(TEXT_FACTOR), result_size: None })
}

fn replaced_size(text: Range, search: Range, replacement: Range) -> Range {
    let (max_count, max_kept) = if search.min == 0 {
        (text.max.saturating_add(1), text.max)
    } else if replacement.max <= search.min {
        (0, text.max)
    } else {
        (divided(text.max, search.min), 0)
    };
    let (min_count, min_kept) = if search.max == 0 {
        (text.min.saturating_add(1), text.min)
    } else if search.max <= replacement.min {
        (0, text.min)
    } else {
        (divided(text.min, search.max), 0)
    };
    Range { min: min_count, max: max_count }
        .times(replacement)
        .plus(Range { min: min_kept, max: max_kept })
}

fn allocating(factor: f64, size: Range) -> CallEstimate {
    CallEstimate {
        cost: size.scale(factor).plus(Range::exactly(1 + LIST)),
        result_size: Some(size),
    }
}

#[expect(clippy::cast_precision_loss, reason = "costs are defined in terms of doubles")]
fn to_f64(value: u64) -> f64 {
    value as f64
}

/// `⌈value · factor⌉`, at most the largest number.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the conversion saturates"
)]
pub(crate) fn scaled(value: u64, factor: f64) -> u64 {
    // Small sizes are by far the most frequent ones.
    if value == 0 {
        return 0;
    }
    (to_f64(value) * factor).ceil() as u64
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the conversion saturates"
)]
fn floor(value: u64, factor: f64) -> u64 {
    (to_f64(value) * factor) as u64
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the conversion saturates"
)]
fn divided(value: u64, by: u64) -> u64 {
    (to_f64(value) / to_f64(by)).ceil() as u64
}
