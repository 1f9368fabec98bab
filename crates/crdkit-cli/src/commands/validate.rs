//! `crdkit validate`: the API server's verdict on objects.
//!
//! Inputs are gone through twice: first for the CRDs among them, which later objects and earlier ones
//! alike may need, then to judge objects. What is small is read once and kept; what is large is read in
//! parts, so that memory does not grow with the input. Work is done in parallel, a window of inputs at
//! a time, and written in input order.

use crate::args::{Args, Compat, FieldValidation, Switch, Validate};
use crate::config::{Config, NAME as CONFIG};
use crate::crds::{self, Crds};
use crate::exit::Exit;
use crate::input::InputEntry;
use crate::judge::{Judge, Judged, ObjectName, Presentation};
use crate::location::Locations;
use crate::objects;
use crate::progress::Progress;
use crate::report::{self, Flow, Object, Outputs, ReportFormat, Style, Verdict};
use crate::scan::{Unit, scan};
use crate::source::{self, Client, FoundEntries, Purpose};
use crate::watch;
use anyhow::{Context as _, Result};
use clap::CommandFactory as _;
use clap::error::ErrorKind;
use crdkit_codec::{self, DecodeOptions, Decoded};
use crdkit_issue::Issue;
use crdkit_schema::set::CrdSet;
use crdkit_text::regex::Regex;
use crdkit_value::Document;
use rayon::prelude::*;
use std::collections::HashMap;
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::sync::Arc;

/// Inputs that are judged before something is written: so many, or of this size.
const WINDOW: usize = 1024;
const WINDOW_BYTES: usize = 64 << 20;

pub(crate) fn run(args: &Validate) -> Result<Exit> {
    let paths = inputs(args);
    if let Some(n) = args.n {
        rayon::ThreadPoolBuilder::new().num_threads(n.into()).build_global()?;
    }
    if !args.watch {
        return once(args, &paths);
    }
    let sources = [&paths, &args.crds, &args.old, &args.schema_location];
    let files = sources.into_iter().flatten().map(PathBuf::from);
    let files = files.chain([PathBuf::from(CONFIG)]).collect();
    watch::forever(files, || once(args, &paths).map(|_| Vec::new()))
}

fn once(args: &Validate, paths: &[String]) -> Result<Exit> {
    let kubeconform = args.compat == Some(Compat::Kubeconform);
    let config = args.reporting.config()?;
    let client = Arc::new(args.fetching.client());
    let default = if kubeconform { ReportFormat::Text } else { ReportFormat::Pretty };
    let specs = args.reporting.outputs(default);
    let excerpts = !kubeconform && specs.iter().any(|spec| spec.format == ReportFormat::Pretty);
    let presentation = Presentation { config: &config, excerpts };
    let mut run = ValidationRun {
        outputs: Outputs::new(
            &specs,
            Style {
                kubeconform,
                verbose: args.reporting.verbose,
                summary: args.reporting.summary,
                stdin: paths == ["-"],
                cases: false,
            },
        ),
        exit: Exit::Fine,
        stop_at_first: args.exit_on_error,
        open: true,
    };
    if let Some(problems) = &config.problems {
        run.object(problems)?;
    }

    let patterns = patterns(args, &config)?;
    let mut found = run.find(paths, Purpose::Objects, &client);
    found.entries.retain(|entry| !patterns.iter().any(|pattern| pattern.is_match(&entry.name)));
    if kubeconform {
        // Its name for standard input.
        let stdin = |entry: &&mut InputEntry| &*entry.name == "<stdin>";
        found.entries.iter_mut().filter(stdin).for_each(|entry| entry.name = "stdin".into());
    }
    let n_files = found.entries.len();
    let (own, units) = scan(found.entries);

    let objects_exit = std::mem::replace(&mut run.exit, Exit::Fine);
    let mut documents = run.crds(args, &config, &client, presentation)?;
    let old = run.old(&args.old, &client, presentation)?;
    if run.exit == Exit::Failed {
        // Verdicts without a CRD or an old object that should be there would be wrong.
        run.outputs.finish(0)?;
        report::note(
            "nothing was validated, because not all of `--crds` and `--old` could be read",
        );
        return Ok(if kubeconform { Exit::Findings } else { Exit::Failed });
    }
    run.exit = run.exit.max(objects_exit);
    documents.extend(own);
    let judge = Judge {
        crds: Crds {
            set: CrdSet::load(documents).0,
            locations: locations(args, &config, &client)?,
        },
        old,
        field_validation: field_validation(args, &config),
        ignore_missing_schemas: args.ignore_missing_schemas || config.ignore_missing_schemas,
        native: args.native == Switch::On,
        skip: joined(&args.skip, &config.skip),
        reject: joined(&args.reject, &config.reject),
        presentation,
    };
    run.judge(&judge, units, &mut Progress::new(n_files, args.reporting.quiet))?;

    let ValidationRun { outputs, exit, .. } = run;
    let summary = outputs.finish(n_files)?;
    if !kubeconform && !args.reporting.quiet {
        report::note(&summary.in_words(found.left_out.len()));
        if summary.n_objects() == 0 && exit == Exit::Fine {
            report::note("nothing was validated: there are no objects in the input");
        }
    }
    // kubeconform knows one code for everything that went wrong.
    Ok(if kubeconform { exit.min(Exit::Findings) } else { exit })
}

/// The sources of objects; without any, standard input.
fn inputs(args: &Validate) -> Vec<String> {
    let refuse = |text: &str| {
        let mut command = Args::command();
        command.build();
        let own = command.find_subcommand_mut("validate").map(std::mem::take);
        own.unwrap_or(command).error(ErrorKind::MissingRequiredArgument, text).exit()
    };
    let paths = match args.paths.as_slice() {
        [] if std::io::stdin().is_terminal() => {
            refuse("nothing to validate: name files or directories, or pipe objects in")
        }
        [] => vec!["-".to_owned()],
        paths => paths.to_vec(),
    };
    let all = || paths.iter().chain(&args.crds).chain(&args.old);
    if args.watch && all().any(|source| source == "-") {
        refuse("standard input (`-`) cannot be watched; name files or directories");
    }
    if all().filter(|source| *source == "-").count() > 1 {
        refuse(
            "standard input (`-`) can be used once only; name objects as files beside `--crds -`",
        );
    }
    paths
}

/// What the command line and the configuration say, without blanks.
fn joined(typed: &[String], configured: &[String]) -> Vec<String> {
    let trimmed = |kind: &String| kind.trim().to_owned();
    typed.iter().chain(configured).map(trimmed).filter(|kind| !kind.is_empty()).collect()
}

fn field_validation(args: &Validate, config: &Config) -> FieldValidation {
    let named = args.field_validation.or(config.field_validation);
    match named {
        _ if args.strict => FieldValidation::Strict,
        Some(named) => named,
        None if args.compat.is_some() => FieldValidation::Warn,
        None => FieldValidation::Strict,
    }
}

fn patterns(args: &Validate, config: &Config) -> Result<Vec<Regex>> {
    let texts = joined(&args.ignore_filename_pattern, &config.ignore_filename_pattern);
    let compile = |text: &String| {
        Regex::new(text).with_context(|| format!("`{text}` is not a regular expression"))
    };
    texts.iter().map(compile).collect()
}

/// The schema locations that are templates rather than sources of CRDs.
fn locations(args: &Validate, config: &Config, client: &Arc<Client>) -> Result<Locations> {
    let mut texts = joined(&args.schema_location, &config.schema_location);
    if texts.is_empty() && args.compat.is_some() && !args.fetching.offline {
        texts.push("default".to_owned());
    }
    texts.retain(|text| !is_crd_source(text));
    Locations::new(&texts, &args.kubernetes_version, args.strict, Arc::clone(client))
}

/// Whether a schema location names CRDs rather than a layout of JSON Schemas.
fn is_crd_source(text: &str) -> bool {
    let is_yaml = crdkit_codec::Format::of_name(text.as_ref()) == Some(crdkit_codec::Format::Yaml);
    let names_crds = is_yaml || source::is_archive(text) || text == "-" || text.starts_with("git");
    names_crds && !text.contains("{{")
}

/// A run while it goes on.
struct ValidationRun {
    outputs: Outputs,
    exit: Exit,
    stop_at_first: bool,
    /// Whether there is reason to go on.
    open: bool,
}

impl ValidationRun {
    fn fail(&mut self, error: &anyhow::Error) {
        // What was found before is shown before.
        let _ = self.outputs.flush();
        report::failure(error);
        self.exit = Exit::Failed;
    }

    /// Writes what became of `object` at once.
    fn object(&mut self, object: &Object) -> Result<()> {
        self.hold(object)?;
        self.flush()
    }

    /// Writes what became of `object` with the next ones.
    fn hold(&mut self, object: &Object) -> Result<()> {
        if self.outputs.hold(object)? == Flow::Closed {
            self.open = false;
        }
        if matches!(object.verdict, Verdict::Invalid | Verdict::Error) {
            self.exit = self.exit.max(Exit::Findings);
            self.open &= !self.stop_at_first;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        self.open &= self.outputs.flush()? == Flow::Open;
        Ok(())
    }

    /// What `sources` name; says what cannot be read and goes on.
    fn find(&mut self, sources: &[String], purpose: Purpose, client: &Client) -> FoundEntries {
        let mut all = FoundEntries::default();
        for source in sources {
            match source::find(source, purpose, client) {
                Ok(found) => {
                    all.entries.extend(found.entries);
                    all.left_out.extend(found.left_out);
                }
                Err(error) => self.fail(&error),
            }
        }
        all
    }

    /// The CRDs that were named.
    fn crds(
        &mut self,
        args: &Validate,
        config: &Config,
        client: &Client,
        presentation: Presentation<'_>,
    ) -> Result<Vec<Document>> {
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
            let read = |entry: InputEntry| -> Result<_> {
                let input = entry.read()?;
                let (crds, refused) = crds::of_input(&input, false);
                let again = || crds::of_input(&input, true).1.into_iter();
                let judged =
                    (!refused.is_empty()).then(|| again().map(|issue| unreadable(vec![issue])));
                let problems = presentation.objects(&input, judged.into_iter().flatten());
                Ok((crds, problems))
            };
            let outcomes: Vec<_> = found.entries.into_par_iter().map(read).collect();
            let before = documents.len();
            let mut failed = none && self.exit == Exit::Failed;
            for outcome in outcomes {
                match outcome {
                    Ok((crds, problems)) => {
                        documents.extend(crds.into_iter().map(|decoded| decoded.document));
                        failed |= !problems.is_empty();
                        problems.iter().try_for_each(|problem| self.object(problem))?;
                    }
                    Err(error) => {
                        failed = true;
                        self.fail(&error);
                    }
                }
            }
            if required && !failed && documents.len() == before {
                self.fail(&anyhow::anyhow!("there is no CustomResourceDefinition in `{source}`"));
            }
        }
        Ok(documents)
    }

    /// The objects that others are updates of.
    fn old(
        &mut self,
        sources: &[String],
        client: &Client,
        presentation: Presentation<'_>,
    ) -> Result<HashMap<ObjectName, Document>> {
        let mut old = HashMap::new();
        let options = DecodeOptions { positions: true, ..DecodeOptions::default() };
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
                    let identity = objects::identify(&document).map_err(|issue| vec![*issue])?;
                    Ok((ObjectName::from(&identity), document))
                });
                match identified {
                    Ok((name, document)) => {
                        old.insert(name, document);
                    }
                    Err(issues) => refused.push(unreadable(issues)),
                }
            }
            if !refused.is_empty() {
                let problems = presentation.objects(&input, refused);
                problems.iter().try_for_each(|problem| self.object(problem))?;
            }
        }
        Ok(old)
    }

    fn judge(
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

    /// Judges a large entry, as many parts at a time as there are workers.
    fn large(
        &mut self,
        judge: &Judge<'_>,
        entry: &InputEntry,
        progress: &mut Progress,
    ) -> Result<()> {
        let mut parts = match entry.parts() {
            Ok(parts) => parts,
            Err(error) => {
                self.fail(&error);
                return Ok(());
            }
        };
        while self.open {
            let n_parts = rayon::current_num_threads();
            let window: Vec<_> = parts
                .by_ref()
                .take(n_parts)
                .map(|part| part.map_or_else(Unit::Failed, Unit::Kept))
                .collect();
            if window.is_empty() {
                break;
            }
            self.window(judge, window, progress)?;
        }
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
        let n_files = window.len();
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
}

fn unreadable(issues: Vec<Issue>) -> Judged {
    Judged { identity: None, issues, skipped: false }
}
