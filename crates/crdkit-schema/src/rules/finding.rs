//! What is said about a rule that does not hold, and about one that cannot be run.
//!
//! The words are the server's. Beside them a finding carries the rule, as `rule`, and what it saw in the
//! value, as `saw`.

use crate::compile::{CompiledRule, Node, Types};
use crate::validate::shown;
#[cfg(feature = "cel")]
use crdkit_cel::{EvalError, Program};
use crdkit_issue::{Code, Issue, codes::object as codes};
#[cfg(feature = "cel")]
use crdkit_text::quote::quote;
use crdkit_value::Value;

/// No more places than this are shown, and no more characters of each.
#[cfg(feature = "cel")]
const MAX_SEEN: usize = 6;
#[cfg(feature = "cel")]
const MAX_SHOWN: usize = 80;

/// The finding that a rule does not hold about `value`, a value of the schema `node`.
pub(super) fn violated(
    node: &Node,
    rule: &CompiledRule,
    message: Option<String>,
    value: Value<'_>,
) -> Issue {
    let detail = message.unwrap_or_else(|| match rule.message.trim() {
        "" => format!("failed rule: {}", rule.rule.trim()),
        message => message.to_owned(),
    });
    let code = code(rule);
    let issue = Issue::error(code).with("detail", detail).with("rule", rule.rule.trim());
    let is_composite = matches!(node.types, Types::Object | Types::Array);
    if !is_composite || code == codes::RULE_DUPLICATE { issue.value(shown(value)) } else { issue }
}

/// The same finding with what the rule read of the value by name.
#[cfg(feature = "cel")]
pub(super) fn with_seen(
    issue: Issue,
    program: &Program,
    value: Value<'_>,
    old: Option<Value<'_>>,
) -> Issue {
    match saw(program, value, old) {
        Some(saw) => issue.with("saw", saw),
        None => issue,
    }
}

fn code(rule: &CompiledRule) -> Code {
    match rule.reason.as_deref() {
        Some("FieldValueForbidden") => codes::RULE_FORBIDS,
        Some("FieldValueRequired") => codes::RULE_REQUIRES,
        Some("FieldValueDuplicate") => codes::RULE_DUPLICATE,
        _ => codes::RULE_FAILED,
    }
}

/// What a rule read of a value by name, such as `self.min = 3, self.max = 1`.
#[cfg(feature = "cel")]
fn saw(program: &Program, value: Value<'_>, old: Option<Value<'_>>) -> Option<String> {
    let mut seen: Vec<String> = Vec::new();
    for read in program.reads() {
        let (base, mut place) = match read.variable {
            "self" => ("self", Some(value)),
            "oldSelf" => ("oldSelf", old),
            _ => continue,
        };
        let mut text = base.to_owned();
        for (name, key) in read.steps {
            text.push('.');
            text.push_str(name);
            place = place.and_then(|place| place.get(key)).filter(|place| !place.is_null());
        }
        let entry = match place {
            Some(place) => format!("{text} = {}", brief(place)),
            None => format!("no {text}"),
        };
        if !seen.contains(&entry) {
            seen.push(entry);
        }
    }
    let more = seen.len() > MAX_SEEN;
    seen.truncate(MAX_SEEN);
    if more {
        seen.push("…".into());
    }
    (!seen.is_empty()).then(|| seen.join(", "))
}

#[cfg(feature = "cel")]
fn brief(value: Value<'_>) -> String {
    let counted = |count: usize, one: &str, many: &str| {
        format!("{count} {}", if count == 1 { one } else { many })
    };
    if let Some(items) = value.as_array() {
        return format!("[{}]", counted(items.len(), "item", "items"));
    }
    if let Some(members) = value.as_object() {
        return format!("{{{}}}", counted(members.len(), "field", "fields"));
    }
    let text = match value.as_str() {
        Some(text) => quote(text),
        None => format!("{value:?}"),
    };
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// The rules of a schema whose values expressions cannot see.
#[cfg(feature = "cel")]
pub(super) fn no_type(node: &Node) -> Issue {
    let problem = "failed to convert to declType for CEL validation rules";
    error(node, &format!("rule compiler initialization error: {problem}"))
}

/// A rule that does not compile.
pub(super) fn not_compiled(node: &Node, rule: &CompiledRule, problem: &str) -> Issue {
    let problem = format!("rule compile error: {problem}");
    error(node, &problem).with("rule", rule.rule.trim())
}

/// A rule whose evaluation came to no result.
#[cfg(feature = "cel")]
pub(super) fn stopped(
    node: &Node,
    rule: &CompiledRule,
    problem: &EvalError,
    exceeded: Option<usize>,
) -> Issue {
    let text = match problem {
        EvalError::NoSuchOverload(_) => format!(
            "'{problem}': call arguments did not match a supported operator, function or macro \
             signature for rule: {}",
            named(rule)
        ),
        EvalError::CostLimit => format!(
            "'{problem}': no further validation rules will be run due to call cost exceeds limit \
             for rule: {}",
            named(rule)
        ),
        _ => return limited(no_answer(node, rule, &problem.to_string()), exceeded),
    };
    limited(error(node, &text).with("rule", rule.rule.trim()), exceeded)
}

/// A rule that has no answer, for a reason of its own.
pub(super) fn no_answer(node: &Node, rule: &CompiledRule, problem: &str) -> Issue {
    let problem = format!("{problem} evaluating rule: {}", named(rule));
    error(node, &problem).with("rule", rule.rule.trim())
}

/// What a rule is called.
fn named(rule: &CompiledRule) -> &str {
    match rule.message.trim() {
        "" => rule.rule.trim(),
        message => message,
    }
}

/// The same finding with the limit on values that was in the way, if there was one.
#[cfg(feature = "cel")]
fn limited(issue: Issue, exceeded: Option<usize>) -> Issue {
    match exceeded {
        Some(limit) => issue.with("limit", limit),
        None => issue,
    }
}

/// The budget of the object does not suffice.
pub(super) fn out_of_budget(node: &Node, rule: &CompiledRule) -> Issue {
    let problem = "validation failed due to running out of cost budget, no further validation rules \
                   will be run";
    error(node, problem).with("rule", rule.rule.trim())
}

/// The budget of the object does not suffice for a message.
#[cfg(feature = "cel")]
pub(super) fn message_out_of_budget(node: &Node, rule: &CompiledRule) -> Issue {
    let problem = "messageExpression evaluation failed due to running out of cost budget, no further \
                   validation rules will be run";
    error(node, problem).with("rule", rule.rule.trim())
}

/// The expression for a message costs more than one call may.
#[cfg(feature = "cel")]
pub(super) fn costly_message(node: &Node, rule: &CompiledRule, exceeded: Option<usize>) -> Issue {
    let problem = format!(
        "no further validation rules will be run due to call cost exceeds limit for \
         messageExpression: {}",
        quote(&rule.message_expression)
    );
    limited(error(node, &problem).with("rule", rule.rule.trim()), exceeded)
}

/// A finding that is not about the value but about evaluating; the server shows the type.
fn error(node: &Node, problem: &str) -> Issue {
    let types = match node.types {
        Types::IntOrString => "",
        types => types.text(),
    };
    Issue::error(codes::RULE_ERROR).with("problem", problem).value(types)
}
