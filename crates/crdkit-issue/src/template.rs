//! Fills `{name}` placeholders of a message with an issue's arguments.
//!
//! An argument's own braces are never expanded again; a placeholder without an argument stays as it
//! is, so that a mistake in a template shows instead of hiding.

use crate::Arg;
use std::fmt::Write as _;

pub(crate) fn render(template: &str, args: &[(&'static str, Arg)]) -> String {
    let mut out = String::with_capacity(template.len() + 16);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let named = after.split_once('}').and_then(|(name, tail)| {
            let (_, arg) = args.iter().find(|(known, _)| *known == name)?;
            Some((arg, tail))
        });
        if let Some((arg, tail)) = named {
            let _ = write!(out, "{arg}");
            rest = tail;
        } else {
            out.push('{');
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(template: &str, expected: &str) {
        let args = [("key", Arg::from("{n}")), ("n", Arg::from(3_i64))];
        assert_eq!(render(template, &args), expected);
    }

    #[test]
    fn placeholders_take_their_argument_once() {
        check("`{key}` has {n} parts", "`{n}` has 3 parts");
        check("{n}{n}", "33");
    }

    #[test]
    fn anything_else_in_braces_stays() {
        check("{other} {", "{other} {");
        check("a{2} {{n}", "a{2} {3");
    }
}
