//! Command lines written for kubeconform: its flags take one dash as well as two.

use std::ffi::OsString;

/// Flags that stand alone; Go also takes `=true` and `=false` after them.
const SWITCHES: &[&str] = &[
    "debug",
    "exit-on-error",
    "ignore-missing-schemas",
    "insecure-skip-tls-verify",
    "strict",
    "summary",
    "verbose",
];
/// Flags with a value.
const VALUES: &[&str] = &[
    "cache",
    "ignore-filename-pattern",
    "kubernetes-version",
    "output",
    "reject",
    "schema-location",
    "skip",
];

/// The same arguments with two dashes where kubeconform takes one, and `--compat kubeconform` if there
/// was such a place. Only `validate` is looked at. A program called `kubeconform` is `crdkit validate`.
pub(crate) fn translate(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments = arguments.into_iter();
    let program = arguments.next().unwrap_or_default();
    let name = std::path::Path::new(&program).file_stem().and_then(|name| name.to_str());
    let stands_in = name == Some("kubeconform");
    let mut rest: Vec<OsString> = arguments.collect();
    if stands_in {
        rest.insert(0, "validate".into());
    }
    let mut out = vec![program];
    if rest.first().is_none_or(|command| command != "validate") {
        out.extend(rest);
        return out;
    }
    let mut rest = rest.into_iter();
    out.extend(rest.next());
    let flags_from = out.len();
    let mut compat = stands_in;
    while let Some(argument) = rest.next() {
        if argument == "--" {
            out.push(argument);
            break;
        }
        match argument.to_str().and_then(Flag::read) {
            None => out.push(argument),
            Some(flag) => {
                compat |= flag.one_dash;
                match flag.value {
                    None => out.push(format!("--{}", flag.name).into()),
                    Some(value) if VALUES.contains(&flag.name) => {
                        out.push(format!("--{}={value}", flag.name).into());
                    }
                    Some("true" | "TRUE" | "True" | "t" | "T" | "1") => {
                        out.push(format!("--{}", flag.name).into());
                    }
                    Some("false" | "FALSE" | "False" | "f" | "F" | "0") => {}
                    Some(_) => out.push(argument.clone()),
                }
                if flag.value.is_none() && VALUES.contains(&flag.name) {
                    out.extend(rest.next());
                }
            }
        }
    }
    out.extend(rest);
    if compat && !out.iter().any(|argument| argument == "--compat") {
        out.insert(flags_from, "--compat=kubeconform".into());
    }
    out
}

/// A flag that kubeconform has.
struct Flag<'a> {
    name: &'a str,
    value: Option<&'a str>,
    one_dash: bool,
}

impl<'a> Flag<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let (text, one_dash) = match text.strip_prefix("--") {
            Some(text) => (text, false),
            None => (text.strip_prefix('-')?, true),
        };
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let known = SWITCHES.contains(&name) || VALUES.contains(&name);
        known.then_some(Self { name, value, one_dash })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(given: &str, expected: &str) {
        let out = translate(given.split(' ').map(OsString::from));
        let out: Vec<_> = out.iter().map(|argument| argument.to_string_lossy()).collect();
        assert_eq!(out.join(" "), expected);
    }

    #[test]
    fn one_dash_becomes_two_and_switches_the_mode() {
        check(
            "crdkit validate -summary -output json -n 4 a.yaml",
            "crdkit validate --compat=kubeconform --summary --output json -n 4 a.yaml",
        );
        check(
            "crdkit validate -strict=true -verbose=false -skip=A,B -h",
            "crdkit validate --compat=kubeconform --strict --skip=A,B -h",
        );
        check("kubeconform a.yaml", "kubeconform validate --compat=kubeconform a.yaml");
    }

    #[test]
    fn everything_else_stays_as_it_is() {
        check("crdkit validate --summary -o json", "crdkit validate --summary -o json");
        check("crdkit convert -output a.json", "crdkit convert -output a.json");
        check("crdkit validate -- -summary", "crdkit validate -- -summary");
        check("crdkit validate --output -summary", "crdkit validate --output -summary");
        check("crdkit", "crdkit");
    }
}
