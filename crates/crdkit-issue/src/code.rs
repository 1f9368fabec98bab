//! Codes: the stable names of findings.
//!
//! A code is a reference to its entry in [`crate::codes`]; two codes are equal when their names are.
//! The name is a contract (tests, suppressions and machine output use it), the texts may improve.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};

/// The stable name of a kind of finding, with everything known about it.
#[derive(Clone, Copy)]
pub struct Code(pub(crate) &'static Info);

/// What the list of codes says about one code.
#[derive(Debug)]
#[non_exhaustive]
pub struct Info {
    /// Kebab-case name of the condition, such as `duplicate-key`.
    pub name: &'static str,
    /// Which of the API server's error types it belongs to.
    pub error_type: ErrorType,
    /// The message for people; `{name}` stands for an argument.
    pub message: &'static str,
    /// The API server's wording of the detail, where it differs from `message`.
    pub server: Option<&'static str>,
    /// What it is called where programs branch on the kind of mistake; several codes can share a name.
    pub short: ShortName,
    /// The keyword of a schema that it is about, or nothing.
    pub keyword: &'static str,
    /// What finds it.
    pub stage: FindingStage,
    /// What it says about the document.
    pub meaning: Meaning,
    /// One sentence that says when it occurs.
    pub about: &'static str,
    /// A small input that has it.
    pub example: &'static str,
}

/// The short, snake-case name of a code.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum ShortName {
    /// A name of its own.
    Own(&'static str),
    /// The code's name in snake case after this prefix.
    Prefixed(&'static str),
}

/// What finds an issue; of several at one path the earlier stage comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FindingStage {
    /// The bytes.
    Lexical,
    /// Types, unknown members, the choice of a union's branch.
    Type,
    /// Keywords that look at one value and its children.
    Rule,
    /// Rules of the program.
    Refine,
    /// Rules in CEL.
    Cel,
}

/// What a finding says about the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Meaning {
    /// Something is wrong with it, or deserves attention.
    Wrong,
    /// It could not be judged: it is not what it should be, nothing is known about it, or a limit was
    /// reached.
    NotJudged,
    /// Not everything was checked or shown, because of other findings.
    Incomplete,
}

/// The error types of the API server's field errors, and one for input that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorType {
    /// The bytes are not a document: no field error, the server answers 400.
    Decode,
    /// A referenced value does not exist.
    NotFound,
    /// A required value is absent.
    Required,
    /// A value that must be unique occurs again.
    Duplicate,
    /// The value is not acceptable.
    Invalid,
    /// The value is not one of a fixed set.
    NotSupported,
    /// The field may not be set here.
    Forbidden,
    /// The value has too many bytes or characters.
    TooLong,
    /// The list or map has too many entries.
    TooMany,
    /// The value has the wrong type.
    TypeInvalid,
    /// The check itself could not be made.
    Internal,
}

impl ErrorType {
    /// The `reason` of a `Status` cause of this type.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Decode => "BadRequest",
            Self::NotFound => "FieldValueNotFound",
            Self::Required => "FieldValueRequired",
            Self::Duplicate => "FieldValueDuplicate",
            Self::Invalid => "FieldValueInvalid",
            Self::NotSupported => "FieldValueNotSupported",
            Self::Forbidden => "FieldValueForbidden",
            Self::TooLong => "FieldValueTooLong",
            Self::TooMany => "FieldValueTooMany",
            Self::TypeInvalid => "FieldValueTypeInvalid",
            Self::Internal => "InternalError",
        }
    }

    /// The words a message of this type opens with.
    pub fn title(self) -> &'static str {
        match self {
            Self::Decode => "Bad request",
            Self::NotFound => "Not found",
            Self::Required => "Required value",
            Self::Duplicate => "Duplicate value",
            Self::Invalid | Self::TypeInvalid => "Invalid value",
            Self::NotSupported => "Unsupported value",
            Self::Forbidden => "Forbidden",
            Self::TooLong => "Too long",
            Self::TooMany => "Too many",
            Self::Internal => "Internal error",
        }
    }
}

impl Code {
    /// The stable name.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// The short name: what kind of mistake it is.
    pub fn short(self) -> Cow<'static, str> {
        match self.0.short {
            ShortName::Own(name) => name.into(),
            ShortName::Prefixed(prefix) => {
                format!("{prefix}{}", self.0.name.replace('-', "_")).into()
            }
        }
    }

    /// The whole entry.
    pub fn info(self) -> &'static Info {
        self.0
    }
}

impl PartialEq for Code {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Code {}

impl Hash for Code {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
