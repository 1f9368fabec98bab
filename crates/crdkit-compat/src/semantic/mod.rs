//! The better answer: what becomes of objects.
//!
//! Instead of listing edits, this asks named [`Question`]s about the objects that exist and the people
//! who write and read them. Each is answered for each version, or once for the CRD, with
//!
//! - **safe**: proved, keyword by keyword, that the new schema allows what the old one allows;
//! - **unsafe**: with a witness, an object that was run through both compiled CRDs and showed it;
//! - **unknown**: neither, with the reasons why the proof did not go through.
//!
//! Two parts work together. `suspect` walks both schemas and tries to prove that nothing is lost;
//! where it fails it notes a suspect: the place, the reason, and values that might show it. Patterns are
//! compared as languages, numbers as sets, enumerations value by value. `witness` puts such a value
//! into the smallest object it can make and asks the engine about it. A suspect without a witness stays
//! an open question; nothing is called unsafe that was not seen, and nothing safe that was only tried.
//!
//! Objects are those that strict field validation accepts under the old CRD. One quirk of the server is
//! left out of account: it takes a list where a text of a known format belongs.

mod answer;
mod build;
mod gate;
mod interval;
mod render;
mod sample;
mod surface;
mod suspect;
mod witness;

pub use answer::{Answer, Evidence, Question, Reason, Report, Verdict};

use crate::classes::Interner;
use crate::side::Side;
use answer::Collector;
use crdkit_engine::{Crd as Engine, CrdError};
use crdkit_schema::model::{Crd, SchemaId};
use crdkit_schema::{check, read, status};
use crdkit_value::Document;
use sample::Memo;
use suspect::{Concern, Suspect};
use witness::Court;

/// Compares two CRDs.
///
/// # Errors
/// When one of them cannot be compiled.
pub fn compare(old: &Document, new: &Document) -> Result<Report, CrdError> {
    let engines = (Engine::compile(old)?, Engine::compile(new)?);
    let crds = (read::crd(old.root()).0, read::crd(new.root()).0);
    let mut interner = Interner::default();
    let sides = (Side::new(&crds.0, &mut interner), Side::new(&crds.1, &mut interner));
    let memo = Memo::default();
    let change = Change {
        old: Half { crd: &crds.0, engine: &engines.0, side: &sides.0, memo: &memo },
        new: Half { crd: &crds.1, engine: &engines.1, side: &sides.1, memo: &memo },
    };
    let mut report = Report::default();
    report.answers.push(change.gate());
    report.answers.push(surface::answer(&crds.0, &crds.1));
    report.answers.push(surface::aliases(&crds.0, &crds.1));
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
    engine: &'c Engine,
    side: &'c Side<'c>,
    memo: &'c Memo,
}

impl Half<'_> {
    /// The schema of a served version.
    fn schema(&self, name: &str) -> Option<SchemaId> {
        let index = self.crd.spec.versions.iter().position(|it| it.name == name && it.served)?;
        self.crd.schema(index)
    }
}

struct Change<'c> {
    old: Half<'c>,
    new: Half<'c>,
}

impl Change<'_> {
    /// Will the API server take the new CRD in place of the old?
    fn gate(&self) -> Answer {
        let mut collector = Collector::new(Question::Gate, "");
        let (old, new) = gate::live(self.old.crd, self.new.crd);
        let (old, new) = (read::crd(old.root()).0, read::crd(new.root()).0);
        let mut known = Vec::new();
        for issue in check::update(&new, &old) {
            let line = status::line(&issue);
            if !known.contains(&line) {
                collector.refuted(&issue.path.to_string(), issue.server_message(), None);
                known.push(line);
            }
        }
        collector.finish()
    }

    /// The questions about one version that both CRDs serve.
    fn version(&self, name: &str, report: &mut Report) {
        let Some((old, new)) = self.old.schema(name).zip(self.new.schema(name)) else { return };
        let court = Court::new(self.old, self.new, name, name);
        let there = suspect::suspects(self.old.side, old, self.new.side, new, self.old.memo);
        let accept = court.hear(Question::Accept, name, of(&there, &[Concern::Accept]));
        report.answers.push(court.updates(name, &accept, of(&there, &[Concern::Update])));
        report.answers.push(accept);
        report.answers.push(court.hear(Question::Retain, name, of(&there, &[Concern::Retain])));
        report.answers.push(court.hear(Question::Mean, name, of(&there, &[Concern::Mean])));
        let back = suspect::suspects(self.new.side, new, self.old.side, old, self.old.memo);
        let court = Court::new(self.new, self.old, name, name);
        let both = of(&back, &[Concern::Accept, Concern::Retain]);
        report.answers.push(court.hear(Question::Observe, name, both));
    }

    /// Does an object that is written in one version survive being stored or read in another?
    fn round_trips(&self, report: &mut Report) {
        let webhook = |half: &Half<'_>| {
            half.crd.spec.conversion.as_ref().is_some_and(|it| it.strategy == "Webhook")
        };
        if webhook(&self.new) {
            return;
        }
        let served = || self.new.crd.spec.versions.iter().filter(|version| version.served);
        for from in served() {
            for to in served().filter(|to| to.name != from.name) {
                let label = format!("{} -> {}", from.name, to.name);
                let Some(answer) = round_trip(self.new, from.name, to.name, &label) else {
                    continue;
                };
                let before = round_trip(self.old, from.name, to.name, &label);
                let before = before.filter(|_| !webhook(&self.old));
                report.answers.push(match before {
                    Some(before) => answer.beyond(&before),
                    None => answer,
                });
            }
        }
    }
}

/// Whether objects of one version of a CRD are whole in another.
fn round_trip(half: Half<'_>, from: &str, to: &str, label: &str) -> Option<Answer> {
    let (old, new) = half.schema(from).zip(half.schema(to))?;
    let suspects = suspect::suspects(half.side, old, half.side, new, half.memo);
    let court = Court::new(half, half, from, to);
    Some(court.hear(Question::Round, label, of(&suspects, &[Concern::Retain])))
}

fn of<'s, 'c>(suspects: &'s [Suspect<'c>], concerns: &[Concern]) -> Vec<&'s Suspect<'c>> {
    suspects.iter().filter(|suspect| concerns.contains(&suspect.concern)).collect()
}
