//! CEL as a language. Knows nothing of CRDs.

pub mod ast;
mod error;
mod lex;
mod macros;
mod parse;
mod source;

pub use error::{CompileError, CompileErrors};
pub use source::{Location, Position, locate};
#[doc(hidden)]
pub fn debug_parse(text: &str) -> String {
    let mut m = macros::MacroSet::default();
    for g in [macros::MacroGroup::Standard, macros::MacroGroup::TwoVariables, macros::MacroGroup::Optional, macros::MacroGroup::SortBy] { m.enable(g); }
    match parse::parse(text, &parse::ParseOptions{macros:m, optional_syntax:true, escaped_identifiers:true, max_code_points:100000}) { Ok(_) => "OK".into(), Err(e) => e.to_string() }
}
