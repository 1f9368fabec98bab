//! `crdkit docs`: a reference of CRDs, as Markdown or as a site of plain HTML.
//!
//! Takes CRDs, gives a page for each kind (`content`): its versions, an object that is accepted, all fields with what
//! restricts them, rules, and what changes from version to version (`changes`). Pages are blocks that either notation
//! is written from (`page`).

mod changes;
mod content;
mod page;

use crate::exit::Exit;
use crate::kinds::{self, Definitions};
use crate::report::Target;
use crate::source::{self, Purpose};
use crate::stdout;
use anyhow::{Context as _, Result, bail};
use clap::{Args, ValueEnum};
use crdkit_schema::set::{CrdDefinition, CrdSet};
use page::Page;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Write reference documentation for CRDs: fields, constraints, rules, examples, changes
///
/// Everything on a page comes from the CRD: versions, an object that the server accepts, every field with its type,
/// default and limits, CEL rules, and what changed between versions.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  crdkit docs --crds crds/ > REFERENCE.md
  crdkit docs --crds crds/ backup
  crdkit docs --crds crds/ --old git:v1.2.0:crds --into docs/api
  crdkit docs --crds crds/ -o html --into site
")]
pub(crate) struct Docs {
    /// Kinds, plurals or short names [default: all]
    #[arg(value_name = "KIND")]
    names: Vec<String>,

    /// The format of pages
    #[arg(short, long, value_name = "FORMAT", default_value = "markdown")]
    output: DocsNotation,

    /// Write a file for each kind, and an index, to this directory
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,

    /// The CRDs as they were before; pages also list what has changed
    #[arg(long, value_name = "SOURCE")]
    old: Vec<String>,

    #[command(flatten)]
    definitions: Definitions,
}

/// `--output`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DocsNotation {
    Markdown,
    /// Pages that need neither scripts nor other files
    Html,
}

pub(crate) fn run(args: &Docs) -> Result<Exit> {
    let crds = args.definitions.load()?;
    let old = args.old()?;
    let chosen = chosen(&crds, &args.names)?;
    let mut pages = Vec::new();
    for definition in chosen {
        let before = old.by_name(definition.name()).map(|it| kinds::document(it)).transpose()?;
        let page = content::page(kinds::document(definition)?, before)
            .with_context(|| format!("`{}` cannot be described", definition.name()))?;
        pages.push((definition.name().to_owned(), page));
    }
    match &args.into {
        Some(directory) => write(directory, args.output, &pages)?,
        None if args.output == DocsNotation::Html && pages.len() > 1 => {
            bail!("HTML is a page for each kind: name one kind, or a directory with `--into DIR`")
        }
        None => {
            let texts: Vec<_> = pages.iter().map(|(_, page)| args.output.text(page)).collect();
            stdout::print(&texts.join("\n"))?;
        }
    }
    Ok(Exit::Fine)
}

impl Docs {
    fn old(&self) -> Result<CrdSet> {
        let client = self.definitions.fetching.client();
        let mut documents = Vec::new();
        for source in &self.old {
            for entry in source::find(source, Purpose::Crds, &client)?.entries {
                documents.extend(kinds::documents_of(&entry)?);
            }
        }
        Ok(CrdSet::load(documents).0)
    }
}

impl DocsNotation {
    fn text(self, page: &Page) -> String {
        match self {
            Self::Markdown => page.markdown(),
            Self::Html => page.html(),
        }
    }

    /// The name of the file that lists the others, and how others end.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Markdown => ("README.md", "md"),
            Self::Html => ("index.html", "html"),
        }
    }
}

/// The CRDs called `names`, or all of them.
fn chosen<'c>(crds: &'c CrdSet, names: &[String]) -> Result<Vec<&'c Arc<CrdDefinition>>> {
    if names.is_empty() {
        let mut all: Vec<_> = crds.iter().collect();
        all.sort_by_key(|it| (it.group().to_owned(), it.kind().to_owned()));
        return Ok(all);
    }
    let one = |name: &String| match crds.find(name)? {
        (definition, "") => Ok(definition),
        _ => bail!("`{name}`: pages are of whole kinds, without a path"),
    };
    names.iter().map(one).collect()
}

fn write(directory: &Path, notation: DocsNotation, pages: &[(String, Page)]) -> Result<()> {
    std::fs::create_dir_all(directory)
        .with_context(|| format!("`{}` cannot be made", directory.display()))?;
    let (index, ending) = notation.names();
    let mut list = Vec::new();
    for (name, page) in pages {
        if name.is_empty() || name.starts_with('.') || name.contains(['/', '\\']) {
            bail!("a CRD is called `{name}`, which cannot be the name of a file");
        }
        let file = format!("{name}.{ending}");
        put(&directory.join(&file), &notation.text(page))?;
        list.push((page, file));
    }
    put(&directory.join(index), &notation.text(&content::index(&list)))
}

fn put(path: &Path, text: &str) -> Result<()> {
    let mut target = Target::new(Some(path));
    target.write_data(text.as_bytes())?;
    target.finish()
}
