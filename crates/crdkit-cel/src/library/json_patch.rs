//! Keys in the paths of JSON patches.

use super::no_overload;
use crate::cost::CostModel::Text;
use crate::declare::{Definition, define};
use crate::eval::Evaluated;
use crate::value::{Data, Val};

pub(crate) const DEFINITIONS: &[Definition] =
    &[define("jsonpatch.escapeKey(string) -> string", Text, escape_key)];

fn escape_key<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::String(key)] => {
            let escaped = key.replace('~', "~0").replace('/', "~1");
            data.arena.take(escaped.len())?;
            Ok(Val::String(data.arena.string(&escaped)))
        }
        _ => no_overload(),
    }
}
