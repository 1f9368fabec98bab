//! What a request says besides its object: made by the caller, read by every stage.

use crdkit_text::timestamp::Timestamp;
use crdkit_value::Limits;

/// How a request is to be treated, and what only the server knows about it.
///
/// The user, the field manager, the subresource and whether it is a dry run change no verdict; they are
/// for whoever changes the object between reading and checking it.
///
/// ```
/// use crdkit_engine::{FieldValidation, RequestOptions};
///
/// let options = RequestOptions::new().field_validation(FieldValidation::Warn).namespace("garden");
/// assert_eq!(&*options.namespace, "garden");
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RequestOptions {
    /// What happens to fields that are unknown or given twice.
    pub field_validation: FieldValidation,
    /// Whether all stages look at an object that strict field validation refuses, so that everything is
    /// reported at once. The server stops there, and [`crate::Outcome::status`] is its answer either way.
    pub report_all: bool,
    /// The namespace the request is for; not looked at when objects have none.
    pub namespace: Box<str>,
    /// The name the request is for, which the object must have. Without it an update is for the name of
    /// the object it replaces.
    pub name: Option<Box<str>>,
    /// What follows `generateName` when there is no name. The engine has no source of randomness, so
    /// whoever wants distinct names brings one.
    pub name_suffix: Box<str>,
    /// The `uid` of an object that is created. Without it there is none.
    pub uid: Option<Box<str>>,
    /// The time of the request, which is the `creationTimestamp` of an object that is created. Without it
    /// there is none.
    pub time: Option<Timestamp>,
    /// The name of the user who sends the request; empty if it is not known.
    pub user: Box<str>,
    /// Who will own the fields that are written; empty if it is not known.
    pub field_manager: Box<str>,
    /// The subresource the request is for; empty for the object itself.
    pub subresource: Box<str>,
    /// Whether nothing is to be stored.
    pub dry_run: bool,
    /// How much is accepted.
    pub limits: Limits,
}

/// What happens to fields that are unknown or given twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FieldValidation {
    /// They are removed without a word.
    Ignore,
    /// They are removed and reported as warnings.
    Warn,
    /// The object is refused.
    #[default]
    Strict,
}

impl Default for RequestOptions {
    fn default() -> Self {
        Self {
            field_validation: FieldValidation::default(),
            report_all: false,
            namespace: "default".into(),
            name: None,
            name_suffix: "xxxxx".into(),
            uid: None,
            time: None,
            user: Box::default(),
            field_manager: Box::default(),
            subresource: Box::default(),
            dry_run: false,
            limits: Limits::default(),
        }
    }
}

/// Methods that set the field with their name.
macro_rules! setters {
    ($($field:ident: $type:ty, $value:expr;)*) => {$(
        #[doc = concat!("Sets [`", stringify!($field), "`](Self#structfield.", stringify!($field), ").")]
        #[must_use]
        pub fn $field(mut self, $field: $type) -> Self {
            self.$field = $value;
            self
        }
    )*};
}

impl RequestOptions {
    /// Strict field validation, namespace `default`, and nothing that only a server knows.
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        field_validation: FieldValidation, field_validation;
        report_all: bool, report_all;
        namespace: impl Into<Box<str>>, namespace.into();
        name: impl Into<Box<str>>, Some(name.into());
        name_suffix: impl Into<Box<str>>, name_suffix.into();
        uid: impl Into<Box<str>>, Some(uid.into());
        time: Timestamp, Some(time);
        user: impl Into<Box<str>>, user.into();
        field_manager: impl Into<Box<str>>, field_manager.into();
        subresource: impl Into<Box<str>>, subresource.into();
        dry_run: bool, dry_run;
        limits: Limits, limits;
    }
}
