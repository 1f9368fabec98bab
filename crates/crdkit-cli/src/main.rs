//! The `crdkit` command: arguments, files, output and exit codes around the library.
//!
//! Arguments are parsed as typed (`args`, `kubeconform`) and joined with the project's settings
//! (`config`), each command resolves them into what the library needs (`commands`), inputs are found and
//! read in one place (`source`, `input`, `objects`, `crds`), findings are shown in one place (`report`),
//! and every exit code comes from [`exit::Exit`].
#![expect(clippy::disallowed_methods, reason = "this crate is the edge that does the I/O")]

mod args;
mod commands;
mod config;
mod conversions;
mod crds;
mod exit;
mod format;
mod input;
mod judge;
mod kinds;
mod kubeconform;
mod kubernetes;
mod limits;
mod location;
#[cfg(feature = "serve")]
mod log;
mod native_crd;
mod objects;
mod policies;
mod progress;
mod quality;
mod rendered;
mod report;
mod scan;
mod source;
mod stdout;
mod suite;
mod suppress;
mod wanted;
mod watch;
mod write;

use clap::Parser as _;
use exit::Exit;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    #[cfg(feature = "serve")]
    if let Some(outcome) = commands::envtest::impersonate(std::env::args()) {
        return finish(outcome);
    }
    let arguments = kubeconform::translate(std::env::args_os());
    let is_kubeconform = arguments.iter().any(|it| it == "--compat=kubeconform");
    let args = match args::Args::try_parse_from(arguments) {
        Ok(args) => args,
        Err(error) => {
            let _ = error.print();
            let code = error.exit_code();
            // kubeconform knows one code for everything that went wrong.
            let code = if is_kubeconform { code.min(1) } else { code };
            return ExitCode::from(u8::try_from(code).unwrap_or(2));
        }
    };
    anstream::ColorChoice::from(args.color).write_global();
    limits::set(&args.limits);
    let outcome = match &args.command {
        args::Command::Validate(validate) => commands::validate::run(validate),
        args::Command::Test(test) => commands::test::run(test),
        args::Command::Lint(lint) => commands::lint::run(lint),
        args::Command::Compat(compare) => commands::compat::run(compare),
        args::Command::Pr(pr) => commands::pr::run(pr),
        args::Command::Fetch(fetch) => commands::fetch::run(fetch),
        args::Command::Default(default) => commands::default::run(default),
        args::Command::Convert(convert) => commands::convert::run(convert),
        args::Command::Cel(cel) => commands::cel::run(cel),
        args::Command::Patch(patch) => commands::fields::patch::run(patch),
        args::Command::Apply(apply) => commands::fields::apply::run(apply),
        args::Command::Owners(owners) => commands::fields::owners::run(owners),
        args::Command::Diff(diff) => commands::fields::diff::run(diff),
        args::Command::Explain(explain) => commands::explain::run(explain),
        args::Command::Docs(docs) => commands::docs::run(docs),
        args::Command::Sample(sample) => commands::sample::run(sample),
        args::Command::Schema(schema) => commands::schema::run(schema),
        #[cfg(feature = "serve")]
        args::Command::Serve(serve) => commands::serve::run(serve),
        #[cfg(feature = "serve")]
        args::Command::Webhook(webhook) => commands::webhook::run(webhook),
        #[cfg(feature = "serve")]
        args::Command::Envtest(envtest) => commands::envtest::run(envtest),
        args::Command::Completions(completions) => commands::completions::run(completions),
        args::Command::Man(man) => commands::completions::man(man),
    };
    finish(outcome)
}

/// The exit code of an outcome; a failure is told.
fn finish(outcome: anyhow::Result<Exit>) -> ExitCode {
    let exit = outcome.unwrap_or_else(|error| {
        report::failure(&error);
        Exit::Failed
    });
    exit.into()
}
