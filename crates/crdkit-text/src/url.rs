//! URLs as Go's `net/url` reads them.
//!
//! Takes text, gives its parts as Kubernetes' CEL functions and the `uri` format see them. Parts that were
//! percent-encoded are decoded; bytes that are then not UTF-8 show as replacement characters.
//! Upstream: Go 1.26 `net/url`.

mod escape;
mod host;

use std::collections::BTreeMap;
use std::fmt;

use crate::error::TextError;
use crate::quote::quote;
use escape::{Mode, escape, is_valid_encoding, unescape};

/// A URL taken apart.
#[derive(Clone, Debug, Default)]
pub struct Url {
    scheme: String,
    opaque: String,
    user: Option<User>,
    host: Vec<u8>,
    path: Vec<u8>,
    /// The path as written, where that is not how it would be escaped.
    raw_path: Option<String>,
    force_query: bool,
    raw_query: String,
    fragment: Vec<u8>,
    raw_fragment: Option<String>,
    /// `scheme:/path`, with no `//`.
    omit_host: bool,
}

#[derive(Clone, Debug)]
struct User {
    name: Vec<u8>,
    password: Option<Vec<u8>>,
}

impl Url {
    /// `url.Parse`: absolute or relative, with an optional fragment.
    pub fn parse(text: &str) -> Result<Self, TextError> {
        let (before, fragment) = text.split_once('#').unwrap_or((text, ""));
        let mut url = Self::parts(before, false).map_err(|reason| error(before, &reason))?;
        if !fragment.is_empty() {
            url.set_fragment(fragment).map_err(|reason| error(text, &reason))?;
        }
        Ok(url)
    }

    /// `url.ParseRequestURI`: an absolute URL or an absolute path. A `#` has no special meaning.
    pub fn parse_request_uri(text: &str) -> Result<Self, TextError> {
        Self::parts(text, true).map_err(|reason| error(text, &reason))
    }

    fn parts(text: &str, request: bool) -> Result<Self, String> {
        if text.bytes().any(|byte| byte.is_ascii_control()) {
            return Err("net/url: invalid control character in URL".to_owned());
        }
        if text.is_empty() && request {
            return Err("empty url".to_owned());
        }
        let mut url = Self::default();
        if text == "*" {
            url.path = b"*".to_vec();
            return Ok(url);
        }
        let (scheme, mut rest) = split_scheme(text)?;
        url.scheme = scheme.to_ascii_lowercase();
        match rest.split_once('?') {
            Some((before, "")) => {
                url.force_query = true;
                rest = before;
            }
            Some((before, query)) => {
                query.clone_into(&mut url.raw_query);
                rest = before;
            }
            None => {}
        }
        if !rest.starts_with('/') {
            if !scheme.is_empty() {
                rest.clone_into(&mut url.opaque);
                return Ok(url);
            }
            if request {
                return Err("invalid URI for request".to_owned());
            }
            if rest.split('/').next().is_some_and(|segment| segment.contains(':')) {
                return Err("first path segment in URL cannot contain colon".to_owned());
            }
        }
        let has_authority = !scheme.is_empty() || (!request && !rest.starts_with("///"));
        if let Some(after) = rest.strip_prefix("//").filter(|_| has_authority) {
            let end = after.find('/').unwrap_or(after.len());
            let (authority, path) = after.split_at_checked(end).unwrap_or((after, ""));
            url.set_authority(authority)?;
            rest = path;
        } else if !scheme.is_empty() && rest.starts_with('/') {
            url.omit_host = true;
        }
        url.set_path(rest)?;
        Ok(url)
    }

    fn set_authority(&mut self, authority: &str) -> Result<(), String> {
        let (user, written) = match authority.rsplit_once('@') {
            Some((user, host)) => (Some(user), host),
            None => (None, authority),
        };
        self.host = host::parse(&self.scheme, written)?;
        let Some(user) = user else { return Ok(()) };
        let allowed = |c: char| c.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(c);
        if !user.chars().all(allowed) {
            return Err("net/url: invalid userinfo".to_owned());
        }
        let (name, password) =
            user.split_once(':').map_or((user, None), |(name, rest)| (name, Some(rest)));
        let name = unescape(name, Mode::User)?;
        let password = password.map(|password| unescape(password, Mode::User)).transpose()?;
        self.user = Some(User { name, password });
        Ok(())
    }

    fn set_path(&mut self, written: &str) -> Result<(), String> {
        self.path = unescape(written, Mode::Path)?;
        self.raw_path = (escape(&self.path, Mode::Path) != written).then(|| written.to_owned());
        Ok(())
    }

    fn set_fragment(&mut self, written: &str) -> Result<(), String> {
        self.fragment = unescape(written, Mode::Fragment)?;
        self.raw_fragment =
            (escape(&self.fragment, Mode::Fragment) != written).then(|| written.to_owned());
        Ok(())
    }

    /// The scheme in lower case, or nothing.
    pub fn scheme(&self) -> &str {
        &self.scheme
    }

    /// Whether a user is named before the host.
    pub fn has_user(&self) -> bool {
        self.user.is_some()
    }

    /// Host and port, brackets of an IPv6 address included.
    pub fn host(&self) -> String {
        String::from_utf8_lossy(&self.host).into_owned()
    }

    /// The host without port and brackets.
    pub fn hostname(&self) -> String {
        host::split(&self.host()).0.to_owned()
    }

    /// The digits after the host, or nothing.
    pub fn port(&self) -> String {
        host::split(&self.host()).1.to_owned()
    }

    /// The path, escaped; as it was written where that is a valid way to write it.
    pub fn escaped_path(&self) -> String {
        match &self.raw_path {
            Some(raw) if is_valid_encoding(raw, Mode::Path) => raw.clone(),
            _ if self.path == b"*" => "*".to_owned(),
            _ => escape(&self.path, Mode::Path),
        }
    }

    /// The query as written, without the question mark.
    pub fn raw_query(&self) -> &str {
        &self.raw_query
    }

    /// The query decoded: each key with its values in order. Pairs that cannot be decoded, or that hold a
    /// semicolon, are left out.
    pub fn query(&self) -> BTreeMap<String, Vec<String>> {
        let mut values = BTreeMap::<String, Vec<String>>::new();
        // Go gives up on longer queries.
        if self.raw_query.matches('&').count() >= 10_000 {
            return values;
        }
        let decode = |text| {
            let bytes = unescape(text, Mode::Query).ok()?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        };
        for pair in self.raw_query.split('&').filter(|pair| !pair.is_empty() && !pair.contains(';'))
        {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            if let (Some(key), Some(value)) = (decode(key), decode(value)) {
                values.entry(key).or_default().push(value);
            }
        }
        values
    }

    /// What follows `#`, decoded.
    pub fn fragment(&self) -> String {
        String::from_utf8_lossy(&self.fragment).into_owned()
    }

    fn escaped_fragment(&self) -> String {
        match &self.raw_fragment {
            Some(raw) if is_valid_encoding(raw, Mode::Fragment) => raw.clone(),
            _ => escape(&self.fragment, Mode::Fragment),
        }
    }
}

impl fmt::Display for Url {
    /// `URL.String`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut before = String::new();
        if !self.scheme.is_empty() {
            before = format!("{}:", self.scheme);
        }
        if self.opaque.is_empty() {
            let no_host = self.host.is_empty() && self.user.is_none();
            if !no_host || !(self.scheme.is_empty() || self.omit_host) {
                if !no_host || !self.path.is_empty() {
                    before.push_str("//");
                }
                if let Some(user) = &self.user {
                    before.push_str(&escape(&user.name, Mode::User));
                    if let Some(password) = &user.password {
                        before.push(':');
                        before.push_str(&escape(password, Mode::User));
                    }
                    before.push('@');
                }
                before.push_str(&escape(&self.host, Mode::Host));
            }
            let path = self.escaped_path();
            if !path.is_empty() && !path.starts_with('/') && !self.host.is_empty() {
                before.push('/');
            }
            if before.is_empty()
                && path.split('/').next().is_some_and(|segment| segment.contains(':'))
            {
                before.push_str("./");
            }
            write!(f, "{before}{path}")?;
        } else {
            write!(f, "{before}{}", self.opaque)?;
        }
        if self.force_query || !self.raw_query.is_empty() {
            write!(f, "?{}", self.raw_query)?;
        }
        if !self.fragment.is_empty() {
            write!(f, "#{}", self.escaped_fragment())?;
        }
        Ok(())
    }
}

fn error(text: &str, reason: &str) -> TextError {
    TextError::new(format!("parse {}: {reason}", quote(text)))
}

fn split_scheme(text: &str) -> Result<(&str, &str), String> {
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if index > 0 => {}
            b':' if index == 0 => return Err("missing protocol scheme".to_owned()),
            b':' => return Ok(text.split_once(':').unwrap_or(("", text))),
            _ => break,
        }
    }
    Ok(("", text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_comes_apart() {
        let url = Url::parse("HTTPS://u:p@[::1]:8443/a%2Fb/c?k=1&k=%20&x;y&=#frag").unwrap();
        assert_eq!(url.scheme(), "https");
        assert_eq!(
            (url.host(), url.hostname(), url.port()),
            ("[::1]:8443".into(), "::1".into(), "8443".into())
        );
        assert_eq!(url.escaped_path(), "/a%2Fb/c");
        assert_eq!(
            url.query().into_iter().collect::<Vec<_>>(),
            [
                (String::new(), vec![String::new()]),
                ("k".to_owned(), vec!["1".to_owned(), " ".to_owned()]),
            ]
        );
        assert_eq!(url.fragment(), "frag");
        assert!(url.has_user());
    }

    #[test]
    fn paths_are_escaped_again_where_they_were_not_written_well() {
        for (text, path) in
            [("/a b", "/a%20b"), ("/%3f%41", "/%3f%41"), ("/ %3F", "/%20%3F"), ("/[]", "/[]")]
        {
            assert_eq!(Url::parse(text).unwrap().escaped_path(), path);
        }
    }

    #[test]
    fn refusals_name_the_fault() {
        for (text, reason) in [
            ("", r#"parse "": empty url"#),
            ("a/b", r#"parse "a/b": invalid URI for request"#),
            (":x", r#"parse ":x": missing protocol scheme"#),
            ("http://a b/", r#"parse "http://a b/": invalid character " " in host name"#),
            ("http://h:x/", r#"parse "http://h:x/": invalid port ":x" after host"#),
            ("/%zz", r#"parse "/%zz": invalid URL escape "%zz""#),
            ("http://[::1", r#"parse "http://[::1": missing ']' in host"#),
            ("/\n", r#"parse "/\n": net/url: invalid control character in URL"#),
        ] {
            assert_eq!(Url::parse_request_uri(text).unwrap_err().to_string(), reason);
        }
    }

    #[test]
    fn a_url_prints_as_go_prints_it() {
        for text in
            ["http://h/p?q=1#f", "mailto:a@b", "/p", "//h/p", "file:///x", "x:/y", "a?", "./a:b"]
        {
            assert_eq!(Url::parse(text).unwrap().to_string(), text);
        }
    }
}
