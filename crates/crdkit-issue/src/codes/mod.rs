//! Every code there is, declared once.
//!
//! A declaration gives the constant, the name, the server's error type and the message; where they differ
//! from what the group says, the server's wording, the short name, the keyword, the stage and the meaning;
//! and an example. Its doc comment is the sentence shown in the reference page, which is generated from
//! this list.

use crate::Code;

/// Declares a group of codes as constants and lists them in `ALL`. The first line says what holds where a
/// declaration says nothing else.
macro_rules! codes {
    (stage: $stage:ident, short: $short:expr;
     $($(#[doc = $about:literal])+ $constant:ident = $name:literal, $type:ident, $message:literal
        $(, server: $server:literal)? $(, short: $own_short:literal)? $(, keyword: $keyword:literal)?
        $(, stage: $own_stage:ident)? $(, meaning: $meaning:ident)?, example: $example:literal;)+) => {
        use $crate::{Code, ErrorType, FindingStage, Info, Meaning, ShortName};

        $(
            $(#[doc = $about])+
            pub const $constant: Code = Code(&Info {
                $(server: Some($server),)?
                $(short: ShortName::Own($own_short),)?
                $(keyword: $keyword,)?
                $(stage: FindingStage::$own_stage,)?
                $(meaning: Meaning::$meaning,)?
                ..Info {
                    name: $name,
                    error_type: ErrorType::$type,
                    message: $message,
                    server: None,
                    short: $short,
                    keyword: "",
                    stage: FindingStage::$stage,
                    meaning: Meaning::Wrong,
                    about: concat!($($about),+),
                    example: $example,
                }
            });
        )+

        /// The codes of this group, in the order of the reference page.
        pub const ALL: &[Code] = &[$($constant),+];
    };
}

pub mod compat;
pub mod convert;
pub mod crd;
pub mod decode;
pub mod domain;
pub mod native;
pub mod object;
pub mod policy;
pub mod quality;
pub mod schema;
pub mod source;
pub mod suite;

/// All codes by group, in the order of the reference page.
pub const GROUPS: &[(&str, &[Code])] = &[
    ("source", source::ALL),
    ("decode", decode::ALL),
    ("crd", crd::ALL),
    ("object", object::ALL),
    ("native", native::ALL),
    ("quality", quality::ALL),
    ("policy", policy::ALL),
    ("schema", schema::ALL),
    ("domain", domain::ALL),
    ("compat", compat::ALL),
    ("convert", convert::ALL),
    ("suite", suite::ALL),
];
