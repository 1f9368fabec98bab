//! The arguments of `crdkit test`.

use crate::args::{Fetching, Reporting};
use clap::Args;

/// Run suites of requests against CRDs, without a cluster
///
/// A suite is a YAML file of cases: what to create or change, and the expected result, which is the object as
/// it would be stored, or the errors. Directories are searched for suites. Suites in the format of
/// openshift/api work unchanged.
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
    /// Files with cases, or directories to search for them
    #[arg(value_name = "SUITE", required = true)]
    pub(crate) paths: Vec<String>,

    /// A source of CRDs in addition to those that suites name; may be given more than once
    #[arg(long, value_name = "SOURCE")]
    pub(crate) crds: Vec<String>,

    /// Admission policies for all requests, in addition to those that suites name; may be given more than once
    #[arg(long, value_name = "SOURCE")]
    pub(crate) policies: Vec<String>,

    /// Run only cases whose name, prefixed with that of the suite, matches this regular expression
    #[arg(long, value_name = "REGEX", value_parser = crate::args::regex)]
    pub(crate) run: Option<String>,

    /// Update suites with the actual results; review the difference before keeping it
    #[arg(long, visible_alias = "update", conflicts_with = "watch")]
    pub(crate) bless: bool,

    /// Keep running and test again whenever a file changes
    #[arg(long)]
    pub(crate) watch: bool,

    #[command(flatten)]
    pub(crate) reporting: Reporting,

    #[command(flatten)]
    pub(crate) fetching: Fetching,
}
