//! Addresses of schemas: a reference made absolute (RFC 3986, section 5).

/// `reference` as seen from `base`, without its fragment, and the fragment with escapes undone.
pub(super) fn join(base: &str, reference: &str) -> (String, String) {
    let (reference, fragment) = split_fragment(reference);
    (resolve(base, reference), unescape(fragment))
}

/// The parts before and after `#`.
pub(super) fn split_fragment(uri: &str) -> (&str, &str) {
    uri.split_once('#').unwrap_or((uri, ""))
}

fn resolve(base: &str, reference: &str) -> String {
    if reference.is_empty() {
        return split_fragment(base).0.to_owned();
    }
    if scheme(reference).is_some() {
        return reference.to_owned();
    }
    let Some(base_scheme) = scheme(base) else {
        // A base without a scheme, as bare schemas have, is treated as a path.
        return match reference.strip_prefix('/') {
            Some(_) => without_dots(reference),
            None => without_dots(&format!("{}{reference}", directory(base))),
        };
    };
    let rest = base.get(base_scheme.len() + 1..).unwrap_or_default();
    if reference.starts_with("//") {
        return format!("{base_scheme}:{reference}");
    }
    let (authority, path) = match rest.strip_prefix("//") {
        Some(rest) => {
            let end = rest.find(['/', '?']).unwrap_or(rest.len());
            let (authority, path) = rest.split_at_checked(end).unwrap_or((rest, ""));
            (format!("//{authority}"), path)
        }
        None => (String::new(), rest),
    };
    let path = path.split('?').next().unwrap_or_default();
    let (reference_path, query) = match reference.split_once('?') {
        Some((path, query)) => (path, format!("?{query}")),
        None => (reference, String::new()),
    };
    let joined = if reference_path.is_empty() {
        path.to_owned()
    } else if reference_path.starts_with('/') {
        without_dots(reference_path)
    } else if path.is_empty() && !authority.is_empty() {
        without_dots(&format!("/{reference_path}"))
    } else {
        without_dots(&format!("{}{reference_path}", directory(path)))
    };
    format!("{base_scheme}:{authority}{joined}{query}")
}

fn scheme(uri: &str) -> Option<&str> {
    let (scheme, _) = uri.split_once(':')?;
    let valid = scheme.bytes().next()?.is_ascii_alphabetic()
        && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'));
    valid.then_some(scheme)
}

/// Everything up to the last slash.
fn directory(path: &str) -> &str {
    path.rfind('/').and_then(|end| path.get(..=end)).unwrap_or_default()
}

fn without_dots(path: &str) -> String {
    let mut out: Vec<&str> = Vec::new();
    let absolute = path.starts_with('/');
    let mut segments = path.trim_start_matches('/').split('/').peekable();
    while let Some(segment) = segments.next() {
        let last = segments.peek().is_none();
        match segment {
            "." if last => out.push(""),
            "." => {}
            ".." => {
                out.pop();
                if last {
                    out.push("");
                }
            }
            other => out.push(other),
        }
    }
    format!("{}{}", if absolute { "/" } else { "" }, out.join("/"))
}

fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte == b'%'
            && let Some((digits, after)) = after.split_first_chunk::<2>()
            && let Ok(digits) = std::str::from_utf8(digits)
            && let Ok(escaped) = u8::from_str_radix(digits, 16)
        {
            bytes.push(escaped);
            rest = after;
        } else {
            bytes.push(*byte);
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_made_absolute() {
        for (base, reference, expected) in [
            ("http://a/b/c/d?q", "g", "http://a/b/c/g"),
            ("http://a/b/c/d?q", "./g", "http://a/b/c/g"),
            ("http://a/b/c/d?q", "g/", "http://a/b/c/g/"),
            ("http://a/b/c/d?q", "/g", "http://a/g"),
            ("http://a/b/c/d?q", "//g", "http://g"),
            ("http://a/b/c/d?q", "?y", "http://a/b/c/d?y"),
            ("http://a/b/c/d?q", "../g", "http://a/b/g"),
            ("http://a/b/c/d?q", "../../../g", "http://a/g"),
            ("http://a/b/c/d", "", "http://a/b/c/d"),
            ("http://a/b/c/d", "urn:x:y", "urn:x:y"),
            ("http://a", "g", "http://a/g"),
            ("urn:example:root", "", "urn:example:root"),
            ("", "node", "node"),
            ("dir/a.json", "b.json", "dir/b.json"),
            ("http://a/b/", "c", "http://a/b/c"),
        ] {
            assert_eq!(join(base, reference).0, expected, "{base} {reference}");
        }
    }

    #[test]
    fn fragments_lose_their_escapes() {
        assert_eq!(join("", "#/a%25b/c%22").1, "/a%b/c\"");
        assert_eq!(join("", "#/%zz%").1, "/%zz%");
    }
}
