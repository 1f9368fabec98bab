//! Who sends a request: the holder of a token, of a client certificate, or nobody in particular.
//!
//! Takes the headers and the certificate of the connection, gives a [`User`] or says that the credentials are not good.
//! An administrator may act as somebody else.

use crate::query::decode;
use crdkit_schema::status::{Status, Subject};
use crdkit_text::quote::quote;
use crdkit_text::timestamp::Timestamp;
use hyper::header::{AUTHORIZATION, HeaderMap};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

pub(crate) use crdkit_admission::{ADMINISTRATORS, User};

/// Where a user says which credential they have shown.
pub(crate) const CREDENTIAL: &str = "authentication.kubernetes.io/credential-id";

/// Tokens and whom they belong to.
#[derive(Debug, Default)]
pub(crate) struct Tokens {
    given: Vec<(String, User)>,
    /// Those of service accounts, with the second they expire.
    issued: Mutex<HashMap<String, (User, i64)>>,
}

impl Tokens {
    /// Makes `token` that of an administrator.
    pub(crate) fn add_administrator(&mut self, token: &str) {
        let user = User { uid: "admin".to_owned(), ..User::administrator("admin") };
        self.given.push((token.to_owned(), user));
    }

    /// Makes `token` that of a user in these groups.
    pub(crate) fn add(&mut self, token: &str, user: &str, groups: Vec<String>) {
        self.given.push((token.to_owned(), User::known(user, groups)));
    }

    /// Whom a token belongs to that has not expired. How long this takes says nothing about tokens that are not known.
    pub(crate) fn user(&self, token: &str, now: Timestamp) -> Option<User> {
        let mut found = None;
        for (known, user) in &self.given {
            if same(known.as_bytes(), token.as_bytes()) {
                found = Some(user);
            }
        }
        let issued = self.issued.lock().unwrap_or_else(PoisonError::into_inner);
        let is_good = |(_, end): &&(User, i64)| *end > now.seconds;
        found.cloned().or_else(|| issued.get(token).filter(is_good).map(|(user, _)| user.clone()))
    }

    /// Makes `token` that of a service account until it expires.
    pub(crate) fn issue(&self, token: &str, user: User, expires: Timestamp, now: Timestamp) {
        let mut issued = self.issued.lock().unwrap_or_else(PoisonError::into_inner);
        issued.retain(|_, (_, end)| *end > now.seconds);
        issued.insert(token.to_owned(), (user, expires.seconds));
    }
}

/// Whether two texts are equal, in a time that depends on their lengths only.
fn same(left: &[u8], right: &[u8]) -> bool {
    let differences = left.iter().zip(right).fold(0, |sum, (left, right)| sum | (left ^ right));
    left.len() == right.len() && differences == 0
}

/// Who sends a request with these headers over a connection of `peer`.
///
/// # Errors
/// The answer, when a token is not known or the sender may not act as who they want to.
pub(crate) fn identify(
    headers: &HeaderMap,
    peer: Option<&User>,
    tokens: &Tokens,
    now: Timestamp,
) -> Result<User, Box<Status>> {
    let authorization = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let authorization = authorization.unwrap_or_default().trim();
    let (scheme, token) = authorization.split_once(' ').unwrap_or_default();
    // A token ends with the next space, even if that is the first thing there is.
    let token = token.split(' ').next().unwrap_or_default();
    let user = match (scheme.eq_ignore_ascii_case("bearer"), token, peer) {
        (true, token, _) if !token.is_empty() => {
            tokens.user(token, now).ok_or_else(|| Box::new(Status::unauthorized()))?
        }
        (_, _, Some(peer)) => peer.clone(),
        _ => User::anonymous(),
    };
    impersonate(headers, user)
}

/// Who the headers want to be, if anybody.
fn impersonate(headers: &HeaderMap, user: User) -> Result<User, Box<Status>> {
    let text = |name: &str| headers.get(name).and_then(|it| it.to_str().ok()).unwrap_or_default();
    let groups = headers.get_all("impersonate-group").iter();
    let groups: Vec<String> = groups.filter_map(|it| it.to_str().ok()).map(str::to_owned).collect();
    let (name, uid) = (text("impersonate-user"), text("impersonate-uid"));
    let extra = headers.iter().filter_map(|(header, value)| {
        let key = header.as_str().strip_prefix("impersonate-extra-")?;
        Some((decode(key, false), value.to_str().ok()?))
    });
    if name.is_empty() {
        let wanted = User { uid: uid.to_owned(), groups, ..User::default() };
        let wanted = extra.fold(wanted, |user, (key, value)| user.with_extra(&key, value));
        if wanted.groups.is_empty() && uid.is_empty() && wanted.extra.is_empty() {
            return Ok(user);
        }
        let shown = shown(&wanted);
        let text = format!("requested {shown} without impersonating a user name");
        return Err(Status::bad_request(text).into());
    }
    if !user.is_administrator() {
        let why = format!(
            "User \"{}\" cannot impersonate resource \"users\" in API group \"\" at the cluster scope",
            user.name
        );
        let subject = Subject { group: "", version: "", kind: "users", name };
        return Err(subject.forbidden(&why).into());
    }
    if name == "system:anonymous" {
        return Ok(User::anonymous());
    }
    let account = name.strip_prefix("system:serviceaccount:").and_then(|it| it.split_once(':'));
    let user = match account {
        Some((namespace, name)) if groups.is_empty() => User::service_account(namespace, name),
        _ => User::known(name, groups),
    };
    let user = User { uid: uid.to_owned(), ..user };
    Ok(extra.fold(user, |user, (key, value)| user.with_extra(&key, value)))
}

/// A user as Go shows the value.
fn shown(user: &User) -> String {
    let list = |texts: &[String]| {
        let texts: Vec<String> = texts.iter().map(|text| quote(text)).collect();
        format!("[]string{{{}}}", texts.join(", "))
    };
    let groups = match &*user.groups {
        [] => "[]string(nil)".to_owned(),
        groups => list(groups),
    };
    let extra = user.extra.iter().map(|(key, values)| format!("{}:{}", quote(key), list(values)));
    let extra: Vec<String> = extra.collect();
    let extra = match &*extra {
        [] => "(nil)".to_owned(),
        extra => format!("{{{}}}", extra.join(", ")),
    };
    let (name, uid) = (quote(&user.name), quote(&user.uid));
    format!(
        "&user.DefaultInfo{{Name:{name}, UID:{uid}, Groups:{groups}, Extra:map[string][]string{extra}}}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(headers: &[(&'static str, &str)]) -> Result<User, u16> {
        let mut tokens = Tokens::default();
        tokens.add_administrator("secret");
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().unwrap());
        }
        identify(&map, None, &tokens, at(0)).map_err(|status| status.code)
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp { seconds, nanoseconds: 0, offset: 0 }
    }

    #[test]
    fn a_token_that_was_issued_expires() {
        let tokens = Tokens::default();
        tokens.issue("abc", User::service_account("a", "b"), at(20), at(10));
        let is_known = |now| tokens.user("abc", at(now)).is_some();
        assert_eq!([10, 19, 20, 30].map(is_known), [true, true, false, false]);
    }

    fn found(headers: &[(&'static str, &str)]) -> Result<String, u16> {
        user(headers).map(|user| user.name)
    }

    #[test]
    fn tokens_say_who_asks() {
        assert_eq!(found(&[]), Ok("system:anonymous".into()));
        assert_eq!(found(&[("authorization", "Bearer secret")]), Ok("admin".into()));
        assert_eq!(found(&[("authorization", "Bearer other")]), Err(401));
        assert_eq!(found(&[("authorization", "Digest abc")]), Ok("system:anonymous".into()));
        assert_eq!(found(&[("authorization", "Bearer  secret")]), Ok("system:anonymous".into()));
        assert_eq!(found(&[("authorization", "Bearer secret ")]), Ok("admin".into()));
        let jane = [("authorization", "bearer secret"), ("impersonate-user", "jane")];
        assert_eq!(found(&jane), Ok("jane".into()));
        assert_eq!(found(&[("impersonate-user", "jane")]), Err(403));
    }

    #[test]
    fn whoever_acts_as_somebody_says_all_about_them() {
        let jane = user(&[
            ("authorization", "Bearer secret"),
            ("impersonate-user", "jane"),
            ("impersonate-uid", "7"),
            ("impersonate-extra-Example.com%2fTeams", "red"),
            ("impersonate-extra-example.com%2fteams", "blue"),
        ])
        .unwrap();
        assert_eq!(jane.uid, "7");
        assert_eq!(jane.extra["example.com/teams"], ["red", "blue"]);
        let account =
            [("authorization", "Bearer secret"), ("impersonate-user", "system:serviceaccount:a:b")];
        let groups = user(&account).unwrap().groups;
        let expected =
            ["system:serviceaccounts", "system:serviceaccounts:a", "system:authenticated"];
        assert_eq!(groups, expected);
        let nobody = [("authorization", "Bearer secret"), ("impersonate-extra-team", "red")];
        assert_eq!(found(&nobody), Err(400));
    }
}
