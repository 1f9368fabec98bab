//! A page: blocks of text that Markdown and HTML are written from. Text comes from CRDs, and means nothing in either.

use std::fmt::Write as _;

pub(super) struct Page {
    pub(super) title: String,
    /// What the page is about, in a line of a list of pages.
    pub(super) about: String,
    pub(super) blocks: Vec<Block>,
}

pub(super) enum Block {
    Heading(usize, Line),
    Paragraph(Line),
    Code(&'static str, String),
    List(Vec<Line>),
    Table(&'static [&'static str], Vec<Vec<Line>>),
}

/// Text without line ends.
#[derive(Clone, Default)]
pub(super) struct Line(Vec<Span>);

#[derive(Clone)]
enum Span {
    Text(String),
    Code(String),
    Link(String, String),
    /// A name that links can lead to.
    Anchor(String),
}

impl Line {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self(vec![Span::Text(text.into())])
    }

    pub(super) fn code(text: impl Into<String>) -> Self {
        Self(vec![Span::Code(text.into())])
    }

    pub(super) fn link(text: impl Into<String>, address: impl Into<String>) -> Self {
        Self(vec![Span::Link(text.into(), address.into())])
    }

    /// The same, which links can lead to by `name`.
    pub(super) fn called(mut self, name: String) -> Self {
        self.0.insert(0, Span::Anchor(name));
        self
    }

    pub(super) fn and(mut self, text: impl Into<String>) -> Self {
        self.0.push(Span::Text(text.into()));
        self
    }

    pub(super) fn and_code(mut self, text: impl Into<String>) -> Self {
        self.0.push(Span::Code(text.into()));
        self
    }

    fn markdown(&self) -> String {
        let mut out = String::new();
        for span in &self.0 {
            match span {
                Span::Text(text) => out.push_str(&in_markdown(text)),
                Span::Code(text) => {
                    let text = plain(text);
                    // The fence is longer than any in the text.
                    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
                    let fence = "`".repeat(longest + 1);
                    let pad = if longest > 0 { " " } else { "" };
                    let _ = write!(out, "{fence}{pad}{text}{pad}{fence}");
                }
                Span::Link(text, address) => {
                    let _ = write!(out, "[{}]({address})", in_markdown(text));
                }
                Span::Anchor(_) => {}
            }
        }
        out
    }

    fn html(&self) -> String {
        let mut out = String::new();
        for span in &self.0 {
            let _ = match span {
                Span::Text(text) => write!(out, "{}", in_html(&plain(text))),
                Span::Code(text) => write!(out, "<code>{}</code>", in_html(&plain(text))),
                Span::Link(text, address) => {
                    write!(out, "<a href=\"{}\">{}</a>", in_html(address), in_html(text))
                }
                Span::Anchor(name) => write!(out, "<a id=\"{}\"></a>", in_html(name)),
            };
        }
        out
    }
}

impl Page {
    pub(super) fn markdown(&self) -> String {
        let mut out = format!("# {}\n", in_markdown(&self.title));
        for block in &self.blocks {
            out.push('\n');
            let _ = match block {
                Block::Heading(level, line) => {
                    writeln!(out, "{} {}", "#".repeat(*level), line.markdown())
                }
                Block::Paragraph(line) => writeln!(out, "{}", line.markdown()),
                Block::Code(language, text) => {
                    let fence = if text.contains("```") { "~~~~~" } else { "```" };
                    writeln!(out, "{fence}{language}\n{}\n{fence}", text.trim_end())
                }
                Block::List(lines) => {
                    lines.iter().try_for_each(|line| writeln!(out, "- {}", line.markdown()))
                }
                Block::Table(head, rows) => {
                    let rule = "|---".repeat(head.len());
                    let _ = writeln!(out, "| {} |\n{rule}|", head.join(" | "));
                    rows.iter().try_for_each(|row| {
                        let cells: Vec<_> =
                            row.iter().map(|cell| cell.markdown().replace('|', "\\|")).collect();
                        writeln!(out, "| {} |", cells.join(" | "))
                    })
                }
            };
        }
        out
    }

    pub(super) fn html(&self) -> String {
        let title = in_html(&self.title);
        let mut out = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
             <style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
        );
        for block in &self.blocks {
            let _ = match block {
                Block::Heading(level, line) => {
                    writeln!(out, "<h{level}>{}</h{level}>", line.html())
                }
                Block::Paragraph(line) => writeln!(out, "<p>{}</p>", line.html()),
                Block::Code(_, text) => {
                    writeln!(out, "<pre><code>{}</code></pre>", in_html(text.trim_end()))
                }
                Block::List(lines) => {
                    let items: Vec<_> =
                        lines.iter().map(|line| format!("<li>{}</li>\n", line.html())).collect();
                    let items = items.concat();
                    writeln!(out, "<ul>\n{items}</ul>")
                }
                Block::Table(head, rows) => {
                    let row = |cells: Vec<String>, tag: &str| {
                        let cells = cells.iter().map(|it| format!("<{tag}>{it}</{tag}>"));
                        format!("<tr>{}</tr>\n", cells.collect::<String>())
                    };
                    let head = row(head.iter().map(|it| (*it).to_owned()).collect(), "th");
                    let rows = rows.iter().map(|it| row(it.iter().map(Line::html).collect(), "td"));
                    writeln!(out, "<table>\n{head}{}</table>", rows.collect::<String>())
                }
            };
        }
        out + "</body>\n</html>\n"
    }
}

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;\
     color-scheme:light dark}table{border-collapse:collapse;width:100%}td,th{border:1px solid #8884;\
     padding:.3rem .5rem;text-align:left;vertical-align:top}pre{overflow:auto;padding:.7rem;\
     background:#8881}code{font-family:ui-monospace,monospace;font-size:.9em;overflow-wrap:anywhere}";

/// Text in one line, without what a terminal or a reader would take for something else.
fn plain(text: &str) -> String {
    let words: Vec<_> = text.split(char::is_whitespace).collect();
    words.join(" ").chars().filter(|c| !c.is_control()).collect()
}

fn in_markdown(text: &str) -> String {
    let mut out = String::new();
    for c in plain(text).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

fn in_html(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_means_nothing_in_either_notation() {
        let line = Line::text("a <b> *c* | d\n&").and_code("x`y|z");
        let page = Page {
            title: "<T>".into(),
            about: String::new(),
            blocks: vec![Block::Table(&["h"], vec![vec![line]])],
        };
        let expected = "# &lt;T>\n\n| h |\n|---|\n| a &lt;b> \\*c\\* \\| d &amp;`` x`y\\|z `` |\n";
        assert_eq!(page.markdown(), expected);
        let html = page.html();
        assert!(html.contains("<td>a &lt;b&gt; *c* | d &amp;<code>x`y|z</code></td>"), "{html}");
        assert!(html.contains("<title>&lt;T&gt;</title>"), "{html}");
    }
}
