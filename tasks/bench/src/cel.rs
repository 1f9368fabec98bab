//! Bench `cel`: the distinct rules of real CRDs over real objects, against the crates `cel` and `cel-core`.
//!
//! Every program is compiled once, before anything is timed. Timed is one evaluation of a rule on each value
//! it stands at in the objects, up to [`PER_RULE`] values for a rule. crdkit reads the decoded object in
//! place, so binding it is part of what is timed. The peers want their own values: `self` is converted and
//! put into a context before the time of `evaluation alone` starts, and within it in `binding and
//! evaluation`, which is what their users pay for an object they have decoded.
//!
//! A peer is compared on the rules it can compile and evaluate to the same result on all their values; how
//! many these are is printed. Rules that compare with an old value are left out: there is none. `cel-core`
//! checks types, so it is told that `self` is dynamic.

use crate::corpus::Corpus;
use crate::measure::{Entry, allocations, compare};
use anyhow::{Result, bail};
use cel_core::{CelType, MapActivation, MapKey, ValueMap};
use crdkit_cel::{Arena, Binding, Limits, Program, ShapeId, Val};
use crdkit_codec::{DecodeOptions, json};
use crdkit_engine::{Crd, Version};
use crdkit_schema::compile::{Id, Table};
use crdkit_value::{Document, Kind, NodeId, Value};
use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// So many values are looked at for each rule.
const PER_RULE: usize = 20;

/// A rule, and the values it stands at.
struct Rule<'c> {
    text: &'c str,
    program: &'c Program,
    values: Vec<(usize, NodeId, ShapeId)>,
}

/// Work of a peer on one rule: everything it needs to evaluate.
struct Peer<P, C> {
    rule: usize,
    program: P,
    contexts: Vec<C>,
}

type CelPeer = Peer<cel::Program, cel::Context<'static, 'static>>;
type CorePeer = Peer<cel_core::Program, MapActivation>;

pub(crate) fn run(directory: &Path) -> Result<()> {
    let corpus = Corpus::load(directory)?;
    let compiled = Crd::compile_all(corpus.crds.iter().map(|(_, document)| document))?;
    let crds: BTreeMap<&str, &Crd> =
        corpus.crds.iter().map(|(name, _)| name.as_str()).zip(&compiled).collect();
    let decode = DecodeOptions::default();
    let mut documents: Vec<Document> = Vec::new();
    let mut rules: BTreeMap<&str, Rule<'_>> = BTreeMap::new();
    for (name, version, body) in &corpus.objects {
        let Some(version) = crds.get(name.as_str()).and_then(|crd| crd.version(version)) else {
            continue;
        };
        if let Ok(decoded) = json::decode(body, &decode) {
            collect(&version, decoded.document.root(), documents.len(), &mut rules);
            documents.push(decoded.document);
        }
    }
    let rules: Vec<Rule<'_>> = rules.into_values().collect();
    let n_values: usize = rules.iter().map(|rule| rule.values.len()).sum();
    println!("{} distinct rules on {n_values} values\n", rules.len());
    let bench = Bench { documents: &documents, rules: &rules };
    bench.allocations()?;
    let env = Arc::new(cel::Env::stdlib());
    let cel: Vec<CelPeer> = (0..rules.len()).filter_map(|rule| bench.cel(&env, rule)).collect();
    let core: Vec<CorePeer> = (0..rules.len()).filter_map(|rule| bench.core(rule)).collect();
    bench.against(
        "cel",
        &cel,
        &|program, context| drop(black_box(program.execute(context))),
        &|program, value| {
            let mut context = cel::Context::with_env(Arc::clone(&env));
            context.add_variable_from_value("self", to_cel(value));
            drop(black_box(program.execute(&context)));
        },
    );
    bench.against(
        "cel-core",
        &core,
        &|program, activation| drop(black_box(program.eval(activation))),
        &|program, value| {
            let mut activation = MapActivation::new();
            activation.insert("self", to_core(value));
            drop(black_box(program.eval(&activation)));
        },
    );
    Ok(())
}

struct Bench<'b> {
    documents: &'b [Document],
    rules: &'b [Rule<'b>],
}

impl Bench<'_> {
    fn value(&self, document: usize, id: NodeId) -> Value<'_> {
        self.documents.get(document).map_or_else(|| unreachable!(), |it| it.value(id))
    }

    fn values(&self, rule: usize) -> impl Iterator<Item = (Value<'_>, ShapeId)> {
        let rule = self.rules.get(rule).into_iter();
        rule.flat_map(|rule| &rule.values).map(|&(at, id, shape)| (self.value(at, id), shape))
    }

    /// One evaluation of a rule on each of its values.
    fn evaluate(&self, rule: usize, arena: &mut Arena) {
        let Some(program) = self.rules.get(rule).map(|rule| rule.program) else { return };
        for (value, shape) in self.values(rule) {
            let bind = |_: &str| Some(Binding::Document(value, shape));
            black_box(matches!(
                program.evaluate(arena, bind, Limits::default()).result,
                Ok(Val::Bool(true))
            ));
            arena.reset();
        }
    }

    /// What crdkit allocates; nothing for rules of comparisons and `has`.
    fn allocations(&self) -> Result<()> {
        let mut arena = Arena::new();
        let (mut plain, mut frugal, mut wasteful) = (0, 0, Vec::new());
        for (at, rule) in self.rules.iter().enumerate() {
            // What a call keeps for the next one, such as memory of the arena, is there after the first.
            self.evaluate(at, &mut arena);
            let ((), memory) = allocations(|| self.evaluate(at, &mut arena));
            let none = memory.each(1) == 0.0;
            frugal += usize::from(none);
            if is_plain(rule.text) {
                plain += 1;
                if !none {
                    wasteful.push(rule.text);
                }
            }
        }
        println!(
            "{frugal} rules allocate nothing, among them all but {} of {plain} of comparisons and `has`\n",
            wasteful.len()
        );
        if !wasteful.is_empty() {
            bail!("these allocate: {}", wasteful.join("\n"));
        }
        Ok(())
    }

    fn cel(&self, env: &Arc<cel::Env>, rule: usize) -> Option<CelPeer> {
        let program = env.compile(self.rules.get(rule)?.text).ok()?;
        let mut contexts = Vec::new();
        for (value, _) in self.values(rule) {
            let mut context = cel::Context::with_env(Arc::clone(env));
            context.add_variable_from_value("self", to_cel(value));
            if program.execute(&context).ok()? != cel::Value::Bool(true) {
                return None;
            }
            contexts.push(context);
        }
        Some(Peer { rule, program, contexts })
    }

    fn core(&self, rule: usize) -> Option<CorePeer> {
        let env = cel_core::Env::with_standard_library().with_all_extensions();
        let env = env.with_variable("self", CelType::Dyn);
        let ast = env.compile(self.rules.get(rule)?.text).ok()?;
        let program = env.program(&ast).ok()?;
        let mut contexts = Vec::new();
        for (value, _) in self.values(rule) {
            let mut activation = MapActivation::new();
            activation.insert("self", to_core(value));
            if !matches!(program.eval(&activation), cel_core::Value::Bool(true)) {
                return None;
            }
            contexts.push(activation);
        }
        Some(Peer { rule, program, contexts })
    }

    fn against<P, C>(
        &self,
        name: &str,
        peers: &[Peer<P, C>],
        alone: &dyn Fn(&P, &C),
        bound: &dyn Fn(&P, Value<'_>),
    ) {
        let n_values: usize = peers.iter().map(|peer| peer.contexts.len()).sum();
        let title =
            format!("{name}: {} rules it evaluates as well, {n_values} values", peers.len());
        let mut arena = Arena::new();
        compare(
            &title,
            0,
            15,
            "evaluation alone",
            vec![
                Entry::new("crdkit", 1, || {
                    for peer in peers {
                        self.evaluate(peer.rule, &mut arena);
                    }
                }),
                Entry::new("evaluation alone", 1, || {
                    for peer in peers {
                        peer.contexts.iter().for_each(|context| alone(&peer.program, context));
                    }
                }),
                Entry::new("binding and evaluation", 1, || {
                    for peer in peers {
                        self.values(peer.rule).for_each(|(value, _)| bound(&peer.program, value));
                    }
                }),
            ],
        );
        let mut ratios: Vec<(f64, &str)> = peers
            .iter()
            .filter_map(|peer| {
                let ours = best(|| self.evaluate(peer.rule, &mut arena));
                let theirs =
                    best(|| peer.contexts.iter().for_each(|context| alone(&peer.program, context)));
                let text = self.rules.get(peer.rule)?.text;
                Some((theirs.as_secs_f64() / ours.as_secs_f64(), text))
            })
            .collect();
        ratios.sort_by(|(left, _), (right, _)| left.total_cmp(right));
        #[expect(clippy::cast_precision_loss, reason = "a mean for people")]
        let mean = ratios.iter().map(|(ratio, _)| ratio.ln()).sum::<f64>() / ratios.len() as f64;
        println!("  rule by rule, times as fast: {:.1} in the geometric mean", mean.exp());
        for (ratio, text) in ratios.iter().take(5) {
            println!("  {ratio:6.1}  {}", text.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        println!();
    }
}

/// The best of some rounds.
fn best(mut run: impl FnMut()) -> Duration {
    let mut best = Duration::MAX;
    for _ in 0..15 {
        let started = Instant::now();
        for _ in 0..8 {
            run();
        }
        best = best.min(started.elapsed());
    }
    best
}

/// Adds the rules that stand at `object` and below.
fn collect<'c>(
    version: &Version<'c>,
    object: Value<'_>,
    document: usize,
    rules: &mut BTreeMap<&'c str, Rule<'c>>,
) {
    let table: &'c Table = version.crd().table();
    let mut pending: Vec<(Id, Value<'_>)> =
        version.compiled().schema.into_iter().map(|id| (id, object)).collect();
    while let Some((id, value)) = pending.pop() {
        let node = table.node(id);
        if value.is_null() {
            continue;
        }
        if !node.rules().is_empty()
            && let (Some(shape), Some(compiled)) =
                (table.rules().shape(id), table.rules().get(table, id))
        {
            for (rule, compiled) in node.rules().iter().zip(compiled) {
                let Ok(Some(program)) = &compiled.program else { continue };
                if compiled.uses_old_self || !holds(program, value, shape) {
                    continue;
                }
                let new = || Rule { text: &rule.rule, program, values: Vec::new() };
                let known = rules.entry(&*rule.rule).or_insert_with(new);
                // The same text may stand in another schema; the program is the one of the first.
                if std::ptr::eq(known.program, program) && known.values.len() < PER_RULE {
                    known.values.push((document, value.id(), shape));
                }
            }
        }
        match value.kind() {
            Kind::Object(members) => pending.extend(members.filter_map(|(key, member)| {
                let child = node.fields.get(table, key).or(node.additional_schema())?;
                Some((child, member))
            })),
            Kind::Array(items) => {
                pending.extend(items.filter_map(|item| Some((node.items?, item))));
            }
            _ => {}
        }
    }
}

fn holds(program: &Program, value: Value<'_>, shape: ShapeId) -> bool {
    let arena = Arena::new();
    let bind = |_: &str| Some(Binding::Document(value, shape));
    matches!(program.evaluate(&arena, bind, Limits::default()).result, Ok(Val::Bool(true)))
}

/// Whether a rule calls nothing but `has`.
fn is_plain(text: &str) -> bool {
    text.match_indices('(').all(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let name = before.rsplit(|c| !is_name(c)).next().unwrap_or_default();
        matches!(name, "" | "has")
    }) && !text.contains(" in ")
}

fn to_cel(value: Value<'_>) -> cel::Value {
    match value.kind() {
        Kind::Null => cel::Value::Null,
        Kind::Bool(bool) => cel::Value::Bool(bool),
        Kind::Int(int) => cel::Value::Int(int),
        Kind::Float(float) => cel::Value::Float(float),
        Kind::Number(text) | Kind::String(text) => cel::Value::String(Arc::new(text.to_owned())),
        Kind::Array(items) => cel::Value::List(Arc::new(items.map(to_cel).collect())),
        Kind::Object(members) => {
            let entries = members.map(|(key, member)| (key.to_owned().into(), to_cel(member)));
            cel::Value::Map(cel::objects::Map { map: Arc::new(entries.collect()) })
        }
    }
}

fn to_core(value: Value<'_>) -> cel_core::Value {
    match value.kind() {
        Kind::Null => cel_core::Value::Null,
        Kind::Bool(bool) => bool.into(),
        Kind::Int(int) => int.into(),
        Kind::Float(float) => float.into(),
        Kind::Number(text) | Kind::String(text) => text.into(),
        Kind::Array(items) => items.map(to_core).collect::<Vec<_>>().into(),
        Kind::Object(members) => {
            let entries =
                members.map(|(key, member)| (MapKey::String(key.into()), to_core(member)));
            cel_core::Value::Map(Arc::new(ValueMap::from_entries(entries)))
        }
    }
}
