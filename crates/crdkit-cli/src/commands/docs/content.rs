//! What the page of a kind says.

use super::changes;
use super::page::{Block, Line, Page};
use crate::commands::explain::{self, ExplainedField};
use crate::kinds;
use anyhow::Result;
use crdkit_codec::yaml;
use crdkit_sample::annotate::first_sentence;
use crdkit_sample::{Extent, Sampler};
use crdkit_schema::model::Crd;
use crdkit_text::kind::compare_versions;
use crdkit_value::Document;

/// The fields of a version with their paths, in the order they are shown.
pub(super) type DocumentedFields = Vec<(String, ExplainedField)>;

/// The page of the CRD in `document`; `old` is the one before it.
pub(super) fn page(document: &Document, old: Option<&Document>) -> Result<Page> {
    let crd = kinds::read(document)?;
    let names = &crd.spec.names;
    let mut order: Vec<_> = (0..crd.spec.versions.len()).collect();
    let name = |at: usize| crd.spec.versions.get(at).map(|it| it.name).unwrap_or_default();
    order.sort_by(|left, right| compare_versions(name(*right), name(*left)));

    let mut line = Line::code(format!("{}.{}", names.plural, crd.spec.group));
    line = line.and(format!(", {}", crd.spec.scope.to_lowercase()));
    for short in &names.short_names {
        line = line.and(", ").and_code(*short);
    }
    let mut blocks = vec![Block::Paragraph(line)];
    blocks.push(Block::Table(
        &["Version", "", ""],
        order.iter().map(|at| version_row(&crd, *at)).collect(),
    ));
    let mut described = Vec::new();
    for at in order {
        let fields = fields(&crd, at)?;
        version(&crd, at, document, &fields, &mut blocks);
        described.push((name(at), fields));
    }
    for pair in described.windows(2) {
        if let [(newer, after), (older, before)] = pair {
            let title = Line::text(format!("From {older} to {newer}"));
            changed(title, changes::between(before, after), &mut blocks);
        }
    }
    if let Some(old) = old {
        since(&kinds::read(old)?, &described, &mut blocks)?;
    }
    let newest = described.first().map(|(_, fields)| fields);
    let about = newest.and_then(|it| it.first()).map(|(_, root)| first_sentence(&root.description));
    Ok(Page { title: names.kind.to_owned(), about: about.unwrap_or_default(), blocks })
}

/// The page that lists the others with the files they are in.
pub(super) fn index(pages: &[(&Page, String)]) -> Page {
    let rows = pages.iter().map(|(page, file)| {
        vec![Line::link(page.title.clone(), file.clone()), Line::text(page.about.clone())]
    });
    let blocks = vec![Block::Table(&["Kind", ""], rows.collect())];
    Page { title: "Reference".to_owned(), about: String::new(), blocks }
}

fn version_row(crd: &Crd<'_>, at: usize) -> Vec<Line> {
    let Some(version) = crd.spec.versions.get(at) else { return Vec::new() };
    let mut states = Vec::new();
    states.push(if version.served { "served" } else { "not served" });
    states.extend(version.storage.then_some("stored"));
    let subresources = crd.subresources(at);
    states.extend(subresources.filter(|it| it.status).map(|_| "status"));
    states.extend(subresources.and_then(|it| it.scale).map(|_| "scale"));
    let deprecated = match (version.deprecated, version.deprecation_warning) {
        (false, _) => String::new(),
        (true, None) => "deprecated".to_owned(),
        (true, Some(warning)) => format!("deprecated: {warning}"),
    };
    vec![Line::code(version.name), Line::text(states.join(", ")), Line::text(deprecated)]
}

/// Every field of a version with its path; the first one is the object itself.
fn fields(crd: &Crd<'_>, at: usize) -> Result<DocumentedFields> {
    let mut out = Vec::new();
    flatten(String::new(), explain::whole(crd, at)?, &mut out);
    Ok(out)
}

/// Recurses once per level of a schema, which reading bounds.
fn flatten(path: String, mut field: ExplainedField, out: &mut DocumentedFields) {
    let below = std::mem::take(&mut field.fields);
    let inside = inside(&path, &field.type_words);
    out.push((path, field));
    for field in below {
        let name = &field.name;
        let path = if inside.is_empty() { name.clone() } else { format!("{inside}.{name}") };
        flatten(path, field, out);
    }
}

/// The path of what a list or a map at `path` holds.
fn inside(path: &str, type_words: &str) -> String {
    let (mut out, mut rest) = (path.to_owned(), type_words);
    loop {
        if let Some(inner) = rest.strip_prefix("[]") {
            out.push_str("[]");
            rest = inner;
        } else if let Some(inner) = rest.strip_prefix("map[string]") {
            out.push_str(".*");
            rest = inner;
        } else {
            return out;
        }
    }
}

fn version(
    crd: &Crd<'_>,
    at: usize,
    document: &Document,
    fields: &DocumentedFields,
    blocks: &mut Vec<Block>,
) {
    let name = crd.spec.versions.get(at).map(|it| it.name).unwrap_or_default();
    blocks.push(Block::Heading(2, Line::text(name).called(name.to_owned())));
    let mut fields = fields.iter();
    if let Some((_, root)) = fields.next() {
        let paragraphs = root.description.split("\n\n").filter(|it| !it.trim().is_empty());
        blocks.extend(paragraphs.map(|it| Block::Paragraph(Line::text(it))));
    }
    let sampler = Sampler::new(document).ok();
    let sample = sampler.and_then(|it| it.sample(name, Extent::Usual));
    if let Some(sample) = sample.filter(|it| it.problems.is_empty()) {
        blocks.push(Block::Heading(3, Line::text("Example")));
        blocks.push(Block::Code("yaml", yaml::text(sample.document.root())));
    }
    blocks.push(Block::Heading(3, Line::text("Fields")));
    let rows = fields.clone().map(|(path, field)| {
        let required = if field.required { ", required" } else { "" };
        let deprecated = if field.deprecated { ", deprecated" } else { "" };
        let anchor = format!("{name}-{path}");
        vec![
            Line::code(path).called(anchor),
            Line::text(format!("{}{required}{deprecated}", field.type_words)),
            Line::text(explain::facts(field).join("; ")),
            Line::text(field.description.trim()),
        ]
    });
    blocks.push(Block::Table(&["Field", "Type", "Constraints", "Description"], rows.collect()));
    rules(fields.map(|(path, field)| (path.as_str(), field)), blocks);
    let columns = crd.columns(at).iter().map(|column| {
        let said = Line::text(column.description);
        vec![
            Line::text(column.name),
            Line::text(column.type_name),
            Line::code(column.json_path),
            said,
        ]
    });
    let columns: Vec<_> = columns.collect();
    if !columns.is_empty() {
        blocks.push(Block::Heading(3, Line::text("Columns of `kubectl get`")));
        blocks.push(Block::Table(&["Column", "Type", "Field", "Description"], columns));
    }
}

fn rules<'f>(fields: impl Iterator<Item = (&'f str, &'f ExplainedField)>, blocks: &mut Vec<Block>) {
    let mut is_first = true;
    for (path, field) in fields {
        for rule in &field.rules {
            if std::mem::take(&mut is_first) {
                blocks.push(Block::Heading(3, Line::text("Rules")));
            }
            let said = match rule.message.as_str() {
                "" => Line::code(path),
                message => Line::code(path).and(format!(": {message}")),
            };
            blocks.push(Block::Paragraph(said));
            blocks.push(Block::Code("cel", rule.rule.clone()));
        }
    }
}

fn changed(title: Line, changes: Vec<Line>, blocks: &mut Vec<Block>) {
    blocks.push(Block::Heading(2, title));
    blocks.push(if changes.is_empty() {
        Block::Paragraph(Line::text("The fields are the same."))
    } else {
        Block::List(changes)
    });
}

/// What is different from the CRD before.
fn since(old: &Crd<'_>, now: &[(&str, DocumentedFields)], blocks: &mut Vec<Block>) -> Result<()> {
    for (name, after) in now {
        let title = Line::text(format!("Changes of {name}"));
        match old.spec.versions.iter().position(|it| it.name == *name) {
            Some(at) => changed(title, changes::between(&fields(old, at)?, after), blocks),
            None => changed(title, vec![Line::text("This version is new.")], blocks),
        }
    }
    let gone = old.spec.versions.iter().filter(|it| now.iter().all(|(name, _)| *name != it.name));
    for version in gone {
        let title = Line::text(format!("Changes of {}", version.name));
        changed(title, vec![Line::text("This version is gone.")], blocks);
    }
    Ok(())
}
