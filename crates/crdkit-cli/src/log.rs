//! What commands that keep running tell whoever operates them: on standard error, as text or one JSON object a line.

use anyhow::{Result, anyhow};
use clap::{Args, ValueEnum};
use tracing_subscriber::filter::LevelFilter;

/// How much is told, and how.
#[derive(Debug, Args)]
pub(crate) struct Logging {
    /// How the log on standard error is written
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    log_format: LogFormat,

    /// What the log has: each level has what the ones before it have
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t)]
    log_level: LogLevel,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum LogFormat {
    /// Lines for people
    #[default]
    Text,
    /// A JSON object a line
    Json,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum LogLevel {
    /// Nothing
    Off,
    /// What the program could not do
    Error,
    /// What may become an error
    #[default]
    Warn,
    /// What has changed
    Info,
    /// Every request
    Debug,
    /// Everything
    Trace,
}

impl Logging {
    /// Begins to log.
    ///
    /// # Errors
    /// When something else logs already.
    pub(crate) fn start(&self) -> Result<()> {
        let level = match self.log_level {
            LogLevel::Off => LevelFilter::OFF,
            LogLevel::Error => LevelFilter::ERROR,
            LogLevel::Warn => LevelFilter::WARN,
            LogLevel::Info => LevelFilter::INFO,
            LogLevel::Debug => LevelFilter::DEBUG,
            LogLevel::Trace => LevelFilter::TRACE,
        };
        let log = tracing_subscriber::fmt().with_max_level(level).with_writer(std::io::stderr);
        let started = match self.log_format {
            LogFormat::Text => log.with_ansi(false).try_init(),
            LogFormat::Json => log.json().flatten_event(true).try_init(),
        };
        started.map_err(|error| anyhow!("the log cannot be started: {error}"))
    }
}
