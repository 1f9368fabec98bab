//! Recorded cases: JSON objects, one to a line, JSON files in a folder, or folders of files.

use anyhow::{Context as _, Result, anyhow};
use crdkit_codec::{DecodeOptions, json, yaml};
use crdkit_value::{Document, Event, NumberMode, Value};
use flate2::read::GzDecoder;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

/// One case.
pub(crate) struct Case {
    /// What names it: its `id`, or the number of its line from 0.
    pub(crate) id: String,
    document: Document,
}

/// The cases of one file or directory.
pub(crate) struct Cases(Vec<Case>);

impl Cases {
    /// The cases of a file with one to a line, or of a directory with a folder for each.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let unreadable = || format!("`{}` cannot be read", path.display());
        if path.is_dir() {
            let mut entries = fs::read_dir(path).with_context(unreadable)?.flatten();
            let has_reports = entries.any(|entry| entry.path().join("expected.json").is_file());
            let read = if has_reports { Self::folders } else { Self::read_folder };
            return read(path).with_context(unreadable);
        }
        let mut file = File::open(path).with_context(unreadable)?;
        let mut text = Vec::new();
        if path.extension().is_some_and(|extension| extension == "gz") {
            GzDecoder::new(file).read_to_end(&mut text).with_context(unreadable)?;
        } else {
            file.read_to_end(&mut text).with_context(unreadable)?;
        }
        let lines = text.split(|byte| *byte == b'\n').enumerate();
        let lines = lines.filter(|(_, line)| !line.trim_ascii().is_empty());
        let cases: Result<_> = lines.map(|(number, line)| Case::new(number, line)).collect();
        cases.map(Self).with_context(unreadable)
    }

    /// Folders that hold an old CRD `a.yaml`, a new one `b.yaml` and the report `expected.json`.
    fn folders(path: &Path) -> Result<Self> {
        let entries: Result<Vec<_>, _> = fs::read_dir(path)?.collect();
        let mut folders: Vec<_> = entries?.into_iter().map(|entry| entry.path()).collect();
        folders.sort();
        let read = |file: &Path| -> Result<Document> {
            let unreadable = || format!("`{}` cannot be read", file.display());
            let text = fs::read(file).with_context(unreadable)?;
            let decoded = yaml::decode(&text, &DecodeOptions::default());
            Ok(decoded.map_err(|issue| anyhow!("{issue}")).with_context(unreadable)?.document)
        };
        let case = |folder: &Path| -> Result<Case> {
            let id = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let (old, new) = (read(&folder.join("a.yaml"))?, read(&folder.join("b.yaml"))?);
            let report = read(&folder.join("expected.json"))?;
            // The program fails when there is an error anywhere in its report.
            let failed = report.root().events().any(|event| event == Event::Key("errors"));
            let mut events = vec![Event::BeginObject];
            for (key, side) in [("old", &old), ("new", &new)] {
                events.push(Event::Key(key));
                events.extend(side.root().events());
            }
            events.extend([Event::Key("crdify"), Event::BeginObject]);
            events.extend([Event::Key("failed"), Event::Bool(failed), Event::Key("report")]);
            events.extend(report.root().events());
            events.extend([Event::EndObject, Event::EndObject]);
            Ok(Case { id, document: Document::of_events(events) })
        };
        folders.iter().map(|folder| case(folder)).collect::<Result<_>>().map(Self)
    }

    /// Every JSON file of a folder, whatever it holds, by the path inside the folder; numbers as written.
    fn read_folder(root: &Path) -> Result<Self> {
        let mut cases = Vec::new();
        let mut pending = vec![root.to_owned()];
        while let Some(folder) = pending.pop() {
            for entry in fs::read_dir(&folder)? {
                let path = entry?.path();
                if path.is_dir() {
                    pending.push(path);
                } else if path.extension().is_some_and(|extension| extension == "json") {
                    let options = DecodeOptions::new().numbers(NumberMode::Text);
                    let decoded = json::decode(&fs::read(&path)?, &options)
                        .map_err(|issue| anyhow!("`{}`: {issue}", path.display()))?;
                    let id = path.strip_prefix(root)?.to_string_lossy().into_owned();
                    cases.push(Case { id, document: decoded.document });
                }
            }
        }
        cases.sort_by(|left, right| left.id.cmp(&right.id));
        Ok(Self(cases))
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Case> {
        self.0.iter()
    }

    pub(crate) fn as_slice(&self) -> &[Case] {
        &self.0
    }
}

impl Case {
    fn new(number: usize, line: &[u8]) -> Result<Self> {
        let decoded = json::decode(line, &DecodeOptions::default())
            .map_err(|issue| anyhow!("line {}: {issue}", number + 1))?;
        let named = decoded.document.root().get("id").and_then(Value::as_str).map(str::to_owned);
        let id = named.unwrap_or_else(|| number.to_string());
        Ok(Self { id, document: decoded.document })
    }

    /// The whole case.
    pub(crate) fn root(&self) -> Value<'_> {
        self.document.root()
    }

    /// A member of the case.
    pub(crate) fn get(&self, key: &str) -> Option<Value<'_>> {
        self.root().get(key)
    }

    /// A member of the case that is a string.
    pub(crate) fn text(&self, key: &str) -> &str {
        self.get(key).and_then(Value::as_str).unwrap_or_default()
    }
}

/// Reads an answer.
pub(crate) fn parse(line: &[u8]) -> Result<Document> {
    let decoded = json::decode(line, &DecodeOptions::default());
    decoded
        .map(|decoded| decoded.document)
        .map_err(|issue| anyhow!("an answer is not JSON: {issue}"))
}
