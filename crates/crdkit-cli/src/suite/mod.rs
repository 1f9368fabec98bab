//! Suites: files of cases that say what the API server makes of requests.
//!
//! Two formats are read into one model: crdkit's own (`own`) and that of openshift/api (`openshift`).
//! `find` tells suites from other files, `crds` has the CRDs they name, `run` makes the request of a
//! case and `steps` those of a case with several; `compare` holds what came of them against what the case says.

mod bless;
mod compare;
mod crds;
mod find;
mod merge;
mod native;
mod openshift;
mod own;
mod read;
mod run;
mod steps;

pub(crate) use bless::bless;
pub(crate) use crds::{Variants, feature_set, load};
pub(crate) use find::{SuiteFile, find};
pub(crate) use native::run as run_native;
pub(crate) use run::{CaseResult, kind_of, run, variants};

use crdkit_codec::Decoded;
use crdkit_engine::FieldValidation;
use crdkit_issue::{Issue, Span};
use crdkit_value::Document;

/// A file of cases.
pub(crate) struct Suite {
    pub(crate) name: String,
    /// Sources of CRDs, named from the working directory.
    pub(crate) crds: Vec<String>,
    /// Sources of admission policies, named from the working directory.
    pub(crate) policies: Vec<String>,
    /// Who makes the requests, as policies see it, and the groups.
    pub(crate) user: (String, Vec<String>),
    /// The one CRD that all cases are about, where the suite says so; there may be several variants of it.
    pub(crate) crd_name: Option<String>,
    /// Feature gates that a variant must have, or with a dash in front must not have.
    pub(crate) feature_gates: Vec<String>,
    /// Whether the version of an object is the only one there is.
    pub(crate) one_version: bool,
    pub(crate) cases: Vec<Case>,
}

/// One request, and what it is to lead to.
pub(crate) struct Case {
    pub(crate) name: String,
    /// Where the case begins: its name.
    pub(crate) place: Option<Span>,
    /// The object that is there before.
    pub(crate) before: Option<Before>,
    pub(crate) request: CaseRequest,
    /// The object of the request; of the first step if there are steps.
    pub(crate) object: Decoded,
    /// Requests one after the other, each with what it is to lead to.
    pub(crate) steps: Vec<CaseStep>,
    pub(crate) field_validation: FieldValidation,
    pub(crate) expect: Expect,
    /// Why it is not run.
    pub(crate) skip: Option<String>,
}

/// An object that is there before a request, and the CRD it was created under if that was another one.
pub(crate) struct Before {
    pub(crate) object: Decoded,
    /// Whether it is as it was stored, so that it need not be created.
    pub(crate) stored: bool,
    pub(crate) crds: Vec<String>,
    /// JSON Patch operations that make the earlier CRD out of the current one.
    pub(crate) patches: Vec<Document>,
}

/// What is asked of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CaseRequest {
    Create,
    Update,
    Status,
    /// An update, and one of the status if the object has any.
    UpdateAndStatus,
    /// What the steps say.
    Steps,
}

/// One request of several that are about the same object.
pub(crate) struct CaseStep {
    pub(crate) request: StepRequest,
    /// An object, or a patch.
    pub(crate) body: Decoded,
    /// Who makes it.
    pub(crate) manager: String,
    /// Whether an apply takes fields from their owners.
    pub(crate) force: bool,
    pub(crate) expect: Expect,
    /// Where it begins.
    pub(crate) place: Option<Span>,
}

/// What a step asks of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StepRequest {
    Create,
    Update,
    Status,
    Apply,
    MergePatch,
    JsonPatch,
}

/// What is to come of a request.
#[derive(Default)]
pub(crate) struct Expect {
    pub(crate) errors: Option<Errors>,
    pub(crate) object: Option<Expected>,
    pub(crate) warnings: Option<Patterns>,
    pub(crate) code: Option<i64>,
    /// The fields that managers own afterwards.
    pub(crate) owners: Vec<ExpectedOwner>,
}

/// All fields that a manager is to own.
pub(crate) struct ExpectedOwner {
    pub(crate) manager: String,
    /// Their paths, sorted.
    pub(crate) fields: Vec<String>,
    pub(crate) place: Option<Span>,
}

/// Why a request is to be refused.
pub(crate) enum Errors {
    /// A part of the message as a whole, of the update or of the one of the status.
    Message {
        text: String,
        place: Option<Span>,
        of_status: bool,
    },
    Causes(Patterns),
}

/// A list of errors or warnings.
#[derive(Default)]
pub(crate) struct Patterns {
    pub(crate) items: Vec<Pattern>,
    /// Whether there may be more than those.
    pub(crate) others: bool,
    pub(crate) place: Option<Span>,
}

/// One error or warning. What is not given may be anything.
#[derive(Default)]
pub(crate) struct Pattern {
    pub(crate) path: Option<String>,
    /// A part of the message, or of the line that has path and message.
    pub(crate) text: Option<String>,
    /// All of the message.
    pub(crate) message: Option<String>,
    pub(crate) reason: Option<String>,
    pub(crate) code: Option<String>,
}

/// The object that is to be stored.
pub(crate) struct Expected {
    pub(crate) document: Document,
    /// Whether there must not be more than that.
    pub(crate) exactly: bool,
    pub(crate) place: Option<Span>,
}

/// A file that was read: a suite, and what is wrong with it.
pub(crate) struct Read {
    pub(crate) suite: Option<Suite>,
    pub(crate) issues: Vec<Issue>,
}
