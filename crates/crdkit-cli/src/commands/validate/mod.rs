//! `crdkit validate`: the API server's verdict on objects.
//!
//! Inputs are gone through twice: first for the CRDs among them, which later objects and earlier ones
//! alike may need, then to judge objects. What is small is read once and kept; what is large is read in
//! parts, so that memory does not grow with the input; standard input is judged as it comes in. Work is done
//! in parallel, a window of inputs at a time, and written in input order.

mod fix;
mod options;
mod run;
mod schemas;

pub(crate) use options::Choices;

use crate::args::{Args, Compat, FieldValidation, Switch, Validate};
use crate::config::{Config, NAME as CONFIG};
use crate::crds::Crds;
use crate::exit::Exit;
use crate::input::{DocumentStream, InputEntry};
use crate::judge::{Judge, Presentation};
use crate::kubernetes;
use crate::location::Locations;
use crate::policies::Policies;
use crate::progress::Progress;
use crate::report::{self, LeftOut, Object, Outputs, ReportFormat, Spec, Style};
use crate::scan::scan;
use crate::source::render::{self, Rendering, When};
use crate::source::{self, Client, FoundEntries, Purpose};
use crate::wanted::Wanted;
use crate::watch;
use anyhow::{Context as _, Result};
use clap::CommandFactory as _;
use clap::error::ErrorKind;
use crdkit_text::regex::Regex;
use fix::Fixes;
use run::ValidationRun;
use schemas::{LoadedCrd, Schemas};
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) fn run(args: &Validate) -> Result<Exit> {
    let paths = inputs(args);
    if let Some(n) = args.n {
        rayon::ThreadPoolBuilder::new().num_threads(n.into()).build_global()?;
    }
    if args.choices.fix {
        fix(args, &paths)?;
    }
    if !args.watch {
        let exit = once(args, &paths, None)?;
        let forgiven = args.choices.exit_zero && exit == Exit::Findings;
        return Ok(if forgiven { Exit::Fine } else { exit });
    }
    let sources = [&paths, &args.crds, &args.old, &args.schema_location];
    let files = sources.into_iter().flatten().map(PathBuf::from);
    let files = files.chain([PathBuf::from(CONFIG)]).collect();
    watch::forever(files, || once(args, &paths, None).map(|_| Vec::new()))
}

/// Corrects what can be corrected. One correction may make the next one safe.
fn fix(args: &Validate, paths: &[String]) -> Result<()> {
    const ROUNDS: usize = 4;
    let mut fixed = fix::Fixed::default();
    for _ in 0..ROUNDS {
        let mut found = Fixes::default();
        once(args, paths, Some(&mut found))?;
        if !found.apply(&mut fixed)? {
            break;
        }
    }
    if let Some(text) = fixed.in_words() {
        report::note(&text);
    }
    Ok(())
}

/// One run. With `fixes` nothing is shown, and what can be corrected is collected.
fn once(args: &Validate, paths: &[String], fixes: Option<&mut Fixes>) -> Result<Exit> {
    let kubeconform = args.compat == Some(Compat::Kubeconform);
    if !kubeconform {
        args.reporting.kubernetes.choose();
    }
    let choices = &args.choices;
    let config = args.reporting.config()?;
    let client = Arc::new(args.fetching.client());
    let default = if kubeconform { ReportFormat::Text } else { ReportFormat::Pretty };
    let specs = if fixes.is_some() { Vec::new() } else { args.reporting.outputs(default) };
    let excerpts = !kubeconform && specs.iter().any(|spec| spec.format == ReportFormat::Pretty);
    let presentation = Presentation { config: &config, excerpts };
    let style = Style {
        kubeconform,
        verbose: args.reporting.verbose,
        summary: args.reporting.summary,
        stdin: paths == ["-"],
        cases: false,
    };
    let is_quiet = args.reporting.quiet || fixes.is_some();
    let mut run = ValidationRun::new(Outputs::new(&specs, style), fixes);
    run.stop_at_first = args.exit_on_error;
    run.most_errors = choices.max_errors.map(usize::from);
    if let Some(problems) = &config.problems {
        run.object(problems)?;
    }

    let patterns = patterns(args, &config)?;
    let (mut stream, paths) = stream(args, paths, kubeconform);
    let mut found = run.find(&paths, Purpose::Objects, &client);
    if !kubeconform {
        run.render(&mut found, &args.rendering)?;
    }
    found.entries.retain(|entry| !patterns.iter().any(|pattern| pattern.is_match(&entry.name)));
    let mut n_files = found.entries.len() + usize::from(stream.is_some());
    // A stream that ends soon is an input like any other.
    if let Some(open) = &mut stream {
        match open.read_if_small() {
            Ok(Some(entry)) => {
                found.entries.push(entry);
                stream = None;
            }
            Ok(None) => {}
            Err(error) => {
                run.fail(&error);
                (stream, n_files) = (None, n_files - 1);
            }
        }
    }
    let (own, units) = scan(found.entries);

    let objects_exit = std::mem::replace(&mut run.exit, Exit::Fine);
    let wanted = if stream.is_some() { Wanted::all() } else { Wanted::of(&units) };
    let mut loaded = run.crds(args, &config, &client, (presentation, &wanted))?;
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
    let sender = (&*args.user, &*args.groups);
    let policies = Policies::load(&args.policies, &client, sender)?;
    let among = |(file, document)| LoadedCrd { document, entry: None, file };
    loaded.extend(own.into_iter().map(among));
    let mut schemas = Schemas::new(loaded, choices.crds_conflict, presentation);
    for conflict in std::mem::take(&mut schemas.conflicts) {
        run.object(&conflict)?;
    }
    let ignores_missing = args.ignore_missing_schemas || config.ignore_missing_schemas;
    let mut judge = Judge {
        crds: Crds::new(schemas.set.clone(), locations(args, &config, &client)?),
        old,
        field_validation: field_validation(args, &config),
        ignore_missing_schemas: ignores_missing && !choices.no_ignore_missing_schemas,
        native: args.native == Switch::On,
        policies: policies.as_ref(),
        only: joined(&choices.only, &[]),
        skip: joined(&args.skip, &config.skip),
        skip_json_path: choices.skip_json_path.clone(),
        subresource: choices.subresource,
        as_is: kubeconform || choices.as_is,
        leaves_out: !kubeconform && !choices.require_objects,
        reject: joined(&args.reject, &config.reject),
        counts_valid: !kubeconform && !style.verbose && specs.iter().all(Spec::is_for_people),
        presentation,
    };
    run.reports_crds = !kubeconform && judge.judges_crds();
    if run.reports_crds {
        run.reported = schemas.set.clone();
    }
    for (path, reason) in &found.left_out {
        run.hold(&Object::left_out(&path.display().to_string().into(), *reason))?;
    }
    let mut progress = Progress::new(n_files, is_quiet);
    run.judge(&judge, units, &mut progress)?;
    if let Some(stream) = stream {
        run.stream(&mut judge, stream)?;
    }
    drop(progress);
    for problem in schemas.check(&judge.crds.used(), presentation) {
        run.object(&problem)?;
    }
    if let Some(note) = kubernetes::native_note().filter(|_| !kubeconform && !is_quiet) {
        report::note(&note);
    }
    run.finish(n_files, |summary, exit| {
        let is_empty = summary.n_objects() == 0 && exit == Exit::Fine;
        if kubeconform || !is_empty || choices.allow_empty {
            if !kubeconform && !is_quiet {
                report::note(&summary.in_words());
            }
            // kubeconform knows one code for everything that went wrong.
            return if kubeconform { exit.min(Exit::Findings) } else { exit };
        }
        if !is_quiet {
            report::note(&summary.in_words());
        }
        report::failure(&anyhow::anyhow!(
            "nothing to validate: there are no objects in the input; use `--allow-empty` to allow this"
        ));
        Exit::Failed
    })
}

/// Standard input, if it is one of the sources, and the others.
fn stream(
    args: &Validate,
    paths: &[String],
    kubeconform: bool,
) -> (Option<DocumentStream>, Vec<String>) {
    let (stdin, paths): (Vec<_>, Vec<_>) = paths.iter().cloned().partition(|path| path == "-");
    let name = match &args.choices.stdin_filename {
        Some(name) => name,
        None if kubeconform => "stdin",
        None => "<stdin>",
    };
    ((!stdin.is_empty()).then(|| DocumentStream::stdin(name)), paths)
}

/// The sources of objects; without any, standard input.
fn inputs(args: &Validate) -> Vec<String> {
    let refuse = |text: &str| {
        let mut command = Args::command();
        command.build();
        let own = command.find_subcommand_mut("validate").map(std::mem::take);
        own.unwrap_or(command).error(ErrorKind::MissingRequiredArgument, text).exit()
    };
    let named: Vec<_> = args.paths.iter().chain(&args.choices.filename).cloned().collect();
    let paths = match named.as_slice() {
        [] if std::io::stdin().is_terminal() => {
            refuse("nothing to validate: name files or directories, or pipe objects in")
        }
        [] => vec!["-".to_owned()],
        paths => paths.to_vec(),
    };
    let all = || paths.iter().chain(&args.crds).chain(&args.old);
    let uses_stdin = all().any(|source| source == "-");
    if args.watch && uses_stdin {
        refuse("standard input (`-`) cannot be watched; name files or directories");
    }
    if args.choices.fix && uses_stdin {
        refuse("standard input (`-`) cannot be corrected; name files or directories");
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
    Locations::new(
        &texts,
        &args.reporting.kubernetes.kubernetes_version,
        args.strict,
        Arc::clone(client),
    )
}

/// Whether a schema location names CRDs rather than a layout of JSON Schemas.
fn is_crd_source(text: &str) -> bool {
    let is_yaml = crdkit_codec::Format::of_name(text.as_ref()) == Some(crdkit_codec::Format::Yaml);
    let is_scheme = ["git", "helm+", "oci:", "kube:"].iter().any(|it| text.starts_with(it));
    let names_crds = is_yaml || source::is_archive(text) || text == "-" || is_scheme;
    names_crds && !text.contains("{{")
}

impl ValidationRun<'_> {
    /// Renders charts and overlays among what was found, and leaves out what they are made of.
    fn render(&mut self, found: &mut FoundEntries, settings: &Rendering) -> Result<()> {
        if settings.render == When::Never {
            return Ok(());
        }
        if settings.render == When::Always && found.roots.is_empty() {
            self.fail(&anyhow::anyhow!(
                "there is neither a chart nor an overlay in the input, and `--render always` was given"
            ));
            return Ok(());
        }
        let rendered = render::render(&found.roots, settings);
        for failure in &rendered.failures {
            self.fail(failure);
        }
        let is_part = |entry: &InputEntry| {
            let path = entry.path().unwrap_or_else(|| Path::new(&*entry.name));
            rendered.covers(path)
        };
        for entry in found.entries.extract_if(.., |entry| is_part(entry)) {
            self.hold(&Object::left_out(&entry.name, LeftOut::Rendered))?;
        }
        found.left_out.retain(|(path, _)| !rendered.is_source(Path::new(path)));
        found.entries.extend(rendered.entries);
        found.entries.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(())
    }
}
