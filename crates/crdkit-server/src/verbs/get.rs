//! One object.

use super::Target;
use crate::answer::Answer;
use crate::options;
use crdkit_schema::status::Status;
use crdkit_store::StoreEntry;
use std::sync::Arc;

impl Target<'_> {
    pub(super) async fn get(&self) -> Result<Answer, Box<Status>> {
        let name = self.name()?;
        let form = self.form()?;
        let shape = self.shape(&form)?;
        let entry = self.read(name).await?;
        self.view(&form, &shape).entry(200, &entry).await
    }

    /// The entry that a read is about.
    pub(super) async fn read(&self, name: &str) -> Result<Arc<StoreEntry>, Box<Status>> {
        let query = &self.request.query;
        if query.flag("export") {
            let text = "the export parameter, deprecated since v1.14, is no longer supported";
            return Err(Status::bad_request(text).into());
        }
        let wanted = options::revision(query.text("resourceVersion"));
        let wanted = wanted.map_err(Status::unclassified)?;
        if let Some(wanted) = wanted {
            let current = self.core.store.current().await;
            let current = current.map_err(|error| crate::core::store_status(&error))?;
            if wanted > current.0 {
                return Err(Status::version_too_large(wanted, current.0).into());
            }
        }
        self.entry(name).await?.ok_or_else(|| self.subject(name).not_found().into())
    }

    /// The latest entry.
    pub(super) async fn entry(&self, name: &str) -> Result<Option<Arc<StoreEntry>>, Box<Status>> {
        self.core.get(&self.key(name)).await
    }
}
