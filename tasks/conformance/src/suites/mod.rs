//! The suites: where the cases are, how one is answered, how an answer is scored.

mod apply;
mod cbor;
mod cel_spec;
mod compat;
mod crds;
mod explain;
mod json_schema;
mod k8s_cel;
mod native;
mod native_admission;
mod native_patch;
mod native_proto;
mod native_table;
mod objects;
mod sample;
mod verdict;
mod yaml;

use crate::case::{Case, Cases};
use crate::score::Score;
use anyhow::{Result, bail};
use crdkit_value::Document;
use rayon::prelude::*;

/// One recorded suite.
pub(crate) struct Suite {
    pub(crate) name: &'static str,
    /// The file with the cases, and the one with the CRDs they name.
    pub(crate) cases: &'static str,
    pub(crate) crds: Option<&'static str>,
    /// Makes the function that answers cases, from the CRDs.
    pub(crate) prepare: fn(Option<&Cases>) -> Result<Answerer>,
    pub(crate) score: fn(&Case, &Document, &mut Score),
}

/// Answers one case with a line of JSON.
pub(crate) type Answerer = Box<dyn Fn(&Case) -> Vec<u8> + Send + Sync>;

pub(crate) const ALL: &[Suite] = &[
    yaml::SUITE,
    json_schema::SUITE,
    cel_spec::SUITE,
    k8s_cel::SUITE,
    compat::SUITE,
    compat::CRDIFY,
    crds::CRD,
    crds::CRD_MUTANT,
    crds::K8S_CRD,
    objects::CR,
    objects::CR_OPENAPI,
    objects::CR_PUBLISHED,
    objects::CR_UPDATE,
    objects::CR_UPDATE_OPENAPI,
    objects::CR_UPDATE_PUBLISHED,
    objects::OPENSHIFT,
    objects::OPENSHIFT_OPENAPI,
    native::SUITE,
    native_admission::SUITE,
    native_patch::SUITE,
    native_proto::SUITE,
    native_table::SUITE,
    apply::SUITE,
    sample::SUITE,
    explain::SUITE,
    cbor::ENCODE,
    cbor::ENCODE_LARGE,
    cbor::SPECIAL,
    cbor::DECODE,
    cbor::OBJECT,
    cbor::TYPED,
    cbor::BUILTIN,
    cbor::TRANSCODE,
    cbor::RAW,
    cbor::FRAMER,
    cbor::DIAGNOSTIC,
    cbor::ACCEPT,
    cbor::CONTENT_TYPE,
    cbor::STORAGE,
];

/// The suite called `name`.
pub(crate) fn find(name: &str) -> Result<&'static Suite> {
    let Some(suite) = ALL.iter().find(|suite| suite.name == name) else {
        let names: Vec<_> = ALL.iter().map(|suite| suite.name).collect();
        bail!("there is no suite `{name}`; there are {}", names.join(", "));
    };
    Ok(suite)
}

impl Suite {
    /// The answers to `cases`, in their order.
    pub(crate) fn answers(&self, cases: &Cases, crds: Option<&Cases>) -> Result<Vec<Vec<u8>>> {
        let answerer = (self.prepare)(crds)?;
        Ok(cases.as_slice().par_iter().map(answerer).collect())
    }
}
