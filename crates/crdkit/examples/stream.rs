//! Checks the items of a list as it is read, one after the other, whatever its length.
#![expect(clippy::print_stdout, reason = "a program for people")]

use crdkit::FieldPath;
use crdkit::structure::{Elements, ImportOptions, Stream, StreamOptions, import_yaml};
use std::error::Error;

const SCHEMA: &[u8] = b"
type: object
properties:
  items:
    type: array
    items:
      type: object
      required: [watts]
      properties:
        watts: {type: integer, maximum: 60}
";

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let schema = import_yaml(SCHEMA, &ImportOptions::new())?.schema;
    // Anything that implements `Read` will do; this one could be a socket.
    let lamps = (0..1_000).map(|n| format!(r#"{{"watts": {}}}"#, n % 70)).collect::<Vec<_>>();
    let text = format!(r#"{{"items": [{}]}}"#, lamps.join(", "));
    let options = StreamOptions::default();
    let stream = Stream::new(text.as_bytes(), &schema, &options);

    let mut refused = 0;
    for element in Elements::new(stream, FieldPath::root().field("items")) {
        let element = element?;
        if let Err(issues) = element.outcome {
            refused += 1;
            if refused == 1 {
                println!(
                    "item {}: {}",
                    element.index,
                    issues.first().map(ToString::to_string).unwrap_or_default()
                );
            }
        }
    }
    println!("{refused} of {} are refused", lamps.len());
    assert_eq!(refused, 126);
    Ok(())
}
