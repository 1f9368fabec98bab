//! What has been published, so that it is made once.
//!
//! [`Published`] belongs to a resource and lives as long as that does not change. [`OpenApiDocuments`] keeps the newest document
//! of each path in each form; one that is asked for with another hash is made again. Nothing is made under a lock.

use super::{fingerprint, v2};
use crate::catalogue::resource::Resource;
use bytes::Bytes;
use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};

/// What is published of one resource, each piece made when it is first asked for.
#[derive(Debug, Default)]
pub struct Published {
    fingerprint: OnceLock<String>,
    part: OnceLock<v2::ResourceFragment>,
}

impl Published {
    /// See [`fingerprint`].
    pub fn fingerprint(&self, resource: &Resource) -> &str {
        self.fingerprint.get_or_init(|| fingerprint(resource))
    }

    /// Its part of the document of version 2.
    pub fn part(&self, resource: &Resource) -> &v2::ResourceFragment {
        self.part.get_or_init(|| v2::ResourceFragment::new(resource))
    }
}

/// The form of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// Text.
    Json,
    /// Binary.
    Protobuf,
}

/// Documents that have been made.
#[derive(Debug, Default)]
pub struct OpenApiDocuments {
    made: Mutex<BTreeMap<(Form, Box<str>), Made>>,
}

#[derive(Debug)]
struct Made {
    hash: Box<str>,
    bytes: Bytes,
}

impl OpenApiDocuments {
    /// The document at `path` whose hash is `hash`, made by `make` unless it is the newest one there.
    pub fn get(&self, form: Form, path: &str, hash: &str, make: impl FnOnce() -> Vec<u8>) -> Bytes {
        let key = (form, path.into());
        let locked = || self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = locked().get(&key).filter(|made| &*made.hash == hash) {
            return made.bytes.clone();
        }
        let bytes = Bytes::from(make());
        locked().insert(key, Made { hash: hash.into(), bytes: bytes.clone() });
        bytes
    }
}
