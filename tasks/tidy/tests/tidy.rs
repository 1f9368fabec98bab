//! What the project says of itself, checked.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]
#![expect(clippy::disallowed_methods, reason = "tests read the project's files")]

use crdkit_codec::{DecodeOptions, json};
use crdkit_issue::codes;
use crdkit_value::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

type Edges = BTreeMap<String, BTreeSet<String>>;

/// What `cargo metadata` says with these arguments.
fn metadata(more: &[&str]) -> crdkit_value::Document {
    let cargo = std::env::var("CARGO").unwrap_or("cargo".into());
    let metadata = Command::new(cargo)
        .args(["metadata", "--format-version=1", "--locked"])
        .args(more)
        .current_dir(root())
        .output()
        .unwrap();
    assert!(metadata.status.success(), "{}", String::from_utf8_lossy(&metadata.stderr));
    json::decode(&metadata.stdout, &DecodeOptions::default()).unwrap().document
}

/// For each package of the workspace below `crates`, the packages of the workspace it uses.
fn edges() -> Edges {
    let metadata = metadata(&["--no-deps"]);
    let text = |value: Value<'_>, key| {
        value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let packages: Vec<_> = metadata.root().get("packages").unwrap().items().collect();
    let library = |package: &Value<'_>| text(*package, "manifest_path").contains("/crates/");
    let names: BTreeSet<_> = packages
        .iter()
        .filter(|package| library(package))
        .map(|package| text(*package, "name"))
        .collect();
    let uses = |package: &Value<'_>| {
        let dependencies = package.get("dependencies").unwrap().items();
        // Development dependencies have a kind; they may point anywhere.
        let normal =
            dependencies.filter(|dependency| dependency.get("kind").is_none_or(Value::is_null));
        normal
            .map(|dependency| text(dependency, "name"))
            .filter(|name| names.contains(name))
            .collect()
    };
    packages
        .iter()
        .filter(|package| library(package))
        .map(|package| (text(*package, "name"), uses(package)))
        .collect()
}

#[test]
fn crates_use_the_layers_below_them_and_no_others() {
    let layers: toml::Table = read("layers.toml").parse().unwrap();
    let listed: Edges = layers["edges"]
        .as_table()
        .unwrap()
        .iter()
        .map(|(name, uses)| {
            let uses = uses.as_array().unwrap().iter();
            (name.clone(), uses.map(|name| name.as_str().unwrap().to_owned()).collect())
        })
        .collect();
    assert_eq!(edges(), listed, "what crates use, and what layers.toml lists");
}

#[test]
fn the_code_map_names_every_crate_and_no_other() {
    let architecture = read("ARCHITECTURE.md");
    let map = architecture.split("## Code map").nth(1).unwrap().split("\n## ").next().unwrap();
    let named: BTreeSet<String> = map
        .lines()
        .filter_map(|line| line.strip_prefix("### `")?.strip_suffix('`'))
        .map(str::to_owned)
        .collect();
    let existing: BTreeSet<String> = edges().into_keys().collect();
    assert_eq!(named, existing);
}

#[test]
fn the_page_of_codes_is_up_to_date() {
    assert_eq!(read("docs/codes.md"), tidy::codes_page(), "run `cargo run -p tidy`");
}

// Proves REQ-182.
#[test]
fn the_page_of_short_codes_is_up_to_date() {
    assert_eq!(read("docs/errors.md"), tidy::errors_page(), "run `cargo run -p tidy`");
}

#[test]
fn every_requirement_is_proved_by_a_test() {
    let page = tidy::requirements::page(&root()).unwrap_or_else(|error| panic!("{error}"));
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| REQ-")).collect();
    assert!(rows.is_sorted(), "requirements stand in order");
    assert_eq!(rows.len(), 194);
    let written = read("crates/crdkit-structure/tests/requirements.md");
    assert_eq!(written, page, "run `cargo run -p tidy`");
}

#[test]
fn codes_have_one_spelling_and_an_explanation() {
    let mut seen = BTreeSet::new();
    for code in codes::GROUPS.iter().flat_map(|(_, codes)| *codes) {
        let name = code.name();
        assert!(seen.insert(name), "{name} is declared twice");
        assert!(
            name.bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'),
            "{name}"
        );
        assert!(code.info().about.trim().ends_with('.'), "{name} needs a sentence");
    }
}

/// A code is used by the name of its constant; the same name may be declared in several groups.
#[test]
fn every_code_is_raised_somewhere() {
    let declarations = root().join("crates/crdkit-issue/src/codes");
    let (declared, used): (Vec<_>, Vec<_>) =
        sources().into_iter().partition(|(path, _)| path.starts_with(&declarations));
    let words = |text: &str| -> Vec<String> {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        text.split(|c| !is_word(c)).map(str::to_owned).collect()
    };
    let used: BTreeSet<String> = used.iter().flat_map(|(_, text)| words(text)).collect();
    for (path, text) in declared {
        let constants =
            text.lines().filter_map(|line| line.strip_prefix("    ")?.split_once(" = \""));
        for (constant, _) in constants {
            assert!(used.contains(constant), "nothing raises {constant} of {}", path.display());
        }
    }
}

#[test]
fn every_source_file_says_what_it_is_for() {
    for (path, text) in sources() {
        assert!(text.starts_with("//!"), "{} does not open with a module comment", path.display());
    }
}

#[test]
fn no_type_name_stands_for_more_than_three_things() {
    let mut places: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, text) in sources() {
        let file = path.strip_prefix(root()).unwrap();
        let mut folders = file.iter().map(|folder| folder.to_str().unwrap());
        if folders.next() == Some("crates") && folders.nth(1) == Some("src") {
            for name in text.lines().filter_map(type_name) {
                places.entry(name.to_owned()).or_default().insert(file.display().to_string());
            }
        }
    }
    places.retain(|_, files| files.len() > 3);
    assert!(places.is_empty(), "names that should say of what their types are: {places:#?}");
}

/// The name of the type that a line at the top of a module declares.
fn type_name(line: &str) -> Option<&str> {
    let public = line.strip_prefix("pub").unwrap_or(line);
    let seen_by = public.strip_prefix('(').and_then(|rest| rest.split_once(") "));
    let item = seen_by.map_or(public, |(_, item)| item);
    let item = if item.len() < line.len() { item.trim_start() } else { item };
    let keywords = ["struct ", "enum ", "trait ", "type "];
    let rest = keywords.iter().find_map(|keyword| item.strip_prefix(keyword))?;
    rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

#[test]
fn names_of_types_are_found() {
    for (line, expected) in [
        ("struct A;", Some("A")),
        ("pub enum B<'b> {", Some("B")),
        ("pub(crate) trait C: D {", Some("C")),
        ("pub(in crate::e) type F = u8;", Some("F")),
        ("    type Inner = u8;", None),
        ("    pub struct Local;", None),
        ("// struct G", None),
        ("public struct H", None),
        ("fn i() {", None),
    ] {
        assert_eq!(type_name(line), expected, "{line}");
    }
}

/// All files of Rust, and what is in them.
fn sources() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut pending = vec![root().join("crates"), root().join("tasks")];
    while let Some(directory) = pending.pop() {
        for entry in std::fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    found
}

/// The words that stand before `::` or after `use`, in lines that are not comments.
fn used_names(sources: &[PathBuf]) -> BTreeSet<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut names = BTreeSet::new();
    for path in sources {
        let text = std::fs::read_to_string(path).unwrap();
        for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
            let parts: Vec<&str> = line.split("::").collect();
            let before = parts.iter().take(parts.len() - 1);
            names
                .extend(before.map(|part| part.rsplit(|c| !is_word(c)).next().unwrap().to_owned()));
            if let Some((_, rest)) = line.split_once("use ") {
                names.extend(rest.split(|c| !is_word(c)).next().map(str::to_owned));
            }
        }
    }
    names
}

fn sources_in(directories: &[PathBuf]) -> Vec<PathBuf> {
    let mut sources = Vec::new();
    let mut pending = directories.to_vec();
    while let Some(directory) = pending.pop() {
        for entry in std::fs::read_dir(&directory).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                sources.push(path);
            }
        }
    }
    sources
}

/// Dependencies without a name in the sources: one switches something on in another, one is for examples in Markdown.
const UNNAMED: &[(&str, &str)] = &[
    ("crdkit-client", "k8s-openapi"),
    ("crdkit-testenv", "k8s-openapi"),
    ("crdkit", "k8s-openapi"),
    ("crdkit", "serde"),
];

#[test]
fn every_dependency_is_used() {
    let workspace: toml::Table = read("Cargo.toml").parse().unwrap();
    let mut declared: BTreeSet<String> =
        workspace["workspace"]["dependencies"].as_table().unwrap().keys().cloned().collect();
    for group in ["crates", "tasks"] {
        for entry in std::fs::read_dir(root().join(group)).unwrap() {
            let directory = entry.unwrap().path();
            let Ok(manifest) = std::fs::read_to_string(directory.join("Cargo.toml")) else {
                continue;
            };
            let manifest: toml::Table = manifest.parse().unwrap();
            for (section, places) in [
                ("dependencies", &["src"][..]),
                ("build-dependencies", &["build.rs"]),
                ("dev-dependencies", &["src", "tests", "benches", "examples"]),
            ] {
                let Some(dependencies) = manifest.get(section).and_then(toml::Value::as_table)
                else {
                    continue;
                };
                let places: Vec<_> = places.iter().map(|place| directory.join(place)).collect();
                let used = used_names(&sources_in(&places));
                for name in dependencies.keys() {
                    declared.remove(name);
                    let package = directory.file_name().and_then(|it| it.to_str()).unwrap();
                    let is_used = used.contains(&name.replace('-', "_"))
                        || UNNAMED.contains(&(package, name.as_str()));
                    assert!(is_used, "{package} does not use {name}, of its {section}");
                }
            }
        }
    }
    // The front door is for programs outside.
    declared.remove("crdkit");
    assert!(declared.is_empty(), "no crate depends on {declared:?}");
}

#[test]
fn the_pinned_compiler_is_the_oldest_supported_one() {
    let workspace: toml::Table = read("Cargo.toml").parse().unwrap();
    let oldest = workspace["workspace"]["package"]["rust-version"].as_str().unwrap();
    let pinned: toml::Table = read("rust-toolchain.toml").parse().unwrap();
    let pinned = pinned["toolchain"]["channel"].as_str().unwrap();
    assert_eq!(pinned, format!("{oldest}.0"));
}

#[test]
fn every_published_crate_can_be_found_and_read_about() {
    fn text<'d>(value: Value<'d>, key: &str) -> &'d str {
        value.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    let metadata = metadata(&["--no-deps"]);
    let packages: Vec<_> = metadata.root().get("packages").unwrap().items().collect();
    let is_published = |package: &Value<'_>| package.get("publish").is_none_or(Value::is_null);
    let (published, own): (Vec<_>, Vec<_>) = packages.into_iter().partition(is_published);
    let own: BTreeSet<&str> = own.iter().map(|package| text(*package, "name")).collect();
    assert!(published.iter().all(|package| text(*package, "manifest_path").contains("/crates/")));
    for package in published {
        let name = text(package, "name");
        for key in ["description", "license", "repository", "readme"] {
            assert!(!text(package, key).is_empty(), "{name} has no {key}");
        }
        for key in ["keywords", "categories"] {
            assert!(package.get(key).is_some_and(|it| it.items().len() > 0), "{name}: {key}");
        }
        for dependency in package.get("dependencies").unwrap().items() {
            let used = text(dependency, "name");
            // A dependency for tests that has no version is left out when a crate is published.
            let is_left_out = text(dependency, "kind") == "dev" && text(dependency, "req") == "*";
            assert!(!own.contains(used) || is_left_out, "{name} cannot be published with {used}");
        }
    }
}

/// Crates whose types are behind the front door, with the outside names that are theirs on purpose: serde's traits and
/// Kubernetes' own types, each with a feature of its own.
const BEHIND: &[(&str, &[&str])] = &[
    ("crdkit-cel", &[]),
    ("crdkit-codec", &["serde"]),
    ("crdkit-compat", &[]),
    ("crdkit-engine", &["k8s_openapi"]),
    ("crdkit-issue", &["serde"]),
    ("crdkit-review", &[]),
    ("crdkit-sample", &[]),
    ("crdkit-schema", &[]),
    ("crdkit-structure", &["schemars", "serde"]),
    ("crdkit-text", &[]),
    ("crdkit-value", &["serde"]),
];

/// A name of another crate in the declaration of something public would make that crate's version part of the interface.
#[test]
fn public_declarations_name_no_outside_crate() {
    let workspace: toml::Table = read("Cargo.toml").parse().unwrap();
    let outside: BTreeSet<String> = workspace["workspace"]["dependencies"]
        .as_table()
        .unwrap()
        .keys()
        .filter(|name| !name.starts_with("crdkit"))
        .map(|name| name.replace('-', "_"))
        .collect();
    let mut found = Vec::new();
    for (package, allowed) in BEHIND {
        for path in sources_in(&[root().join("crates").join(package).join("src")]) {
            let text = std::fs::read_to_string(&path).unwrap();
            let names = outside_names(&text, &outside, allowed);
            for declaration in public_declarations(&text) {
                // A crate is named before `::`; the same word alone is something of our own.
                let words = declaration.replace("::", ":: ");
                let words = words.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
                for word in words.filter(|word| names.contains(*word)) {
                    found.push(format!("{}: {word} in `{declaration}`", path.display()));
                }
            }
        }
    }
    assert_eq!(found, [""; 0]);
}

/// The names that a file has from outside crates: those it imports, and the crates themselves.
fn outside_names(text: &str, outside: &BTreeSet<String>, allowed: &[&str]) -> BTreeSet<String> {
    let is_outside = |name: &str| outside.contains(name) && !allowed.contains(&name);
    let crates = outside.iter().filter(|name| is_outside(name));
    let mut names: BTreeSet<String> = crates.map(|name| format!("{name}::")).collect();
    for import in text.split("\nuse ").skip(1).filter_map(|rest| rest.split(';').next()) {
        let mut words = import.split(|c: char| !c.is_alphanumeric() && c != '_');
        if words.next().is_some_and(is_outside) {
            let is_type = |word: &&str| word.starts_with(|c: char| c.is_ascii_uppercase());
            names.extend(words.filter(is_type).map(str::to_owned));
        }
    }
    names
}

/// What begins with `pub`, up to its body; fields of structs and methods among it.
fn public_declarations(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines: Vec<&str> = code.lines().collect();
    let starts = lines.iter().enumerate().filter(|(_, line)| line.trim_start().starts_with("pub "));
    let declaration = |(at, _): (usize, &&str)| {
        let mut declaration = String::new();
        for line in lines.iter().skip(at) {
            let line = line.trim();
            declaration.push_str(line);
            declaration.push(' ');
            if line.ends_with(['{', ';', ',', '}']) && !declaration.ends_with("(, ") {
                let open = declaration.matches('(').count() > declaration.matches(')').count();
                if !open {
                    break;
                }
            }
        }
        // Fields without names are nobody's business unless they are public.
        match declaration.split_once('(') {
            Some((name, fields)) if name.starts_with("pub struct") && !fields.contains("pub ") => {
                name.to_owned()
            }
            _ => declaration.trim().to_owned(),
        }
    };
    starts.map(declaration).collect()
}

#[test]
fn every_dependency_has_a_licence_that_is_allowed() {
    let deny: toml::Table = read("deny.toml").parse().unwrap();
    let allowed = deny["licenses"]["allow"].as_array().unwrap().iter();
    let allowed: BTreeSet<&str> = allowed.map(|it| it.as_str().unwrap()).collect();
    let metadata = metadata(&[]);
    let packages = metadata.root().get("packages").unwrap().items();
    let refused: Vec<String> = packages
        .filter_map(|package| {
            let text = |key| package.get(key).and_then(Value::as_str).unwrap_or_default();
            let licence = text("license");
            let is_fine = is_allowed(licence, &allowed);
            (!is_fine).then(|| format!("{} {}: {licence}", text("name"), text("version")))
        })
        .collect();
    assert_eq!(refused, [""; 0], "what deny.toml does not allow");
}

/// Whether an expression such as `(MIT OR Apache-2.0) AND Unicode-3.0` can be satisfied.
fn is_allowed(expression: &str, allowed: &BTreeSet<&str>) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    any(&mut words, allowed)
}

type Words<'w> = std::iter::Peekable<std::str::SplitWhitespace<'w>>;

fn any(words: &mut Words<'_>, allowed: &BTreeSet<&str>) -> bool {
    let mut is_fine = all(words, allowed);
    while words.next_if_eq(&"OR").is_some() {
        is_fine |= all(words, allowed);
    }
    is_fine
}

fn all(words: &mut Words<'_>, allowed: &BTreeSet<&str>) -> bool {
    let mut is_fine = one(words, allowed);
    while words.next_if_eq(&"AND").is_some() {
        is_fine &= one(words, allowed);
    }
    is_fine
}

fn one(words: &mut Words<'_>, allowed: &BTreeSet<&str>) -> bool {
    match words.next() {
        Some("(") => {
            let is_fine = any(words, allowed);
            words.next();
            is_fine
        }
        Some(name) => match words.next_if_eq(&"WITH").and_then(|_| words.next()) {
            Some(exception) => allowed.contains(format!("{name} WITH {exception}").as_str()),
            None => allowed.contains(name),
        },
        None => false,
    }
}

#[test]
fn licence_expressions_are_read() {
    let allowed = BTreeSet::from(["MIT", "A WITH e"]);
    for (expression, expected) in [
        ("MIT", true),
        ("MIT/X", true),
        ("X OR MIT", true),
        ("X AND MIT", false),
        ("(X OR MIT) AND A WITH e", true),
        ("A", false),
        ("", false),
    ] {
        assert_eq!(is_allowed(expression, &allowed), expected, "{expression}");
    }
}
