//! An object that is changed in place.

use super::Target;
use crate::answer::Answer;
use crdkit_schema::status::Status;

impl Target<'_> {
    pub(super) async fn patch(&self) -> Result<Answer, Box<Status>> {
        Err(Status::internal_error("not there yet").into())
    }
}
