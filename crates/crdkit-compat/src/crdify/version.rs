//! The order of version names: alpha before beta before stable, then by number.
//!
//! Upstream: `CompareKubeAwareVersionStrings` in `apimachinery/pkg/version`.

use std::cmp::Ordering;

/// Whether `left` is the older version; a name that is not a version is older than every one that is.
pub(super) fn compare(left: &str, right: &str) -> Ordering {
    match (parse(left), parse(right)) {
        (None, None) => right.cmp(left),
        (left, right) => left.cmp(&right),
    }
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Stability {
    Alpha,
    Beta,
    Stable,
}

fn parse(name: &str) -> Option<(Stability, i64, i64)> {
    let rest = name.strip_prefix('v')?;
    let (major, rest) = digits(rest)?;
    let (stability, rest) = if let Some(rest) = rest.strip_prefix("alpha") {
        (Stability::Alpha, rest)
    } else if let Some(rest) = rest.strip_prefix("beta") {
        (Stability::Beta, rest)
    } else {
        return rest.is_empty().then_some((Stability::Stable, major, 0));
    };
    let (minor, rest) = digits(rest)?;
    rest.is_empty().then_some((stability, major, minor))
}

fn digits(text: &str) -> Option<(i64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at_checked(end)?;
    Some((digits.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stability_comes_before_number() {
        let mut names = [
            "v1",
            "v10",
            "v2",
            "v1beta1",
            "v2beta1",
            "v1alpha1",
            "v2alpha10",
            "v2alpha9",
            "foo",
            "v1gamma1",
            "v",
            "v1beta",
            "bar",
        ];
        names.sort_by(|left, right| compare(left, right));
        assert_eq!(
            names,
            [
                "v1gamma1",
                "v1beta",
                "v",
                "foo",
                "bar",
                "v1alpha1",
                "v2alpha9",
                "v2alpha10",
                "v1beta1",
                "v2beta1",
                "v1",
                "v2",
                "v10"
            ]
        );
    }
}
