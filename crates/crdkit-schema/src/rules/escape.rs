//! Names of fields as CEL can write them.
//!
//! Upstream: `apiserver/pkg/cel/escaping.go`.

/// Words that mean something else in CEL.
const RESERVED: [&str; 21] = [
    "true",
    "false",
    "null",
    "in",
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

/// The name by which expressions know the field `name`; none if they cannot.
pub fn escape(name: &str) -> Option<String> {
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if RESERVED.contains(&name) {
        return Some(format!("__{name}__"));
    }
    let mut out = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(c) = rest.chars().next() {
        let (text, len) = match c {
            '_' if rest.starts_with("__") => ("__underscores__", 2),
            '.' => ("__dot__", 1),
            '-' => ("__dash__", 1),
            '/' => ("__slash__", 1),
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => (rest.get(..1)?, 1),
            _ => return None,
        };
        out.push_str(text);
        rest = rest.get(len..)?;
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, escaped: Option<&str>) {
        assert_eq!(escape(name).as_deref(), escaped, "{name}");
    }

    #[test]
    fn names_that_cel_cannot_write_are_spelled_out() {
        check("replicas", Some("replicas"));
        check("a-b.c/d", Some("a__dash__b__dot__c__slash__d"));
        check("a__b___", Some("a__underscores__b__underscores___"));
        check("namespace", Some("__namespace__"));
        check("namespaces", Some("namespaces"));
        check("1st", None);
        check("", None);
        check("ä", None);
        check("a b", None);
    }
}
