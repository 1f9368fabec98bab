//! Semantic versions: `kubernetes.Semver`.

use std::cmp::Ordering;

use crdkit_text::TextError;
use crdkit_text::semver::Version;

use super::no_overload;
use super::quantity::as_number;
use crate::cost::CostModel::{One, Parse};
use crate::declare::{Definition, define};
use crate::eval::{EvalError, Evaluated};
use crate::value::{Data, Opaque, Val};

pub(crate) const DEFINITIONS: &[Definition] = &[
    define("semver(string) -> kubernetes.Semver", Parse, to_semver),
    define("semver(string, bool) -> kubernetes.Semver", Parse, to_semver),
    define("isSemver(string) -> bool", Parse, is_semver),
    define("isSemver(string, bool) -> bool", Parse, is_semver),
    define("kubernetes.Semver.isGreaterThan(kubernetes.Semver) -> bool", One, is_greater_than),
    define("kubernetes.Semver.isLessThan(kubernetes.Semver) -> bool", One, is_less_than),
    define("kubernetes.Semver.compareTo(kubernetes.Semver) -> int", One, compare_to),
    define("kubernetes.Semver.major() -> int", One, major),
    define("kubernetes.Semver.minor() -> int", One, minor),
    define("kubernetes.Semver.patch() -> int", One, patch),
];

fn parse(arguments: &[Val<'_>]) -> Result<Result<Version, TextError>, EvalError> {
    match arguments {
        [Val::String(text)] | [Val::String(text), Val::Bool(false)] => Ok(Version::parse(text)),
        [Val::String(text), Val::Bool(true)] => Ok(Version::parse_normalized(text)),
        _ => Err(EvalError::NoSuchOverload(None)),
    }
}

fn to_semver<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    let version = parse(arguments)?.map_err(|error| EvalError::message(error.to_string()))?;
    Ok(Val::Opaque(data.arena.opaque(Opaque::Semver(version))))
}

fn is_semver<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    Ok(Val::Bool(parse(arguments)?.is_ok()))
}

fn ordering(arguments: &[Val<'_>]) -> Result<Ordering, EvalError> {
    match arguments {
        [Val::Opaque(Opaque::Semver(a)), Val::Opaque(Opaque::Semver(b))] => Ok(a.cmp(b)),
        _ => Err(EvalError::NoSuchOverload(None)),
    }
}

fn is_greater_than<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    Ok(Val::Bool(ordering(arguments)?.is_gt()))
}

fn is_less_than<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    Ok(Val::Bool(ordering(arguments)?.is_lt()))
}

fn compare_to<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    Ok(as_number(ordering(arguments)?))
}

fn number<'v>(arguments: &[Val<'v>], get: fn(&Version) -> u64) -> Evaluated<'v> {
    match arguments {
        [Val::Opaque(Opaque::Semver(version))] => Ok(Val::Int(get(version).cast_signed())),
        _ => no_overload(),
    }
}

fn major<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    number(arguments, |version| version.major)
}

fn minor<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    number(arguments, |version| version.minor)
}

fn patch<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    number(arguments, |version| version.patch)
}
