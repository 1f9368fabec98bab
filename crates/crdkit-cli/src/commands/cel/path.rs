//! Paths as people write them: `spec.targets[0].name`, `metadata.labels[example.com/team]`.

use crdkit_issue::{FieldPath, Segment};

/// Reads a path. The empty one is the whole object.
pub(super) fn parse(text: &str) -> Result<FieldPath, String> {
    let mut path = FieldPath::root();
    let mut rest = text.strip_prefix('.').unwrap_or(text);
    while !rest.is_empty() {
        let (step, after) = if let Some(bracket) = rest.strip_prefix('[') {
            let (inner, after) = bracket.split_once(']').ok_or("a bracket is not closed")?;
            let index = inner.parse().map(Segment::Index);
            (index.unwrap_or_else(|_| Segment::Key(inner.into())), after)
        } else {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            (Segment::Field(name.into()), after)
        };
        if matches!(&step, Segment::Field(name) if name.is_empty()) {
            return Err("a name is missing".into());
        }
        path = path.join(step);
        rest = match after.strip_prefix('.') {
            Some("") => return Err("a name is missing".into()),
            Some(after) => after,
            None => after,
        };
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_prints_as_it_was_written() {
        for text in ["", "spec", "spec.targets[0].name", "spec.targets[*]", "labels[a.b/c].d"] {
            assert_eq!(parse(text).unwrap().to_string(), text);
        }
        assert_eq!(parse(".spec.a").unwrap().to_string(), "spec.a");
    }

    #[test]
    fn a_path_with_a_hole_is_refused() {
        for text in ["spec.", "spec..a", "spec[0", "..", "a[0]..b"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
