//! An admission webhook for CRDs and policies: reviews in, verdicts out.
//!
//! [`Reviewer`] answers the bytes of one `AdmissionReview` and knows no transport, for whoever has a service of their
//! own; [`ReviewServer`] is such a service: HTTPS, certificates that can be replaced while it runs, readiness, figures. It
//! converts objects as well, by rules.

mod manifests;
mod reviewer;
mod service;

pub use manifests::ManifestOptions;
pub use reviewer::{ReviewError, ReviewPurpose, Reviewer};
pub use service::ReviewServer;
