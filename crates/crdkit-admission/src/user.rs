//! Who sends a request, as authenticators, reviews and the audit log name them.

use crdkit_value::Document;
use std::collections::BTreeMap;

/// Who sends a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// The name.
    pub name: String,
    /// The uid; often empty.
    pub uid: String,
    /// All groups.
    pub groups: Vec<String>,
    /// What the authenticator says besides.
    pub extra: BTreeMap<String, Vec<String>>,
}

/// Who is in this group may do everything.
pub const ADMINISTRATORS: &str = "system:masters";
const AUTHENTICATED: &str = "system:authenticated";
const UNAUTHENTICATED: &str = "system:unauthenticated";
const SERVICE_ACCOUNTS: &str = "system:serviceaccounts";

impl User {
    /// A user whose identity is known.
    pub fn known(name: &str, groups: impl IntoIterator<Item = String>) -> Self {
        let mut groups: Vec<String> = groups.into_iter().collect();
        if !groups.iter().any(|group| group == AUTHENTICATED) {
            groups.push(AUTHENTICATED.to_owned());
        }
        Self { name: name.to_owned(), groups, ..Self::default() }
    }

    /// Who may do everything.
    pub fn administrator(name: &str) -> Self {
        Self::known(name, [ADMINISTRATORS.to_owned()])
    }

    /// A service account, as which programs in a cluster ask.
    pub fn service_account(namespace: &str, name: &str) -> Self {
        let groups = [SERVICE_ACCOUNTS.to_owned(), format!("{SERVICE_ACCOUNTS}:{namespace}")];
        Self::known(&format!("system:serviceaccount:{namespace}:{name}"), groups)
    }

    /// Whoever has not said who they are.
    pub fn anonymous() -> Self {
        let groups = vec![UNAUTHENTICATED.to_owned()];
        Self { name: "system:anonymous".to_owned(), groups, ..Self::default() }
    }

    /// Whether this user may do everything.
    pub fn is_administrator(&self) -> bool {
        self.groups.iter().any(|group| group == ADMINISTRATORS)
    }

    /// Whether it is known who this is.
    pub fn is_authenticated(&self) -> bool {
        self.groups.iter().any(|group| group == AUTHENTICATED)
    }

    /// The user with something that the authenticator says besides.
    #[must_use]
    pub fn with_extra(mut self, key: &str, value: &str) -> Self {
        self.extra.entry(key.to_owned()).or_default().push(value.to_owned());
        self
    }

    /// As `userInfo`.
    pub fn document(&self) -> Document {
        let mut user = Document::object();
        if !self.name.is_empty() {
            user = user.with("username", &self.name);
        }
        if !self.uid.is_empty() {
            user = user.with("uid", &self.uid);
        }
        if !self.groups.is_empty() {
            user = user.with("groups", &Document::array_of(&self.groups));
        }
        if !self.extra.is_empty() {
            let mut extra = Document::object();
            for (key, values) in &self.extra {
                extra = extra.with(key, &Document::array_of(values));
            }
            user = user.with("extra", &extra);
        }
        user
    }
}
