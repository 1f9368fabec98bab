//! What somebody wants an object to be, put together with what others want.

use super::Target;
use crate::answer::Answer;
use crate::negotiate::Form;
use crdkit_codec::media::PatchType;
use crdkit_schema::status::Status;

impl Target<'_> {
    pub(super) async fn apply(
        &self,
        _kind: PatchType,
        _name: &str,
        _form: &Form,
        _body: &[u8],
    ) -> Result<Answer, Box<Status>> {
        Err(Status::internal_error("not there yet").into())
    }
}
