//! The `Accept` header as the API server parses it.
//!
//! Upstream: `github.com/munnerz/goautoneg/autoneg.go`.

/// One alternative of an `Accept` header.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    /// What stands before the slash.
    pub kind: String,
    /// What stands after it.
    pub subtype: String,
    /// The quality: single precision, not limited to 1, and 0 where it is not a number.
    pub quality: f64,
    /// The other parameters, the last of each name, in order of the names.
    pub parameters: Vec<(String, String)>,
}

/// The alternatives of a header in the order they are tried.
///
/// A better quality goes first, but a concrete type also goes before a wildcard whatever the qualities,
/// which is not a consistent order: with wildcards, the outcome depends on the order in the header. The same
/// insertion sort as upstream's gives the same outcome, up to the twelve alternatives for which upstream
/// uses it.
pub fn parse_accept(header: &str) -> Vec<Clause> {
    let mut clauses: Vec<Clause> = Vec::new();
    for clause in split(header, ',').filter_map(|part| clause(trim(part))) {
        let mut at = clauses.len();
        while at > 0 && clauses.get(at - 1).is_some_and(|before| goes_before(&clause, before)) {
            at -= 1;
        }
        clauses.insert(at, clause);
    }
    clauses
}

fn goes_before(left: &Clause, right: &Clause) -> bool {
    left.quality > right.quality
        || left.kind != "*" && right.kind == "*"
        || left.subtype != "*" && right.subtype == "*"
}

fn clause(part: &str) -> Option<Clause> {
    let mut pieces = split(part, ';');
    let (kind, subtype) = match pieces.next().unwrap_or_default().split_once('/') {
        None | Some((_, "")) => {
            let kind = trim(part.split([';', '/']).next().unwrap_or_default());
            (kind == "*").then_some(("*", "*"))?
        }
        // A slash at the very end is passed over.
        Some((kind, subtype)) => match subtype.split_once('/') {
            None | Some((_, "")) => (trim(kind), trim(subtype.trim_end_matches('/'))),
            Some(_) => return None,
        },
    };
    let (kind, subtype) = (kind.to_owned(), subtype.to_owned());
    let mut clause = Clause { kind, subtype, quality: 1.0, parameters: Vec::new() };
    for piece in pieces {
        // A parameter without a value, or with a second equals sign, is passed over.
        let Some((name, value)) = piece.split_once('=').filter(|(_, value)| !value.is_empty())
        else {
            continue;
        };
        let value = match value.split_once('=') {
            None => value,
            Some((value, "")) => value,
            Some(_) => continue,
        };
        if trim(name) == "q" {
            clause.quality = value.parse::<f32>().map_or(0.0, f64::from);
            continue;
        }
        let (name, value) = (trim(name).to_owned(), trim(value).to_owned());
        match clause.parameters.binary_search_by(|(known, _)| known.cmp(&name)) {
            Ok(at) => {
                if let Some((_, old)) = clause.parameters.get_mut(at) {
                    *old = value;
                }
            }
            Err(at) => clause.parameters.insert(at, (name, value)),
        }
    }
    Some(clause)
}

/// The pieces between separators; nothing follows a separator at the end.
fn split(text: &str, separator: char) -> impl Iterator<Item = &str> {
    text.split_terminator(separator)
}

fn trim(text: &str) -> &str {
    text.trim_matches(' ')
}
