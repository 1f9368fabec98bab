//! The members of an object by name, for who asks for many of them.
//!
//! Gives the same member as [`Value::get`], in constant time when the object is large.

use crate::Value;
use foldhash::fast::RandomState;
use hashbrown::HashMap;

/// Up to here looking through all members is faster than hashing.
const LINEAR: usize = 16;

/// The members of one object. A large one is gone through once, a small one for each question.
#[derive(Clone, Debug)]
pub struct MemberIndex<'d> {
    object: Value<'d>,
    index: Option<HashMap<&'d str, Value<'d>, RandomState>>,
}

impl<'d> MemberIndex<'d> {
    /// The members of `object`; none if it is not an object.
    #[inline]
    pub fn new(object: Value<'d>) -> Self {
        let members = object.members();
        let index = (members.len() > LINEAR).then(|| members.collect());
        Self { object, index }
    }

    /// The member called `key`.
    #[inline]
    pub fn get(&self, key: &str) -> Option<Value<'d>> {
        match &self.index {
            Some(index) => index.get(key).copied(),
            None => self.object.get(key),
        }
    }
}
