//! `crdkit cel`: expressions as the API server compiles, prices and runs them.

mod args;
mod path;

pub(crate) use args::Cel;

use crate::exit::Exit;
use crate::limits;
use crate::objects;
use crate::report;
use crate::source::{self, Client};
use crate::stdout::print;
use anyhow::{Context as _, Result, anyhow};
use args::{CelAction, CelNotation, Eval, ExpressionScope};
use crdkit_cel::{Arena, Binding, Checked, Limits, Program, Shape, ShapeKind, Shapes, Type, Val};
use crdkit_codec::json::{self, Layout};
use crdkit_issue::Span;
use crdkit_schema::check::Site;
use crdkit_schema::rules::Environments;
use crdkit_schema::{defaults, read};
use crdkit_value::{Builder, Document, Duplicates};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

pub(crate) fn run(cel: &Cel) -> Result<Exit> {
    match &cel.action {
        CelAction::Eval(eval) => evaluate(eval),
        CelAction::Check(place) => {
            let (_, site) = site(place)?;
            match compile(&site, place)? {
                Some(checked) => {
                    let name = type_name(checked.result_type());
                    match place.output {
                        CelNotation::Text => print(&format!("{name}\n"))?,
                        CelNotation::Json => print_json(&serde_json::json!({"type": name}))?,
                    }
                    Ok(Exit::Fine)
                }
                None => Ok(Exit::Findings),
            }
        }
        CelAction::Cost(place) => cost(place),
    }
}

fn cost(place: &ExpressionScope) -> Result<Exit> {
    let (_, site) = site(place)?;
    let Some(checked) = compile(&site, place)? else { return Ok(Exit::Findings) };
    let each = site.each(&checked);
    let total = site.total(&checked);
    if place.output == CelNotation::Json {
        print_json(&serde_json::json!({
            "each": {"min": each.min, "max": bounded(each.max)},
            "runs": site.repeated,
            "total": bounded(total),
            "limit": Site::LIMIT,
        }))?;
        return Ok(if total > Site::LIMIT { Exit::Findings } else { Exit::Fine });
    }
    print(&format!(
        "each run: {} to {}\nruns:     up to {}\ntotal:    {}\nlimit:    {}\n",
        each.min,
        figure(each.max),
        site.repeated,
        figure(total),
        Site::LIMIT
    ))?;
    Ok(if total > Site::LIMIT { Exit::Findings } else { Exit::Fine })
}

/// A cost for programs: nothing if nothing limits it.
fn bounded(cost: u64) -> Option<u64> {
    (cost <= 1 << 60).then_some(cost)
}

fn print_json(value: &serde_json::Value) -> Result<()> {
    print(&format!("{value}\n"))
}

/// A cost. What comes near the largest number has nothing that limits it.
fn figure(cost: u64) -> String {
    if cost > 1 << 60 { "unlimited".to_owned() } else { cost.to_string() }
}

fn evaluate(eval: &Eval) -> Result<Exit> {
    let place = &eval.place;
    let (crd, site) = site(place)?;
    let Some(checked) = compile(&site, place)? else { return Ok(Exit::Findings) };
    let program = site.environment.plan(&checked)?;
    let object = |path: Option<&Path>| -> Result<Option<Document>> {
        let Some(path) = path else { return Ok(None) };
        let mut object = first(path, |_| true)?
            .with_context(|| format!("`{}` holds no object", path.display()))?;
        if let Some(crd) = &crd {
            fill_in(crd, place, &mut object);
        }
        Ok(Some(object))
    };
    let (new, old) = (object(eval.object.as_deref())?, object(eval.old.as_deref())?);
    let self_value = new.as_ref().and_then(|new| new.find(&place.path)).map(|it| (it, site.shape));
    let old_value = old.as_ref().and_then(|old| old.find(&place.path)).map(|it| (it, site.shape));
    if new.is_some() && self_value.is_none() {
        return Err(anyhow!("the object has no `{}`", place.path));
    }
    let bind = |name: &str| match name {
        "self" => self_value.map(|(value, shape)| Binding::Document(value, shape)),
        "oldSelf" if place.optional_old_self => Some(Binding::Optional(old_value)),
        "oldSelf" => old_value.map(|(value, shape)| Binding::Document(value, shape)),
        _ => None,
    };
    let arena = Arena::new();
    let mut limits = Limits::default();
    limits.values = limits::get().document.rule_bytes;
    let outcome = program.evaluate(&arena, bind, limits);
    if place.output == CelNotation::Json {
        let mut shown = serde_json::json!({
            "type": type_name(checked.result_type()),
            "cost": outcome.cost,
        });
        let (key, value, exit) = match &outcome.result {
            Ok(value) => {
                let value = serde_json::from_str(&json_text(&program, &arena, value)?)?;
                ("value", value, Exit::Fine)
            }
            Err(problem) => ("error", problem.to_string().into(), Exit::Findings),
        };
        if let Some(members) = shown.as_object_mut() {
            members.insert(key.to_owned(), value);
        }
        print_json(&shown)?;
        return Ok(exit);
    }
    if let Some(limit) = arena.exceeded() {
        report::note(&format!(
            "the values of the expression take more than {limit} bytes; `--max-rule-bytes` is {limit} and may be more"
        ));
    }
    let (shown, exit) = match &outcome.result {
        Ok(value) => (format!("value: {}", json_text(&program, &arena, value)?), Exit::Fine),
        Err(problem) => (format!("error: {problem}"), Exit::Findings),
    };
    let type_name = type_name(checked.result_type());
    print(&format!("{shown}\ntype:  {type_name}\ncost:  {}\n", outcome.cost))?;
    Ok(exit)
}

/// What the expression works with, and the CRD if there is one.
fn site(place: &ExpressionScope) -> Result<(Option<Document>, Site)> {
    place.kubernetes.choose();
    let Some(file) = &place.crd else { return Ok((None, untyped(place.optional_old_self))) };
    let is_crd =
        |document: &Document| objects::identify(document).is_ok_and(|identity| identity.is_crd());
    let document = first(file, is_crd)?
        .with_context(|| format!("`{}` holds no CustomResourceDefinition", file.display()))?;
    let (crd, _) = read::crd(document.root());
    let wanted = |version: &crdkit_schema::model::CrdVersion<'_>| match &place.api_version {
        Some(name) => version.name == name,
        None => version.storage,
    };
    let index = crd.spec.versions.iter().position(wanted).with_context(no_version(place))?;
    let root = crd.schema(index).context("the version has no schema")?;
    let site = Site::find(&crd.schemas, root, &place.path, place.optional_old_self);
    let site = site.with_context(|| {
        format!("the schema has no `{}`, or nothing that expressions can see", place.path)
    })?;
    Ok((Some(document), site))
}

fn no_version(place: &ExpressionScope) -> impl Fn() -> String {
    let name = place.api_version.clone();
    move || match &name {
        Some(name) => format!("the CRD has no version `{name}`"),
        None => "the CRD stores no version".to_owned(),
    }
}

/// A place without a schema.
fn untyped(optional_old_self: bool) -> Site {
    let mut shapes = Shapes::default();
    let shape = Shape { kind: ShapeKind::Dynamic, nullable: true, max_elements: u64::MAX };
    let shape = shapes.add(shape);
    let old = if optional_old_self { Type::optional(Type::Dyn) } else { Type::Dyn };
    let environment = Environments::shared()
        .new
        .extend()
        .shapes(Arc::new(shapes))
        .variable("self", Type::Dyn)
        .variable("oldSelf", old)
        .build();
    Site { environment, shape, repeated: 1 }
}

/// Compiles the expression, or prints what is wrong with it.
fn compile(site: &Site, place: &ExpressionScope) -> Result<Option<Checked>> {
    match site.environment.compile(&place.expression) {
        Ok(checked) => Ok(Some(checked)),
        Err(errors) => {
            match place.output {
                CelNotation::Text => print(&format!("{errors}\n"))?,
                CelNotation::Json => {
                    print_json(&serde_json::json!({"error": errors.to_string()}))?;
                }
            }
            Ok(None)
        }
    }
}

/// Fills in the defaults of the version that the expression is for.
fn fill_in(crd: &Document, place: &ExpressionScope, object: &mut Document) {
    let (crd, _) = read::crd(crd.root());
    let compiled = crd.compile();
    let version = match &place.api_version {
        Some(name) => compiled.versions().iter().find(|version| *version.name == **name),
        None => compiled.storage_version(),
    };
    if let Some(schema) = version.and_then(|version| version.schema) {
        let (table, room) = (compiled.table(), limits::get().document.default_bytes);
        if defaults::apply(table, table.node(schema), object, room).is_err() {
            report::note(&format!(
                "defaults would add more than the limit of {room} bytes, so none are there; `--max-default-bytes` is {room} and may be more"
            ));
        }
    }
}

/// The first document in `path` that is `wanted`.
fn first(path: &Path, wanted: impl Fn(&Document) -> bool) -> Result<Option<Document>> {
    let options = limits::decoding();
    let source = path.display().to_string();
    for entry in source::find(&source, source::Purpose::Documents, &Client::default())?.entries {
        let input = entry.read()?;
        for outcome in objects::decode(&input, &options) {
            let decoded = outcome.map_err(|issues| {
                let texts: Vec<_> = issues.iter().map(ToString::to_string).collect();
                anyhow!("`{}`: {}", input.name, texts.join("; "))
            })?;
            if wanted(&decoded.document) {
                return Ok(Some(decoded.document));
            }
        }
    }
    Ok(None)
}

fn json_text<'v>(program: &'v Program, arena: &'v Arena, value: &Val<'v>) -> Result<String> {
    let limits = crdkit_value::Limits::new().nodes(1 << 20);
    let mut builder = Builder::new(&limits, Duplicates::LastWins);
    let built = program.events(arena, value, |event| match builder.event(event, Span::new(0, 0)) {
        Ok(()) => ControlFlow::Continue(()),
        Err(issue) => ControlFlow::Break(issue),
    });
    if let ControlFlow::Break(issue) = built {
        return Err(anyhow!("the value cannot be shown: {issue}"));
    }
    let (document, _) = builder.finish();
    Ok(json::text(document.root(), Layout::Compact))
}

/// A type as people know it: the names of objects are the checker's own.
fn type_name(of: &Type) -> String {
    match of {
        Type::Struct(_) => "object".to_owned(),
        Type::List(element) => format!("list({})", type_name(element)),
        Type::Map(types) => format!("map({}, {})", type_name(&types.0), type_name(&types.1)),
        Type::Opaque(name, parameters) if !parameters.is_empty() => {
            let parameters: Vec<_> = parameters.iter().map(type_name).collect();
            format!("{name}({})", parameters.join(", "))
        }
        other => other.to_string(),
    }
}
