//! Bench `stream`: a gigabyte of objects in one list, checked while it is read.
//!
//! The input is made while it is read, so that no memory but the stream's own counts. Decoding alone is the
//! same walk under a schema that asks for nothing: every item becomes a document and is dropped. The schema
//! does not declare all fields, so pruning has something to do.

use crate::generate;
use anyhow::{Context as _, Result, bail};
use crdkit_codec::{DecodeOptions, yaml};
use crdkit_issue::FieldPath;
use crdkit_structure::import::{Profile, Unknown};
use crdkit_structure::stream::{Stream, StreamOptions, StreamStep};
use crdkit_structure::{ImportOptions, Schema, import};
use std::io::{self, Read};
use std::path::Path;
use std::time::Instant;

const SIZE: usize = 1 << 30;

const SCHEMA: &str = r"
type: object
required: [apiVersion, kind, items]
properties:
  apiVersion: {type: string}
  kind: {type: string, maxLength: 63}
  items:
    type: array
    items:
      type: object
      required: [apiVersion, kind, metadata]
      properties:
        apiVersion: {type: string, maxLength: 63}
        kind: {type: string, pattern: '^[A-Z][A-Za-z]*$'}
        metadata:
          type: object
          required: [name]
          properties:
            name: {type: string, minLength: 1, maxLength: 253}
            namespace: {type: string, maxLength: 63}
            uid: {type: string}
            generation: {type: integer, minimum: 0}
            labels: {type: object, additionalProperties: {type: string, maxLength: 63}}
            annotations: {type: object, additionalProperties: {type: string}}
        data: {type: object, additionalProperties: {type: string}}
        immutable: {type: boolean}
        weight: {type: number, minimum: 0}
        spec:
          type: object
          required: [selector, template]
          properties:
            replicas: {type: integer, minimum: 0, maximum: 100}
            selector: {type: object}
            strategy: {type: object, properties: {type: {type: string, enum: [Recreate, RollingUpdate]}}}
            template:
              type: object
              properties:
                metadata: {type: object}
                spec:
                  type: object
                  properties:
                    containers:
                      type: array
                      minItems: 1
                      x-kubernetes-list-type: map
                      x-kubernetes-list-map-keys: [name]
                      items:
                        type: object
                        required: [name, image]
                        properties:
                          name: {type: string, maxLength: 63}
                          image: {type: string}
                          args: {type: array, items: {type: string}}
                          ports:
                            type: array
                            items:
                              type: object
                              required: [containerPort]
                              properties:
                                containerPort: {type: integer, minimum: 1, maximum: 65535}
                                protocol: {type: string, enum: [TCP, UDP, SCTP]}
                          env:
                            type: array
                            items: {type: object, required: [name], properties: {name: {type: string}}}
        status: {type: object, x-kubernetes-preserve-unknown-fields: true}
";

// Proves REQ-117.
pub(crate) fn run(_corpus: &Path) -> Result<()> {
    let schemas = [
        ("decoding alone", schema("{}", Unknown::Preserve)?),
        ("validation", schema(SCHEMA, Unknown::Preserve)?),
        ("pruning and validation", schema(SCHEMA, Unknown::Prune)?),
    ];
    for (positions, title) in [(false, "without positions"), (true, "with positions")] {
        println!("list of {SIZE} bytes, {title}");
        let options = StreamOptions::new().positions(positions);
        let mut decoding = None;
        for (name, schema) in &schemas {
            let (seconds, n_items, n_issues) = read(schema, &options)?;
            if n_issues > 0 {
                bail!("the list should be right, but there are {n_issues} findings");
            }
            let ratio = seconds / *decoding.get_or_insert(seconds);
            #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
            let rate = SIZE as f64 / seconds / 1e6;
            println!(
                "  {name:<28} {n_items} objects in {seconds:.3} s, {rate:>6.1} MB/s, {ratio:>5.3} of decoding"
            );
        }
    }
    match peak_memory() {
        Some(kilobytes) => println!("peak resident memory: {:.1} MB", kilobytes / 1024.0),
        None => println!("peak resident memory: not known on this system"),
    }
    Ok(())
}

fn schema(text: &str, unknown: Unknown) -> Result<Schema> {
    let decoded = yaml::decode(text.as_bytes(), &DecodeOptions::default());
    let document = decoded.map_err(|issue| anyhow::anyhow!("{issue}"))?.document;
    let options = ImportOptions::new().profile(Profile::Loose).unknown(unknown);
    Ok(import(document.root(), &options).context("the bench's schema")?.schema)
}

/// Seconds, items and findings.
fn read(schema: &Schema, options: &StreamOptions) -> Result<(f64, usize, usize)> {
    let items = FieldPath::root().field("items");
    let started = Instant::now();
    let mut stream = Stream::new(List::new(SIZE), schema, options).opening(items.clone());
    let (mut n_items, mut n_issues) = (0, 0);
    while let Some(step) = stream.step()? {
        match step {
            StreamStep::Part(part) => {
                n_items += usize::from(part.index_in(&items).is_some());
                n_issues += part.issues.len();
            }
            StreamStep::Finding(_) => n_issues += 1,
            _ => {}
        }
    }
    Ok((started.elapsed().as_secs_f64(), n_items, n_issues))
}

/// The most memory this process has had, in kilobytes.
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches("kB").trim().parse().ok()
}

/// A list of about so many bytes, made while it is read.
struct List {
    objects: Vec<String>,
    left: usize,
    next: usize,
    piece: Vec<u8>,
    read: usize,
    is_over: bool,
}

impl List {
    fn new(size: usize) -> Self {
        let piece = br#"{"apiVersion":"v1","kind":"List","items":["#.to_vec();
        let objects = (0..64).map(generate::object).collect();
        Self { objects, left: size, next: 0, piece, read: 0, is_over: false }
    }

    fn refill(&mut self) {
        self.read = 0;
        self.piece.clear();
        if self.left == 0 {
            if !self.is_over {
                self.piece.extend_from_slice(b"]}");
                self.is_over = true;
            }
            return;
        }
        // Enough at a time that making it costs nothing beside reading it.
        while self.piece.len() < 256 << 10 && self.left > 0 {
            if self.next > 0 {
                self.piece.push(b',');
            }
            let object = self.objects.get(self.next % self.objects.len());
            let object = object.map_or("{}", String::as_str);
            self.piece.extend_from_slice(object.as_bytes());
            self.left = self.left.saturating_sub(object.len() + 1);
            self.next += 1;
        }
    }
}

impl Read for List {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        if self.read == self.piece.len() {
            self.refill();
        }
        let rest = self.piece.get(self.read..).unwrap_or_default();
        let n_bytes = rest.len().min(room.len());
        if let (Some(room), Some(rest)) = (room.get_mut(..n_bytes), rest.get(..n_bytes)) {
            room.copy_from_slice(rest);
        }
        self.read += n_bytes;
        Ok(n_bytes)
    }
}
