//! Bindings of policies, which are of one form for both kinds of them: where a policy applies, with which parameters, and what follows.

use super::constraints;
use crate::matching::Constraints;
use crate::request::AdmissionRequest;
use crate::selector::ObjectSelector;
use crdkit_value::Value;

/// A binding of a policy.
#[derive(Debug)]
pub struct PolicyBinding {
    /// Its name.
    pub name: Box<str>,
    /// The name of the policy.
    pub policy: Box<str>,
    /// Which parameters the policy gets.
    pub param_ref: Option<ParamRef>,
    /// What follows when an expression does not hold.
    pub actions: Vec<ValidationAction>,
    constraints: Option<Constraints>,
}

/// What follows when an expression does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValidationAction {
    /// The request is refused.
    Deny,
    /// Whoever sent it is told.
    Warn,
    /// The audit log is told.
    Audit,
}

impl ValidationAction {
    /// Its name in bindings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Deny => "Deny",
            Self::Warn => "Warn",
            Self::Audit => "Audit",
        }
    }
}

/// Which objects are parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParamRef {
    /// The name of one; empty if a selector selects them.
    pub name: Box<str>,
    /// Their namespace; empty for that of the request.
    pub namespace: Box<str>,
    /// Those whose labels it selects, where there is no name.
    pub selector: ObjectSelector,
    /// Whether nothing is judged if there are none.
    pub allows_missing: bool,
}

impl PolicyBinding {
    /// The binding in `value`.
    pub fn read(value: Value<'_>) -> Self {
        let text = |value: Option<Value<'_>>, key: &str| -> Box<str> {
            value.and_then(|it| it.get(key)?.as_str()).unwrap_or_default().into()
        };
        let spec = value.get("spec");
        let member = |key: &str| spec.and_then(|spec| spec.get(key));
        let actions = member("validationActions").into_iter().flat_map(Value::items);
        let actions = actions.filter_map(|action| match action.as_str()? {
            "Deny" => Some(ValidationAction::Deny),
            "Warn" => Some(ValidationAction::Warn),
            "Audit" => Some(ValidationAction::Audit),
            _ => None,
        });
        let param_ref = member("paramRef").map(|reference| ParamRef {
            name: text(Some(reference), "name"),
            namespace: text(Some(reference), "namespace"),
            selector: ObjectSelector::read(reference.get("selector")),
            allows_missing: &*text(Some(reference), "parameterNotFoundAction") == "Allow",
        });
        Self {
            name: text(value.get("metadata"), "name"),
            policy: text(spec, "policyName"),
            param_ref,
            actions: actions.collect(),
            constraints: member("matchResources").map(|it| constraints(Some(it))),
        }
    }

    /// Whether it applies to `request`. Without rules of its own it narrows by selectors only.
    pub(super) fn selects(&self, request: &AdmissionRequest<'_>) -> bool {
        self.constraints.as_ref().is_none_or(|constraints| constraints.narrows_to(request))
    }
}
