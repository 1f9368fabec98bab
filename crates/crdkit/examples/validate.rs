//! Judges an object against a CRD and shows every finding with its line and column.
#![expect(clippy::print_stdout, reason = "a program for people")]

use crdkit::{Crd, Format, LineIndex, RequestOptions};
use std::error::Error;

const CRD: &str = include_str!("../../../fixtures/crds/queues.yaml");

const OBJECT: &str = "\
apiVersion: messaging.example.com/v1
kind: Queue
metadata:
  name: orders
spec:
  partitons: 3
  labels: [red, red]
";

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let crd: Crd = CRD.parse()?;
    let queues = crd.version("v1").ok_or("v1 is not served")?;
    // Everything at once; the API server itself stops at unknown fields.
    let options = RequestOptions::new().report_all(true);
    let outcome = queues.create((Format::Yaml, OBJECT.as_bytes()), &options);
    let lines = LineIndex::new(OBJECT.as_bytes());
    for issue in &outcome.issues {
        let position = issue.span.map(|span| lines.position(OBJECT.as_bytes(), span.start));
        let (line, column) = position.map_or((0, 0), |it| (it.line, it.column));
        println!("{line}:{column}: {}: {issue} [{}]", issue.severity, issue.code);
    }
    let found: Vec<_> = outcome.issues.iter().map(|issue| issue.path.to_string()).collect();
    assert_eq!(found, ["spec.partitons", "spec.labels[1]"]);
    Ok(())
}
