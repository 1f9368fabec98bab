//! Admission: what others have to say about a request before it is stored.
//!
//! Takes an [`AdmissionRequest`] and the objects that configure admission, and gives what is to be done: which webhooks
//! are called with which review, and what their answers mean; nothing here calls anybody. Whoever serves requests does
//! the calling, in the order the configurations are in, applies the patches and stops at the first refusal.
//!
//! Policies need nobody else: [`policy::judge`] says what follows from them.
//!
//! ```text
//! configuration ─read→ Webhook ─concerns→ Match ─review→ bytes ─(the caller sends them)→ bytes ─answer→ Answer
//! ```

mod condition;
mod expression;
mod matching;
pub mod policy;
mod request;
mod selector;
pub mod webhook;

pub use matching::{Equivalent, Match, MatchPolicy, ResourceRule, Scope};
pub use request::{AdmissionRequest, Operation, User};
pub use selector::ObjectSelector;
