//! All objects, or those that are selected, go away.

use super::delete::{Deleted, delete_object};
use super::{Target, list_entries};
use crate::answer::Answer;
use crate::options::ListOptions;
use crate::stored::metadata_text;
use crdkit_schema::status::Status;

impl Target<'_> {
    pub(super) async fn delete_collection(&self) -> Result<Answer, Box<Status>> {
        let form = self.form()?;
        let list = ListOptions::parse(&self.request.query)?;
        let list = ListOptions { watch: false, ..list };
        list.check()?;
        self.check_fields(&list)?;
        let mut options = self.delete_options()?;
        // In the query these say which list, not which objects.
        if self.request.body()?.is_empty() {
            (options.uid, options.version) = (None, None);
        }
        let shape = self.shape(&form)?;
        let listed = list_entries(self, &list).await?;
        let mut shown = Vec::with_capacity(listed.entries.len());
        for entry in &listed.entries {
            let object = self.served.rules.read(entry);
            let name = metadata_text(object.root(), "name").to_owned();
            match delete_object(self, &name, &options).await {
                Ok(Deleted::Gone(object) | Deleted::Waiting(object)) => shown.push(object),
                Err(status) if status.code == 404 => {}
                Err(status) => return Err(status),
            }
        }
        let objects: Vec<_> =
            listed.entries.iter().map(|entry| self.served.rules.read(entry)).collect();
        self.view(&form, &shape).documents(200, &listed.head, &objects)
    }
}
