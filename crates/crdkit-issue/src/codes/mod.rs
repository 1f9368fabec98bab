//! Every code there is, declared once, by the stage that finds it.
//!
//! A declaration gives the constant, the name, the server's error type, the message, optionally the
//! server's wording, and an example; its doc comment is the sentence shown in the reference page,
//! which is generated from this list.

use crate::Code;

/// Declares the codes of one stage as constants and lists them in `ALL`.
macro_rules! codes {
    ($($(#[doc = $about:literal])+ $constant:ident = $name:literal, $type:ident, $message:literal
        $(, server: $server:literal)?, example: $example:literal;)+) => {
        $(
            $(#[doc = $about])+
            pub const $constant: $crate::Code = $crate::Code(&$crate::Info {
                name: $name,
                error_type: $crate::ErrorType::$type,
                message: $message,
                server: codes!(@server $($server)?),
                about: concat!($($about),+),
                example: $example,
            });
        )+

        /// The codes of this stage, in the order of the reference page.
        pub const ALL: &[$crate::Code] = &[$($constant),+];
    };
    (@server) => { None };
    (@server $server:literal) => { Some($server) };
}

pub mod compat;
pub mod crd;
pub mod decode;
pub mod domain;
pub mod object;
pub mod schema;
pub mod source;
pub mod suite;

/// All codes with the stage that finds them, in the order of the reference page.
pub const STAGES: &[(&str, &[Code])] = &[
    ("source", source::ALL),
    ("decode", decode::ALL),
    ("crd", crd::ALL),
    ("object", object::ALL),
    ("schema", schema::ALL),
    ("domain", domain::ALL),
    ("compat", compat::ALL),
    ("suite", suite::ALL),
];
