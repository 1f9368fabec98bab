//! Defaults and checks of a type.

use crate::facts::{Facts, flag, text, texts};
use crate::write::Section;
use anyhow::{Result, bail};
use serde_json::Value;

/// The reasons of causes, with the words their messages begin with and whether those are followed by a value.
const REASONS: [(&str, &str, bool); 10] = [
    ("FieldValueInvalid", "Invalid value", true),
    ("FieldValueRequired", "Required value", false),
    ("FieldValueForbidden", "Forbidden", false),
    ("FieldValueNotSupported", "Unsupported value", true),
    ("FieldValueDuplicate", "Duplicate value", true),
    ("FieldValueNotFound", "Not found", true),
    ("FieldValueTooLong", "Too long", false),
    ("FieldValueTooMany", "Too many", true),
    // Not about a field: the request is refused as a whole.
    ("BadRequest", "", false),
    // Nothing is said, but some fields are not looked at.
    ("Hides", "", false),
];

/// The stage of checks that name none.
const LAST_STAGE: u64 = 9;

fn about<'f>(rules: &'f [Value], name: &str) -> Vec<&'f Value> {
    rules.iter().filter(|rule| texts(rule, "on").contains(&name)).collect()
}

pub(crate) fn has_checks(facts: &Facts, name: &str) -> bool {
    !about(&facts.checks, name).is_empty()
}

pub(crate) fn has_defaults(facts: &Facts, name: &str) -> bool {
    !about(&facts.defaults, name).is_empty()
}

/// Writes the defaults and the checks of the type `name`.
pub(crate) fn write(facts: &Facts, name: &str, out: &mut Section) -> Result<()> {
    out.list(about(&facts.defaults, name), default)?;
    out.list(about(&facts.checks, name), check)
}

fn default(out: &mut Section, default: &Value) -> Result<()> {
    out.text(text(default, "id"));
    out.texts(&texts(default, "path"));
    out.texts(&texts(default, "each"));
    out.text(text(default, "when"));
    out.flag(flag(default, "force"));
    out.flag(flag(default, "root"));
    out.number(match text(default, "phase") {
        "" => 0,
        "create" => 1,
        "pod" => 2,
        "update" => 3,
        other => bail!("`{other}` is not a known phase"),
    });
    let json = |key: &str| default.get(key).map(Value::to_string);
    let path = |key: &str| default.get(key).map(|_| texts(default, key));
    match text(default, "op") {
        "" => {
            if let Some(value) = json("value") {
                out.number(0);
                out.text(&value);
            } else if let Some(from) = path("copy") {
                out.number(1);
                out.texts(&from);
            } else if default.get("expr").is_some() {
                out.number(2);
                out.text(text(default, "expr"));
            } else if let Some(item) = json("append") {
                out.number(3);
                out.text(&item);
            } else if let Some(from) = path("fillFrom") {
                out.number(4);
                out.texts(&from);
            } else {
                bail!("the default {default} says nothing");
            }
        }
        "remove" => out.number(5),
        "ceilMilli" => out.number(6),
        "mergeBase64" => {
            out.number(7);
            out.texts(&texts(default, "copy"));
        }
        "alias" => {
            out.number(8);
            out.texts(&texts(default, "copy"));
        }
        other => bail!("`{other}` is not a known operation"),
    }
    Ok(())
}

fn check(out: &mut Section, check: &Value) -> Result<()> {
    let (id, reason, message) = (text(check, "id"), text(check, "reason"), text(check, "message"));
    out.text(id);
    out.texts(&texts(check, "kinds"));
    out.text(text(check, "field"));
    out.text(text(check, "errorPath"));
    let cel = match text(check, "unless") {
        "" => text(check, "cel").to_owned(),
        unless => format!("({unless}) || ({})", text(check, "cel")),
    };
    out.text(&cel);
    out.text(text(check, "result"));
    let Some(number) = REASONS.iter().position(|(known, ..)| *known == reason) else {
        bail!("{id}: `{reason}` is not a known reason");
    };
    out.number(number);
    let Some((_, title, shows)) = REASONS.get(number) else { bail!("no reason") };
    let detail = message.strip_prefix(title).unwrap_or(message);
    let detail = if *shows { detail.strip_prefix(": {value}").unwrap_or(detail) } else { detail };
    out.text(detail.strip_prefix(": ").unwrap_or(detail));
    out.number(match text(check, "update") {
        "" => 0,
        "only" => 1,
        "never" => 2,
        "status" => 3,
        other => bail!("{id}: `{other}` is not a known kind of update"),
    });
    out.text(text(check, "shows"));
    out.text(text(check, "says"));
    out.texts(&texts(check, "keeps"));
    out.texts(&texts(check, "only"));
    out.flag(flag(check, "published"));
    out.texts(&texts(check, "hides"));
    // The checks of the last stage do not say so.
    let stage = check.get("stage").and_then(Value::as_u64).unwrap_or(LAST_STAGE);
    out.number(usize::try_from(stage)?);
    Ok(())
}
