//! What is wrong with the expressions of a policy, and what they can cost, before any request comes.
//!
//! An expression that is none is wrong whatever the policy is about. All others are held against the schemas of the kinds
//! that the policy's rules name; rules with wildcards name none.
//!
//! Upstream: `apiserver/pkg/admission/plugin/policy/validating/typechecking.go`.

use super::basis::text;
use crate::expression::{Compiler, Wanted};
use crate::schemas::KnownSchemas;
use crate::types::Describer;
use crdkit_text::kind::{GroupVersionKind, GroupVersionResource};
use crdkit_value::{NodeId, Value};

/// The most that an expression may cost when it runs.
pub const COST_LIMIT: u64 = 1_000_000;
/// So many kinds are looked at.
const KINDS: usize = 10;

/// Something that is wrong with an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionFinding {
    /// The field, such as `spec.validations[0].expression`.
    pub field: String,
    /// The expression in the document of the policy.
    pub id: NodeId,
    /// The kind whose objects it does not fit; none if it is wrong for all of them.
    pub kind: Option<GroupVersionKind>,
    /// What is wrong, as the API server shows it.
    pub problem: String,
    /// The same in short: the findings without the expression.
    pub summary: String,
}

/// What an expression can cost for objects of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionCost {
    /// The field, as in a finding.
    pub field: String,
    /// The kind of the objects.
    pub kind: GroupVersionKind,
    /// The most it can cost.
    pub most: u64,
}

/// What is known about the expressions of a policy.
#[derive(Clone, Debug, Default)]
pub struct PolicyCheck {
    /// What is wrong.
    pub findings: Vec<ExpressionFinding>,
    /// What expressions can cost, those that are wrong aside.
    pub costs: Vec<ExpressionCost>,
}

impl PolicyCheck {
    /// What the status of a policy says: fields, and what is wrong with the expression there for each kind.
    pub fn warnings(&self) -> Vec<(&str, String)> {
        let mut warnings: Vec<(&str, String)> = Vec::new();
        for ExpressionFinding { field, kind, problem, .. } in &self.findings {
            let Some(GroupVersionKind { group, version, kind }) = kind else { continue };
            let version =
                if group.is_empty() { version.clone() } else { format!("{group}/{version}") };
            let line = format!("{version}, Kind={kind}: {problem}");
            match warnings.last_mut().filter(|(known, _)| known == field) {
                Some((_, lines)) => {
                    lines.push('\n');
                    lines.push_str(&line);
                }
                None => warnings.push((field, line)),
            }
        }
        warnings
    }
}

/// Checks the expressions of a policy of either kind.
pub fn check(policy: Value<'_>, schemas: &KnownSchemas) -> PolicyCheck {
    let expressions = expressions(policy);
    let mut found = PolicyCheck::default();
    let mut compiler = compiler(policy, None);
    let mut sound = vec![true; expressions.len()];
    for (expression, sound) in expressions.iter().zip(&mut sound) {
        if let Err((problem, summary)) = expression.check(&mut compiler) {
            *sound = false;
            found.findings.push(expression.finding(None, problem, summary));
        }
    }
    let spec = policy.get("spec");
    let params = spec
        .and_then(|spec| spec.get("paramKind"))
        .map(|kind| GroupVersionKind::of(&text(kind, "apiVersion"), &text(kind, "kind")));
    let mut typed: Vec<(usize, ExpressionFinding)> = Vec::new();
    for kind in kinds(spec, schemas) {
        let mut describer = Describer::new(schemas, Compiler::shapes());
        let Some(object) = describer.kind(&kind) else { continue };
        let params = params.as_ref().and_then(|kind| describer.kind(kind));
        let mut compiler = self::compiler(policy, Some((describer, object, params)));
        for (at, (expression, sound)) in expressions.iter().zip(&sound).enumerate() {
            match expression.check(&mut compiler) {
                Ok(most) => found.costs.push(ExpressionCost {
                    field: expression.field.clone(),
                    kind: kind.clone(),
                    most,
                }),
                Err((problem, summary)) if *sound => {
                    typed.push((at, expression.finding(Some(&kind), problem, summary)));
                }
                Err(_) => {}
            }
        }
    }
    typed.sort_by_key(|(at, _)| *at);
    found.findings.extend(typed.into_iter().map(|(_, finding)| finding));
    found
}

fn compiler(
    policy: Value<'_>,
    types: Option<(Describer<'_>, crdkit_cel::ShapeId, Option<crdkit_cel::ShapeId>)>,
) -> Compiler {
    let mutates = policy.get("kind").and_then(Value::as_str) == Some("MutatingAdmissionPolicy");
    let compiler = if mutates { Compiler::mutating() } else { Compiler::default() };
    match types {
        Some((describer, object, params)) => compiler.typed(describer.shapes, object, params),
        None => compiler,
    }
}

/// An expression where it stands.
struct WrittenExpression<'p> {
    field: String,
    value: Value<'p>,
    wanted: Wanted<'p>,
}

impl WrittenExpression<'_> {
    /// What it can cost, or what is wrong with it, in full and in short.
    fn check(&self, compiler: &mut Compiler) -> Result<u64, (String, String)> {
        compiler.check(self.value.as_str().unwrap_or_default(), self.wanted)
    }

    fn finding(
        &self,
        kind: Option<&GroupVersionKind>,
        problem: String,
        summary: String,
    ) -> ExpressionFinding {
        let (field, id) = (self.field.clone(), self.value.id());
        ExpressionFinding { field, id, kind: kind.cloned(), problem, summary }
    }
}

/// The expressions of a policy in the order in which they see one another.
fn expressions(policy: Value<'_>) -> Vec<WrittenExpression<'_>> {
    let mut all = Vec::new();
    let list = |key: &str| {
        let list = policy.get("spec").and_then(|spec| spec.get(key));
        list.into_iter().flat_map(Value::items).enumerate()
    };
    let mut add = |key: &str, at: usize, path: &[&str], item, wanted| {
        let value = path.iter().try_fold(item, |value: Value<'_>, key| value.get(key));
        if let Some(value) = value {
            let field = format!("spec.{key}[{at}].{}", path.join("."));
            all.push(WrittenExpression { field, value, wanted });
        }
    };
    for (at, item) in list("variables") {
        let name = item.get("name").and_then(Value::as_str).unwrap_or_default();
        add("variables", at, &["expression"], item, Wanted::Variable(name));
    }
    for (at, item) in list("matchConditions") {
        add("matchConditions", at, &["expression"], item, Wanted::Bool);
    }
    for (at, item) in list("validations") {
        add("validations", at, &["expression"], item, Wanted::Bool);
        add("validations", at, &["messageExpression"], item, Wanted::Text);
    }
    for (at, item) in list("auditAnnotations") {
        add("auditAnnotations", at, &["valueExpression"], item, Wanted::TextOrNull);
    }
    for (at, item) in list("mutations") {
        add("mutations", at, &["jsonPatch", "expression"], item, Wanted::Patch);
        add("mutations", at, &["applyConfiguration", "expression"], item, Wanted::Object);
    }
    all
}

/// The kinds that the rules of a policy name, and whose schema may be known.
fn kinds(spec: Option<Value<'_>>, schemas: &KnownSchemas) -> Vec<GroupVersionKind> {
    let rules = spec.and_then(|spec| spec.pointer("/matchConstraints/resourceRules"));
    let mut kinds = Vec::new();
    for rule in rules.into_iter().flat_map(Value::items) {
        let texts = |key: &str| {
            let texts = rule.get(key).into_iter().flat_map(Value::items);
            texts.filter_map(Value::as_str).collect::<Vec<_>>()
        };
        let (groups, versions) = (texts("apiGroups"), texts("apiVersions"));
        for group in &groups {
            for version in &versions {
                for resource in texts("resources") {
                    let (resource, subresource) =
                        resource.split_once('/').unwrap_or((resource, ""));
                    // Other subresources have objects of their own.
                    if ![*group, *version, resource].contains(&"*")
                        && ["", "status"].contains(&subresource)
                    {
                        kinds.extend(schemas.kind(&GroupVersionResource {
                            group: (*group).to_owned(),
                            version: (*version).to_owned(),
                            resource: resource.to_owned(),
                        }));
                    }
                }
            }
        }
    }
    let mut known: Vec<GroupVersionKind> = Vec::new();
    for kind in kinds {
        if !known.contains(&kind) {
            known.push(kind);
        }
    }
    known.truncate(KINDS);
    known
}
