//! Blocks out of Markdown text.

use std::fs;
use std::path::{Path, PathBuf};

/// A fenced block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The file it is in.
    pub file: PathBuf,
    /// The heading above it.
    pub heading: String,
    /// The line of its fence, from 1.
    pub line: usize,
    /// The words after the fence.
    pub words: Vec<String>,
    /// What is inside.
    pub text: String,
}

impl Block {
    /// The word number `index` after the fence; empty if there are not so many.
    pub fn word(&self, index: usize) -> &str {
        self.words.get(index).map_or("", String::as_str)
    }

    /// The words after the fence without the first, which names the language.
    pub fn role(&self) -> String {
        self.words.get(1..).unwrap_or_default().join(" ")
    }

    /// Where it is, for messages.
    pub fn place(&self) -> String {
        format!("{}:{} ({})", self.file.display(), self.line, self.heading)
    }

    /// The comments `# kind: name` at the ends of lines, several separated by commas: the line within the
    /// block from 1, the kind and the name.
    pub fn notes(&self, kinds: &[&str]) -> Vec<(usize, String, String)> {
        let mut notes = Vec::new();
        for (at, line) in self.text.lines().enumerate() {
            let Some((_, comment)) = line.rsplit_once('#') else { continue };
            for note in comment.split(',') {
                if let Some((kind, name)) = note.trim().split_once(": ")
                    && kinds.contains(&kind)
                {
                    notes.push((at + 1, kind.to_owned(), name.trim().to_owned()));
                }
            }
        }
        notes
    }
}

/// The blocks of all Markdown files below `directory`, in the order of their paths.
///
/// # Panics
/// When the directory cannot be read or holds no such file: a suite that is not there must not pass.
pub fn blocks(directory: &Path) -> Vec<Vec<Block>> {
    let mut files = Vec::new();
    collect(directory, &mut files);
    files.sort();
    assert!(!files.is_empty(), "no Markdown below {}", directory.display());
    files.iter().map(|file| parse(file, &read(file))).collect()
}

/// The blocks in the text of `file`.
pub fn parse(file: &Path, text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut heading = String::new();
    let mut open = false;
    for (at, line) in text.lines().enumerate() {
        if let Some(words) = line.strip_prefix("```") {
            open = !open;
            if open {
                blocks.push(Block {
                    file: file.to_owned(),
                    heading: heading.clone(),
                    line: at + 1,
                    words: words.split_whitespace().map(str::to_owned).collect(),
                    text: String::new(),
                });
            }
        } else if open {
            if let Some(block) = blocks.last_mut() {
                block.text.push_str(line);
                block.text.push('\n');
            }
        } else if line.starts_with('#') {
            line.trim_start_matches('#').trim().clone_into(&mut heading);
        }
    }
    blocks
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            files.push(path);
        }
    }
}

fn read(file: &Path) -> String {
    let text = fs::read_to_string(file);
    assert!(text.is_ok(), "{} cannot be read", file.display());
    text.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_carry_their_words_their_heading_and_their_notes() {
        let text =
            "# One\ntext\n```yaml object warn\na: 1 # issue: x, warning: y\nb: '#' # other\n```\n";
        let blocks = parse(Path::new("a.md"), text);
        let [block] = blocks.as_slice() else { panic!("{blocks:?}") };
        assert_eq!((block.heading.as_str(), block.line, block.word(1)), ("One", 3, "object"));
        assert_eq!(block.word(9), "");
        let note = |line: usize, kind: &str, name: &str| (line, kind.to_owned(), name.to_owned());
        assert_eq!(
            block.notes(&["issue", "warning"]),
            [note(1, "issue", "x"), note(1, "warning", "y")]
        );
    }
}
