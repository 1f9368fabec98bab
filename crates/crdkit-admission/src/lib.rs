//! Admission: what others have to say about a request before it is stored.
//!
//! Takes an [`AdmissionRequest`] and the objects that configure admission, and gives what is to be done: which webhooks
//! are called with which review, and what their answers mean; nothing here calls anybody. Whoever serves requests does
//! the calling, in the order the configurations are in, applies the patches and stops at the first refusal.
//!
//! Policies need nobody else: [`policy::mutate`] and [`policy::judge`] say what follows from them, and neither do
//! [`plugins`], the admission that every server has.
//!
//! ```text
//! configuration ─read→ Webhook ─concerns→ Match ─review→ bytes ─(the caller sends them)→ bytes ─answer→ Answer
//! ```

mod condition;
mod evaluate;
mod expression;
mod literal;
mod matching;
pub mod plugins;
pub mod policy;
mod reads;
mod request;
mod rounds;
mod schemas;
mod selector;
mod types;
mod user;
pub mod webhook;

pub use crdkit_cel::{
    AuthorizationCheck, AuthorizationDecision, AuthorizationTarget, Authorize, Authorizer,
    ResourceTarget,
};
pub use matching::{Equivalent, Match, MatchPolicy, ResourceRule, Scope};
pub use request::{AdmissionRequest, Operation, Remarks};
pub use rounds::Rounds;
pub use schemas::KnownSchemas;
pub use selector::ObjectSelector;
pub use user::{ADMINISTRATORS, User};
