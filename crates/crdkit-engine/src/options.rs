//! What a request says beside its object.

use crdkit_value::Limits;

/// How a request is to be treated.
#[derive(Clone, Debug)]
pub struct Options {
    /// What happens to fields that are unknown or given twice.
    pub field_validation: FieldValidation,
    /// The namespace the request is for; not looked at when objects have none.
    pub namespace: Box<str>,
    /// What is put behind `generateName` when there is no name. The engine has no source of chance,
    /// so whoever wants unlike names brings one.
    pub name_suffix: Box<str>,
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

impl Default for Options {
    fn default() -> Self {
        Self {
            field_validation: FieldValidation::default(),
            namespace: "default".into(),
            name_suffix: "xxxxx".into(),
            limits: Limits::default(),
        }
    }
}
