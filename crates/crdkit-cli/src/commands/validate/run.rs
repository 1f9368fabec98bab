//! A run while it goes on: what was found is judged, and written in the order it came in.

use super::fix::Fixes;
use super::schemas::LoadedCrd;
use super::{is_crd_source, joined};
use crate::args::Validate;
use crate::config::Config;
use crate::crds;
use crate::exit::Exit;
use crate::input::{DocumentStream, Input, InputEntry};
use crate::judge::{Judge, Judged, ObjectName, Presentation};
use crate::limits;
use crate::objects;
use crate::progress::Progress;
use crate::report::{self, Flow, Object, Outputs, Summary, Verdict};
use crate::scan::{self, Unit};
use crate::source::{self, Client, FoundEntries, Purpose};
use crate::wanted::Wanted;
use anyhow::Result;
use crdkit_codec::Decoded;
use crdkit_issue::codes;
use crdkit_schema::set::{CrdDefinition, CrdSet};
use crdkit_structure::definitions;
use crdkit_text::kind::{GroupKind, GroupVersionKind};
use crdkit_value::Document;
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::sync_channel;
use std::thread;

/// Inputs that are judged before something is written: so many, or of this size.
const WINDOW: usize = 1024;
const WINDOW_BYTES: usize = 16 << 20;

/// A run while it goes on.
pub(super) struct ValidationRun<'f> {
    pub(super) outputs: Outputs,
    pub(super) exit: Exit,
    pub(super) stop_at_first: bool,
    /// So many errors are enough.
    pub(super) most_errors: Option<usize>,
    n_errors: usize,
    /// Kinds that were said to have no usable CRD.
    unusable: HashSet<GroupKind>,
    /// CRDs that are reported themselves if something is wrong with them.
    pub(super) reported: CrdSet,
    pub(super) reports_crds: bool,
    /// Where corrections go, if that is what the run is for.
    fixes: Option<&'f mut Fixes>,
    /// Whether there is reason to go on.
    open: bool,
}

impl<'f> ValidationRun<'f> {
    pub(super) fn new(outputs: Outputs, fixes: Option<&'f mut Fixes>) -> Self {
        Self {
            outputs,
            exit: Exit::Fine,
            stop_at_first: false,
            most_errors: None,
            n_errors: 0,
            unusable: HashSet::new(),
            reported: CrdSet::default(),
            reports_crds: false,
            fixes,
            open: true,
        }
    }

    pub(super) fn fail(&mut self, error: &anyhow::Error) {
        // What was found before is shown before.
        let _ = self.outputs.flush();
        report::failure(error);
        self.exit = Exit::Failed;
    }

    /// Writes what became of `object` at once.
    pub(super) fn object(&mut self, object: &Object) -> Result<()> {
        self.hold(object)?;
        self.flush()
    }

    /// Writes what became of `object` with the next ones.
    pub(super) fn hold(&mut self, object: &Object) -> Result<()> {
        if let Some(fixes) = &mut self.fixes {
            fixes.add(object);
        }
        self.tell_once(object);
        if self.outputs.hold(object)? == Flow::Closed {
            self.open = false;
        }
        if matches!(object.verdict, Verdict::Invalid | Verdict::Error) {
            self.exit = self.exit.max(Exit::Findings);
            self.open &= !self.stop_at_first;
            self.n_errors += object.n_errors();
            if self.most_errors.is_some_and(|most| self.n_errors >= most) && self.open {
                self.open = false;
                self.flush()?;
                let s = if self.n_errors == 1 { "" } else { "s" };
                report::note(&format!("stopped after {} error{s}", self.n_errors));
            }
        }
        Ok(())
    }

    /// That the CRD of a kind cannot be used is said once: with the CRD, if that is reported.
    fn tell_once(&mut self, object: &Object) {
        let Some(identity) = object.identity() else { return };
        for finding in &object.findings {
            if finding.code == codes::source::UNUSABLE_SCHEMA {
                let GroupVersionKind { group, kind, .. } = &identity.gvk;
                let group = definitions::group_name(group);
                let is_new = self.unusable.insert(identity.gvk.group_kind());
                let is_reported = self.reported.by_kind(group, kind).is_some();
                finding.left_out.store(!is_new || is_reported, Ordering::Relaxed);
            }
        }
    }

    fn flush(&mut self) -> Result<()> {
        self.open &= self.outputs.flush()? == Flow::Open;
        Ok(())
    }

    /// What `sources` name; says what cannot be read and goes on.
    pub(super) fn find(
        &mut self,
        sources: &[String],
        purpose: Purpose,
        client: &Client,
    ) -> FoundEntries {
        let mut all = FoundEntries::default();
        for source in sources {
            match source::search(source, purpose, client) {
                Ok(found) => all.extend(found),
                Err(error) => self.fail(&error),
            }
        }
        for failure in std::mem::take(&mut all.failures) {
            self.fail(&failure);
        }
        all
    }

    /// The CRDs that were named and may be needed.
    pub(super) fn crds(
        &mut self,
        args: &Validate,
        config: &Config,
        client: &Client,
        (presentation, wanted): (Presentation<'_>, &Wanted),
    ) -> Result<Vec<LoadedCrd>> {
        let mut documents = Vec::new();
        let locations = joined(&args.schema_location, &config.schema_location);
        // A directory may hold CRDs or a layout of JSON Schemas, so that none being there is fine.
        let (sure, unsure): (Vec<_>, Vec<_>) =
            locations.into_iter().partition(|text| is_crd_source(text));
        let unsure = unsure.into_iter().filter(|text| std::path::Path::new(text).exists());
        let named = config.crds.iter().chain(&args.crds).cloned().chain(sure);
        let sources =
            named.map(|source| (source, true)).chain(unsure.map(|source| (source, false)));
        for (source, required) in sources {
            let found = self.find(std::slice::from_ref(&source), Purpose::Crds, client);
            let none = found.entries.is_empty();
            let n_templates = found.left_out.len();
            let left_out = source::crds_left_out(&source, &found.left_out);
            let read = |entry: InputEntry| -> Result<_> {
                let input = entry.read()?;
                let (crds, refused) = crds::wanted(&input, wanted);
                let again = || crds::of_input(&input, true).1.into_iter();
                let mut problems: Vec<_> =
                    (!refused.is_empty()).then(again).into_iter().flatten().collect();
                if required && crds.is_empty() {
                    problems.extend(crds::says_too_little(&input));
                }
                let judged = problems.into_iter().map(|it| Judged::unreadable(vec![it]));
                let problems = presentation.objects(&input, judged);
                Ok((Arc::new(entry), crds, problems, crds::mentions_crds(&input)))
            };
            let outcomes: Vec<_> = found.entries.into_par_iter().map(read).collect();
            let before = documents.len();
            let mut has_crds = false;
            let mut failed = none && self.exit == Exit::Failed;
            for outcome in outcomes {
                match outcome {
                    Ok((entry, crds, problems, mentions)) => {
                        has_crds |= mentions;
                        documents.extend(crds.into_iter().map(|decoded| LoadedCrd {
                            document: decoded.document,
                            file: Arc::clone(&entry.name),
                            entry: Some(Arc::clone(&entry)),
                        }));
                        failed |= !problems.is_empty();
                        problems.iter().try_for_each(|problem| self.object(problem))?;
                    }
                    Err(error) => {
                        failed = true;
                        self.fail(&error);
                    }
                }
            }
            if required && !failed && !has_crds && documents.len() == before {
                let hint = source::templates_hint(n_templates);
                self.fail(&anyhow::anyhow!(
                    "there is no CustomResourceDefinition in `{source}`{hint}"
                ));
            } else if let Some(note) = left_out {
                report::note(&note);
            }
        }
        Ok(documents)
    }

    /// The objects that others are updates of.
    pub(super) fn old(
        &mut self,
        sources: &[String],
        client: &Client,
        presentation: Presentation<'_>,
    ) -> Result<HashMap<ObjectName, Document>> {
        let mut old = HashMap::new();
        let options = limits::decoding().positions(true);
        for entry in self.find(sources, Purpose::Objects, client).entries {
            let input = match entry.read() {
                Ok(input) => input,
                Err(error) => {
                    self.fail(&error);
                    continue;
                }
            };
            let mut refused = Vec::new();
            for outcome in objects::decode(&input, &options) {
                let identified = outcome.and_then(|Decoded { document, .. }| {
                    if objects::not_meant_as_object(&document).is_some() {
                        return Ok(None);
                    }
                    let identity = objects::identify(&document).map_err(|issue| vec![*issue])?;
                    Ok(Some((ObjectName::from(&identity), document)))
                });
                match identified {
                    // A file that holds none has nothing that could be updated.
                    Ok(None) => {}
                    Ok(Some((name, document))) => {
                        old.insert(name, document);
                    }
                    Err(issues) => refused.push(Judged::unreadable(issues)),
                }
            }
            if !refused.is_empty() {
                let problems = presentation.objects(&input, refused);
                problems.iter().try_for_each(|problem| self.object(problem))?;
            }
        }
        Ok(old)
    }

    pub(super) fn judge(
        &mut self,
        judge: &Judge<'_>,
        units: Vec<Unit>,
        progress: &mut Progress,
    ) -> Result<()> {
        let mut units = units.into_iter().peekable();
        while self.open && units.peek().is_some() {
            let mut window = Vec::new();
            let mut size = 0;
            while window.len() < WINDOW && size < WINDOW_BYTES {
                match units.next() {
                    Some(Unit::Later(entry)) if entry.is_large() => {
                        // What comes before is written before.
                        self.window(judge, std::mem::take(&mut window), progress)?;
                        self.large(judge, &entry, progress)?;
                    }
                    Some(unit) => {
                        size += unit.size();
                        window.push(unit);
                    }
                    None => break,
                }
            }
            self.window(judge, window, progress)?;
        }
        Ok(())
    }

    /// Judges a large entry, as many parts at a time as keep all workers busy; the next ones are read meanwhile.
    fn large(
        &mut self,
        judge: &Judge<'_>,
        entry: &InputEntry,
        progress: &mut Progress,
    ) -> Result<()> {
        let (sender, windows) = sync_channel(1);
        thread::scope(|scope| -> Result<()> {
            scope.spawn(move || {
                let failed = |error| vec![Unit::Failed(error)];
                let mut parts = match entry.parts() {
                    Ok(parts) => parts.map(|part| part.map_or_else(Unit::Failed, Unit::Kept)),
                    // Nobody listens any more if it cannot be sent.
                    Err(error) => return drop(sender.send(failed(error))),
                };
                loop {
                    let window: Vec<_> = parts.by_ref().take(parts_at_once()).collect();
                    if window.is_empty() || sender.send(window).is_err() {
                        break;
                    }
                }
            });
            for window in windows {
                self.window(judge, window, progress)?;
                if !self.open {
                    break;
                }
            }
            Ok(())
        })?;
        progress.advance(1);
        Ok(())
    }

    fn window(
        &mut self,
        judge: &Judge<'_>,
        window: Vec<Unit>,
        progress: &mut Progress,
    ) -> Result<()> {
        if !self.open {
            return Ok(());
        }
        let is_file = |unit: &Unit| !matches!(unit, Unit::Kept(input) if input.is_part);
        let n_files = window.iter().filter(|unit| is_file(unit)).count();
        let outcomes: Vec<_> = window
            .into_par_iter()
            .map(|unit| match unit {
                Unit::Kept(input) => Ok(judge.input(&input)),
                Unit::Later(entry) => Ok(judge.input(&entry.read()?)),
                Unit::Failed(error) => Err(error),
            })
            .collect();
        progress.advance(n_files);
        progress.pause(|| {
            for outcome in outcomes {
                match outcome {
                    _ if !self.open => break,
                    Ok(objects) => {
                        for object in &objects {
                            if self.open {
                                self.hold(object)?;
                            }
                        }
                    }
                    Err(error) => self.fail(&error),
                }
            }
            self.flush()
        })
    }

    /// Judges standard input as it comes in. Objects of a kind that is not known yet wait for its CRD.
    pub(super) fn stream(&mut self, judge: &mut Judge<'_>, stream: DocumentStream) -> Result<()> {
        let mut waiting = Waiting::default();
        // Less of a stream is held, which may come slowly.
        let windows = stream.windows(parts_at_once() / 4);
        while self.open
            && let Ok(window) = windows.recv()
        {
            let parts = match window {
                Ok(parts) => parts,
                Err(error) => {
                    self.fail(&error);
                    break;
                }
            };
            for document in parts.iter().flat_map(scan::crds_of) {
                judge.crds.set = judge.crds.set.with(CrdDefinition::new(document));
                if self.reports_crds {
                    self.reported = judge.crds.set.clone();
                }
            }
            let outcomes: Vec<_> = parts.par_iter().map(|part| judge.input(part)).collect();
            for (part, objects) in parts.into_iter().zip(outcomes) {
                let later = waiting.take(part, &objects, judge);
                for (index, object) in objects.iter().enumerate() {
                    if self.open && !later.contains(&index) {
                        self.hold(object)?;
                    }
                }
            }
            self.flush()?;
        }
        // Those that waited are found by their places among the others.
        judge.counts_valid = false;
        for (part, indices) in waiting.parts {
            let objects = judge.input(&part);
            for object in indices.into_iter().filter_map(|index| objects.get(index)) {
                if self.open {
                    self.hold(object)?;
                }
            }
        }
        self.flush()
    }

    /// Writes what comes last; `conclude` says what the run ends with.
    pub(super) fn finish(
        self,
        n_files: usize,
        conclude: impl FnOnce(&Summary, Exit) -> Exit,
    ) -> Result<Exit> {
        let summary = self.outputs.finish(n_files)?;
        Ok(conclude(&summary, self.exit))
    }
}

/// Objects of a stream whose CRD may come later, with the parts they are in.
#[derive(Default)]
struct Waiting {
    parts: Vec<(Input, Vec<usize>)>,
    size: usize,
}

impl Waiting {
    /// Parts with objects that wait are held up to this size; what comes after does not wait.
    const MOST: usize = 16 << 20;

    /// Which of the objects of `part` wait.
    fn take(&mut self, part: Input, objects: &[Object], judge: &Judge<'_>) -> Vec<usize> {
        let waits =
            |object: &Object| object.identity().is_some_and(|identity| !judge.knows(identity));
        let all = objects.iter().enumerate().filter(|(_, object)| waits(object));
        let indices: Vec<_> = all.map(|(index, _)| index).collect();
        if indices.is_empty() || self.size + part.bytes.len() > Self::MOST {
            return Vec::new();
        }
        self.size += part.bytes.len();
        self.parts.push((part, indices.clone()));
        indices
    }
}

/// How many parts are judged before something is written: enough to keep all workers busy.
fn parts_at_once() -> usize {
    let n_workers = rayon::current_num_threads();
    (16 * n_workers).min(n_workers.max(64))
}
