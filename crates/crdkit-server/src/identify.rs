//! Who sends a request: the holder of a token, of a client certificate, or nobody in particular.
//!
//! Takes the headers and the certificate of the connection, gives a [`User`] or says that the credentials are not good.
//! An administrator may act as somebody else.

use crdkit_schema::status::{Status, Subject};
use crdkit_text::timestamp::Timestamp;
use hyper::header::{AUTHORIZATION, HeaderMap};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Whoever sends a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct User {
    pub(crate) name: String,
    pub(crate) uid: String,
    pub(crate) groups: Vec<String>,
}

/// Members may do everything.
pub(crate) const ADMINISTRATORS: &str = "system:masters";
const AUTHENTICATED: &str = "system:authenticated";
const UNAUTHENTICATED: &str = "system:unauthenticated";

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
        let user = User::known("admin", [ADMINISTRATORS.to_owned()]);
        self.given.push((token.to_owned(), User { uid: "admin".to_owned(), ..user }));
    }

    /// Makes `token` that of a user in these groups.
    pub(crate) fn add(&mut self, token: &str, user: &str, groups: Vec<String>) {
        self.given.push((token.to_owned(), User::known(user, groups)));
    }

    /// Whom a token belongs to. How long this takes says nothing about tokens that are not known.
    pub(crate) fn user(&self, token: &str) -> Option<User> {
        let mut found = None;
        for (known, user) in &self.given {
            if same(known.as_bytes(), token.as_bytes()) {
                found = Some(user);
            }
        }
        let issued = self.issued.lock().unwrap_or_else(PoisonError::into_inner);
        found.cloned().or_else(|| issued.get(token).map(|(user, _)| user.clone()))
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

impl User {
    /// A user whose identity is known.
    pub(crate) fn known(name: &str, groups: impl IntoIterator<Item = String>) -> Self {
        let mut groups: Vec<String> = groups.into_iter().collect();
        if !groups.iter().any(|group| group == AUTHENTICATED) {
            groups.push(AUTHENTICATED.to_owned());
        }
        Self { name: name.to_owned(), uid: String::new(), groups }
    }

    /// A service account, as which programs in a cluster ask.
    pub(crate) fn service_account(namespace: &str, name: &str, uid: &str) -> Self {
        let groups =
            ["system:serviceaccounts".to_owned(), format!("system:serviceaccounts:{namespace}")];
        let user = Self::known(&format!("system:serviceaccount:{namespace}:{name}"), groups);
        Self { uid: uid.to_owned(), ..user }
    }

    pub(crate) fn anonymous() -> Self {
        let groups = vec![UNAUTHENTICATED.to_owned()];
        Self { name: "system:anonymous".to_owned(), uid: String::new(), groups }
    }

    pub(crate) fn is_administrator(&self) -> bool {
        self.groups.iter().any(|group| group == ADMINISTRATORS)
    }

    pub(crate) fn is_authenticated(&self) -> bool {
        self.groups.iter().any(|group| group == AUTHENTICATED)
    }
}

/// Who sends a request with these headers over a connection of `peer`.
///
/// # Errors
/// The answer, when a token is not known or the sender may not act as who they want to.
pub(crate) fn identify(
    headers: &HeaderMap,
    peer: Option<&User>,
    tokens: &Tokens,
) -> Result<User, Box<Status>> {
    let authorization = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let (scheme, token) = authorization.and_then(|it| it.split_once(' ')).unwrap_or_default();
    let user = match (scheme.eq_ignore_ascii_case("bearer"), token.trim(), peer) {
        (true, token, _) if !token.is_empty() => {
            tokens.user(token).ok_or_else(|| Box::new(Status::unauthorized()))?
        }
        (_, _, Some(peer)) => peer.clone(),
        _ => User::anonymous(),
    };
    impersonate(headers, user)
}

fn impersonate(headers: &HeaderMap, user: User) -> Result<User, Box<Status>> {
    let text = |name: &str| headers.get(name).and_then(|it| it.to_str().ok()).unwrap_or_default();
    let groups = headers.get_all("impersonate-group").iter();
    let groups: Vec<String> = groups.filter_map(|it| it.to_str().ok()).map(str::to_owned).collect();
    let (name, uid) = (text("impersonate-user"), text("impersonate-uid"));
    if name.is_empty() {
        if groups.is_empty() && uid.is_empty() {
            return Ok(user);
        }
        let problem = "requested [{Group  ]] without impersonating a user";
        return Err(Status::internal_error(problem).into());
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
    Ok(User { uid: uid.to_owned(), ..User::known(name, groups) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(headers: &[(&'static str, &str)]) -> Result<String, u16> {
        let mut tokens = Tokens::default();
        tokens.add_administrator("secret");
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().unwrap());
        }
        identify(&map, None, &tokens).map(|user| user.name).map_err(|status| status.code)
    }

    #[test]
    fn tokens_say_who_asks() {
        assert_eq!(found(&[]), Ok("system:anonymous".into()));
        assert_eq!(found(&[("authorization", "Bearer secret")]), Ok("admin".into()));
        assert_eq!(found(&[("authorization", "Bearer other")]), Err(401));
        assert_eq!(found(&[("authorization", "Digest abc")]), Ok("system:anonymous".into()));
        let jane = [("authorization", "bearer secret"), ("impersonate-user", "jane")];
        assert_eq!(found(&jane), Ok("jane".into()));
        assert_eq!(found(&[("impersonate-user", "jane")]), Err(403));
    }
}
