//! The arguments of `crdkit test`.

use crate::args::{Fetching, Reporting};
use clap::Args;

/// Run suites of requests against CRDs, without a cluster
///
/// A suite is a YAML file of cases: what is created or changed, and what is to come of it: the object as
/// it would be stored, or the errors. Directories are searched for suites. Suites of openshift/api are
/// read as they are.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Example of a suite:
  crds: ../crds
  base: {apiVersion: lighting.example.com/v1, kind: Lamp, metadata: {name: desk}}
  cases:
  - name: watts have a default
    create: {spec: {}}
    expect: {spec: {watts: 40}}
  - name: bright lamps are refused
    create: {spec: {watts: 1000}}
    errors:
    - spec.watts: Invalid value
  - name: the colour cannot change
    update:
      from: {spec: {colour: red}}
      to: {spec: {colour: blue}}
    errors: [{path: spec.colour, text: immutable}]

Examples:
  crdkit test tests/
  crdkit test --crds config/crd --run 'default' tests/lamps.yaml
  crdkit test --watch -o pretty -o junit=report.xml tests/
")]
pub(crate) struct Test {
    /// Files of cases, or directories that are searched for them
    #[arg(value_name = "SUITE", required = true)]
    pub(crate) paths: Vec<String>,

    /// A source of CRDs, besides those that suites name; may be given more than once
    #[arg(long, value_name = "SOURCE")]
    pub(crate) crds: Vec<String>,

    /// Admission policies that have a say in all requests, besides those that suites name; may be given more than once
    #[arg(long, value_name = "SOURCE")]
    pub(crate) policies: Vec<String>,

    /// Run the cases whose name, with that of the suite in front, matches this regular expression
    #[arg(long, value_name = "REGEX", value_parser = crate::args::regex)]
    pub(crate) run: Option<String>,

    /// Write the actual results into suites that expect something else; review the difference before you keep it
    #[arg(long, visible_alias = "update", conflicts_with = "watch")]
    pub(crate) bless: bool,

    /// Keep running, and run again whenever a file changes
    #[arg(long)]
    pub(crate) watch: bool,

    #[command(flatten)]
    pub(crate) reporting: Reporting,

    #[command(flatten)]
    pub(crate) fetching: Fetching,
}
