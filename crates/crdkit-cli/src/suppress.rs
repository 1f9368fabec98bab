//! Comments that silence findings: `# crdkit-ignore: CODE reason`.
//!
//! A comment after something is about its own line, a comment alone about the next line that is not a
//! comment. It names the codes it silences, with commas between them, and must give a reason.

use crate::report::{ShownFinding, SourceText};
use crdkit_issue::{Issue, Span, codes};

/// The comments of one input.
pub(crate) struct Suppressions {
    comments: Vec<Comment>,
    problems: Vec<Issue>,
}

struct Comment {
    code: String,
    reason: String,
    /// The line it is about.
    line: usize,
    span: Span,
    used: bool,
}

const WORD: &[u8] = b"crdkit-ignore:";

impl Suppressions {
    /// Finds the comments in YAML.
    pub(crate) fn find(bytes: &[u8], first_line: usize) -> Self {
        let mut found = Self { comments: Vec::new(), problems: Vec::new() };
        if memchr::memmem::find(bytes, WORD).is_none() {
            return found;
        }
        let mut offset = 0;
        // Comments that wait for the line they are about.
        let mut waiting = 0;
        for (index, text) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
            let line = first_line + index;
            let content = text.trim_ascii();
            let alone = content.starts_with(b"#");
            if !alone && !content.is_empty() {
                let from = found.comments.len() - waiting;
                for comment in found.comments.get_mut(from..).unwrap_or_default() {
                    comment.line = line;
                }
                waiting = 0;
            }
            if let Some(at) = comment_start(text) {
                let before = found.comments.len();
                let end = offset + text.trim_ascii_end().len();
                found.read(text.get(at..).unwrap_or_default(), Span::new(offset + at, end), line);
                if alone {
                    waiting += found.comments.len() - before;
                }
            }
            offset += text.len();
        }
        found
    }

    fn read(&mut self, comment: &[u8], span: Span, line: usize) {
        let comment = String::from_utf8_lossy(comment);
        let Some((_, text)) = comment.split_once(':') else { return };
        let (names, reason) =
            text.trim().split_once(char::is_whitespace).unwrap_or((text.trim(), ""));
        let mut refuse = |problem: &str| {
            let issue = Issue::warning(codes::source::IGNORE_INCOMPLETE).with("problem", problem);
            self.problems.push(issue.span(span));
        };
        let names: Vec<&str> = names.split(',').filter(|name| !name.is_empty()).collect();
        if names.is_empty() {
            return refuse("the code is missing");
        }
        if let Some(name) = names.iter().find(|name| !is_code(name)) {
            return refuse(&format!("there is no code `{name}`"));
        }
        if reason.trim().is_empty() {
            return refuse("the reason is missing");
        }
        let reason = reason.trim();
        self.comments.extend(names.into_iter().map(|code| Comment {
            code: code.to_owned(),
            reason: reason.to_owned(),
            line,
            span,
            used: false,
        }));
    }

    /// Silences those of `findings` that a comment is about.
    pub(crate) fn apply(&mut self, findings: &mut [ShownFinding]) {
        for finding in findings {
            let Some(start) = finding.start else { continue };
            let about = |comment: &&mut Comment| {
                comment.line == start.line && comment.code == finding.code.name()
            };
            // They come in the order of their lines.
            let first = self.comments.partition_point(|comment| comment.line < start.line);
            let on_line = self.comments.iter_mut().skip(first);
            let mut on_line = on_line.take_while(|comment| comment.line == start.line);
            if let Some(comment) = on_line.find(about) {
                comment.used = true;
                finding.suppressed = Some(comment.reason.clone());
            }
        }
    }

    /// What is wrong with the comments themselves, those that silence nothing included.
    pub(crate) fn findings(self, source: &SourceText<'_>, with_excerpt: bool) -> Vec<ShownFinding> {
        let mut issues = self.problems;
        for comment in self.comments.into_iter().filter(|comment| !comment.used) {
            let issue = Issue::warning(codes::source::IGNORE_UNUSED).with("code", comment.code);
            issues.push(issue.span(comment.span));
        }
        issues.sort_by_key(|issue| issue.span);
        issues.iter().map(|issue| ShownFinding::new(issue, source, with_excerpt)).collect()
    }
}

/// Where the comment begins that `line` has for us.
fn comment_start(line: &[u8]) -> Option<usize> {
    let word = memchr::memmem::find(line, WORD)?;
    let hash = memchr::memrchr(b'#', line.get(..word)?)?;
    let between = line.get(hash + 1..word)?;
    let before = hash.checked_sub(1).and_then(|before| line.get(before));
    let is_comment = before.is_none_or(u8::is_ascii_whitespace);
    (is_comment && between.trim_ascii().is_empty()).then_some(hash)
}

fn is_code(name: &str) -> bool {
    codes::GROUPS.iter().flat_map(|(_, codes)| *codes).any(|code| code.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let found = Suppressions::find(text.as_bytes(), 1);
        let comments =
            found.comments.iter().map(|it| format!("{}: {} {}", it.line, it.code, it.reason));
        let problems = found.problems.iter().map(Issue::message);
        assert_eq!(comments.chain(problems).collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn a_comment_is_about_its_line_or_the_next() {
        check("a: 1 # crdkit-ignore: required it is not\n", &["1: required it is not"]);
        check("# crdkit-ignore: required why\n# more\n\na: 1\n", &["4: required why"]);
        check(
            "a: 1\n  # crdkit-ignore: required,minimum why\n  b: 2",
            &["3: required why", "3: minimum why"],
        );
        check("a: b#crdkit-ignore: required why", &[]);
        check("a: '# crdkit-ignored: required why'", &[]);
    }

    #[test]
    fn a_comment_without_code_or_reason_is_a_finding() {
        let wanted = "write `# crdkit-ignore: CODE reason`; ";
        check("# crdkit-ignore: required", &[&format!("{wanted}the reason is missing")]);
        check("# crdkit-ignore:", &[&format!("{wanted}the code is missing")]);
        check("# crdkit-ignore: nothing at all", &[&format!("{wanted}there is no code `nothing`")]);
    }
}
