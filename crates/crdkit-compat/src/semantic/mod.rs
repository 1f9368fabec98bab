//! The better answer: what becomes of objects.
//!
//! Instead of listing edits, this asks named [`Question`]s about the objects that exist and the people
//! who write and read them. Each is answered for each version, or once for the CRD, with
//!
//! - **safe**: proved, keyword by keyword, that the new schema allows what the old one allows;
//! - **unsafe**: with a witness, an object that was run through both compiled CRDs and showed it;
//! - **unknown**: neither, with the reasons why the proof did not go through.
//!
//! A [`Policy`] says how much each question matters to a project and what is known and accepted; [`Replay`]
//! tries real objects.
//!
//! Two parts work together. `suspect` walks both schemas and tries to prove that nothing is lost;
//! where it fails it notes a suspect: the place, the reason, and values that might show it. Patterns are
//! compared as languages, numbers as sets, enumerations value by value. `witness` puts such a value
//! into the smallest object it can make and asks the engine about it. A suspect without a witness stays
//! an open question; nothing is called unsafe that was not seen, and nothing safe that was only tried.
//!
//! ```
//! use crdkit_codec::{DecodeOptions, yaml};
//! use crdkit_compat::semantic::{self, Question, Verdict};
//!
//! let crd = |most: u8| {
//!     let text = format!("
//!       apiVersion: apiextensions.k8s.io/v1
//!       kind: CustomResourceDefinition
//!       metadata: {{name: lamps.example.com}}
//!       spec:
//!         group: example.com
//!         scope: Namespaced
//!         names: {{kind: Lamp, plural: lamps, singular: lamp, listKind: LampList}}
//!         versions:
//!         - name: v1
//!           served: true
//!           storage: true
//!           schema:
//!             openAPIV3Schema:
//!               type: object
//!               properties: {{spec: {{type: object, properties: {{watts: {{type: integer, maximum: {most}}}}}}}}}
//!     ");
//!     let decoded = yaml::decode(text.as_bytes(), &DecodeOptions::default());
//!     decoded.map(|decoded| decoded.document).map_err(|issue| issue.to_string())
//! };
//! let report = semantic::compare(&crd(100)?, &crd(60)?)?;
//! let answer = report.answers.iter().find(|it| it.question == Question::Accept).ok_or("not asked")?;
//! assert_eq!(answer.verdict(), Verdict::Unsafe);
//!
//! let evidence = answer.reasons[0].evidence.as_ref().map_err(|open| open.0)?;
//! assert_eq!(
//!     evidence.effect,
//!     "spec.watts: Invalid value: 61: spec.watts in body should be less than or equal to 60"
//! );
//! let witness = evidence.witness.as_ref().ok_or("no witness")?;
//! assert_eq!(witness.root().pointer("/spec/watts").and_then(|it| it.as_i64()), Some(61));
//!
//! // The other way round everything that was accepted still is.
//! let report = semantic::compare(&crd(60)?, &crd(100)?)?;
//! assert_eq!(report.verdict(semantic::ReasonLevel::Error), Verdict::Safe);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Objects are those that strict field validation accepts under the old CRD. One quirk of the server is
//! left out of account: it takes a list where a text of a known format belongs.

mod answer;
mod engine;
mod gate;
mod interval;
mod policy;
mod question;
mod render;
mod replay;
mod rule;
mod sample;
mod surface;
mod suspect;
mod trial;
mod witness;

pub use answer::{
    Answer, ChangedNode, CompatReport, Evidence, Open, Places, Reason, ReasonLevel, Verdict,
};
pub use policy::{Date, Exception, Policy, PolicyFinding};
pub use question::Question;
pub use replay::{Broken, Replay};

use crate::classes::Interner;
use crate::side::Side;
use crate::step::SchemaStep;
use answer::Collector;
use crdkit_engine::CrdError;
use crdkit_sample::leaf::Memo;
use crdkit_schema::model::{Crd, SchemaId};
use crdkit_schema::{check, read, status};
use crdkit_value::Document;
use engine::Engines;
use std::cell::Cell;
use std::collections::HashSet;
use suspect::{Concern, Suspect};
use witness::WitnessSearch;

/// Values and rules that are looked at, all in all, while objects are tried. What is then left is open.
const WORK: usize = 8_000_000;
/// Up to so many versions are compared each with each; of more, each with the one that is stored.
const VERSIONS: usize = 16;

/// Compares two CRDs.
///
/// # Errors
/// When one of them cannot be compiled.
pub fn compare(old: &Document, new: &Document) -> Result<CompatReport, CrdError> {
    let crds = (read::crd(old.root()).0, read::crd(new.root()).0);
    let mut interner = Interner::default();
    let sides = (Side::new(&crds.0, &mut interner), Side::new(&crds.1, &mut interner));
    let engines = (Engines::new(old, &crds.0)?, Engines::new(new, &crds.1)?);
    let memo = Memo::default();
    let work = Cell::new(WORK);
    let change = CrdChange {
        old: Half::new(&crds.0, &engines.0, &sides.0, &memo, &work),
        new: Half::new(&crds.1, &engines.1, &sides.1, &memo, &work),
    };
    let mut report = CompatReport::default();
    report.answers.push(change.gate());
    report.answers.extend(surface::answers(&crds.0, &crds.1));
    for version in &crds.0.spec.versions {
        change.version(version.name, &mut report);
    }
    change.round_trips(&mut report);
    Ok(report)
}

/// One CRD in all its forms.
#[derive(Clone, Copy)]
struct Half<'c> {
    crd: &'c Crd<'c>,
    engines: &'c Engines,
    side: &'c Side<'c>,
    memo: &'c Memo,
    /// What is left of [`WORK`].
    work: &'c Cell<usize>,
    /// How many rules its versions have together.
    n_rules: usize,
}

impl<'c> Half<'c> {
    fn new(
        crd: &'c Crd<'c>,
        engines: &'c Engines,
        side: &'c Side<'c>,
        memo: &'c Memo,
        work: &'c Cell<usize>,
    ) -> Self {
        let rules = crd.schemas.iter().map(|(_, schema)| schema.extensions().validations.len());
        Self { crd, engines, side, memo, work, n_rules: rules.sum() }
    }

    /// Takes the work of judging an object off what is left; false when nothing is.
    fn can_judge(&self, object: &Document) -> bool {
        // A rule that fails costs as much as a few values.
        const RULE: usize = 16;
        self.work(object.n_nodes().saturating_add(RULE * self.n_rules))
    }

    /// Takes so much off what is left; false when that is more.
    fn work(&self, cost: usize) -> bool {
        let left = self.work.get().checked_sub(cost);
        self.work.set(left.unwrap_or(0));
        left.is_some()
    }

    /// The schema of a served version.
    fn schema(&self, name: &str) -> Option<SchemaId> {
        let index = self.crd.spec.versions.iter().position(|it| it.name == name && it.served)?;
        self.crd.schema(index)
    }

    fn has_webhook(&self) -> bool {
        self.crd.spec.conversion.as_ref().is_some_and(|it| it.strategy == "Webhook")
    }
}

struct CrdChange<'c> {
    old: Half<'c>,
    new: Half<'c>,
}

impl<'c> CrdChange<'c> {
    /// Will the API server take the new CRD in place of the old?
    fn gate(&self) -> Answer {
        let mut collector = Collector::new(Question::Gate, "");
        let (old, new) = gate::live(self.old.crd, self.new.crd);
        let (old, new) = (read::crd(old.root()).0, read::crd(new.root()).0);
        let mut known = HashSet::new();
        for issue in check::update(&new, &old) {
            if known.insert(status::line(&issue)) {
                let path = issue.path.to_string();
                let at = |source| gate::nearest(source, &issue.path);
                let places = Places::of(at(self.old.crd.source), at(self.new.crd.source));
                collector.certain((&path, "spec"), issue.server_message(), "", places);
            }
        }
        collector.finish()
    }

    /// The questions about one version that both CRDs serve.
    fn version(&self, name: &str, report: &mut CompatReport) {
        let Some((old, new)) = self.old.schema(name).zip(self.new.schema(name)) else { return };
        report.answers.extend(surface::of_version(self.old.crd, self.new.crd, name));
        let search = WitnessSearch::new(self.old, self.new, name, name);
        let there = suspect::walk(self.old.side, old, self.new.side, new, self.old.memo);
        let back = suspect::walk(self.new.side, new, self.old.side, old, self.old.memo);
        report.changed.extend(nodes(name, there.changed.iter().chain(&back.changed)));
        let there = &there.suspects;
        let accept = search.answer(Question::Accept, name, &of(there, &[Concern::Accept]));
        let update = search.updates(name, &accept, there);
        report.answers.extend([accept, update]);
        for (question, concern) in [
            (Question::Retain, Concern::Retain),
            (Question::Mean, Concern::Mean),
            (Question::Own, Concern::Own),
        ] {
            report.answers.push(search.answer(question, name, &of(there, &[concern])));
        }
        let search = WitnessSearch::new(self.new, self.old, name, name);
        let both = of(&back.suspects, &[Concern::Accept, Concern::Retain]);
        report.answers.push(search.answer(Question::Observe, name, &both));
    }

    /// Is an object that is written in one version whole and valid in another?
    fn round_trips(&self, report: &mut CompatReport) {
        if self.new.has_webhook() {
            return;
        }
        let served: Vec<_> = self.new.crd.spec.versions.iter().filter(|it| it.served).collect();
        let is_many = served.len() > VERSIONS;
        let stored = self.new.crd.storage_version().map(|version| version.name);
        for from in &served {
            let others = served.iter().filter(|to| to.name != from.name);
            for to in
                others.filter(|to| !is_many || [from.name, to.name].map(Some).contains(&stored))
            {
                let label = format!("{} -> {}", from.name, to.name);
                report.answers.extend(self.round_trip(from.name, to.name, &label));
            }
            if is_many && stored.is_none() {
                break;
            }
        }
        if is_many {
            let mut out = Collector::new(Question::Round, "");
            out.add(Reason {
                path: "versions".to_owned(),
                keyword: "versions",
                change: format!("{} versions are served", served.len()),
                level: ReasonLevel::Warning,
                places: Places::default(),
                evidence: Err(Open("so many versions are only compared with the stored one")),
            });
            report.answers.push(out.finish());
        }
    }

    /// Whether objects of one version of the new CRD are whole and valid in another; what was the same in
    /// the old CRD is not held against the new one.
    fn round_trip(&self, from: &str, to: &str, label: &str) -> Option<Answer> {
        let walk = |half: Half<'c>| -> Option<Vec<Suspect<'c>>> {
            let (old, new) = half.schema(from).zip(half.schema(to))?;
            Some(suspect::walk(half.side, old, half.side, new, half.memo).suspects)
        };
        let suspects = walk(self.new)?;
        let before = if self.old.has_webhook() { None } else { walk(self.old) };
        let before = before.unwrap_or_default();
        let known: HashSet<_> = before.iter().map(Suspect::key).collect();
        let mut found = of(&suspects, &[Concern::Accept, Concern::Retain]);
        found.retain(|suspect| !known.contains(&suspect.key()));
        let search = WitnessSearch::new(self.new, self.new, from, to);
        Some(search.answer(Question::Round, label, &found))
    }
}

fn of<'s, 'c>(suspects: &'s [Suspect<'c>], concerns: &[Concern]) -> Vec<&'s Suspect<'c>> {
    suspects.iter().filter(|suspect| concerns.contains(&suspect.concern)).collect()
}

/// The places, each once and in order.
fn nodes<'p, 'c: 'p>(
    version: &str,
    paths: impl Iterator<Item = &'p Vec<SchemaStep<'c>>>,
) -> Vec<ChangedNode> {
    let mut nodes: Vec<_> = paths
        .map(|path| ChangedNode { version: version.to_owned(), path: witness::shown(path) })
        .collect();
    nodes.sort();
    nodes.dedup();
    nodes
}
