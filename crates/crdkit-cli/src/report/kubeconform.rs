//! Text as kubeconform writes it, for whoever reads it by machine: one line for each object.

use super::escape::inline;
use super::{Object, Sink, Style, Summary, Verdict};

pub(super) struct KubeconformText {
    style: Style,
    colours: bool,
}

impl KubeconformText {
    pub(super) fn text(style: Style) -> Self {
        Self { style, colours: false }
    }

    pub(super) fn pretty(style: Style) -> Self {
        Self { style, colours: true }
    }
}

impl Sink for KubeconformText {
    fn object(&mut self, object: &Object, out: &mut Vec<u8>) {
        let Object { file, verdict, .. } = object;
        let identity = object.identity().cloned().unwrap_or_default();
        let name = format!("{} {}", identity.gvk.kind, identity.name);
        let (mark, colour, text) = match verdict {
            Verdict::Valid => ("\u{2714}", "\u{1b}[32m", format!("{name} is valid")),
            Verdict::Skipped if self.colours => ("-", "\u{1b}[33m", format!("{name} skipped")),
            // The name comes first here, as it does in the original.
            Verdict::Skipped => {
                ("-", "", format!("{} {} skipped", identity.name, identity.gvk.kind))
            }
            // Never comes here.
            Verdict::LeftOut(_) => return,
            Verdict::Invalid => {
                let problem = object.in_server_words();
                ("\u{2716}", "\u{1b}[31m", format!("{name} is invalid: {problem}"))
            }
            Verdict::Error => {
                let problem = object.errors().map(super::ShownFinding::text).collect::<Vec<_>>();
                let problem = problem.join(", ").replace('\n', " ");
                let named = !identity.gvk.kind.is_empty() && !identity.name.is_empty();
                let subject = if named { name + " " } else { String::new() };
                ("\u{2716}", "\u{1b}[31m", format!("{subject}failed validation: {problem}"))
            }
        };
        if matches!(verdict, Verdict::Valid | Verdict::Skipped) && !self.style.verbose {
            return;
        }
        let (file, text) = (inline(file), inline(&text));
        let line = if self.colours {
            format!("{colour}{mark}\u{1b}[0m {file}: {colour}{text}\u{1b}[0m\n")
        } else {
            format!("{file} - {text}\n")
        };
        out.extend_from_slice(line.as_bytes());
    }

    fn finish(&mut self, summary: &Summary, out: &mut Vec<u8>) {
        if !self.style.summary {
            return;
        }
        let s = |count: usize| if count > 1 { "s" } else { "" };
        let Summary { n_files, n_valid, n_invalid, n_errors, n_skipped, .. } = *summary;
        let n_objects = summary.n_objects();
        let place = if self.style.stdin {
            "parsing stdin".to_owned()
        } else {
            format!("in {n_files} file{}", s(n_files))
        };
        let line = format!(
            "Summary: {n_objects} resource{} found {place} - Valid: {n_valid}, Invalid: {n_invalid}, \
             Errors: {n_errors}, Skipped: {n_skipped}\n",
            s(n_objects),
        );
        out.extend_from_slice(line.as_bytes());
    }
}
