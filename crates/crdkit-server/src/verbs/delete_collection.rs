//! All objects, or those that are selected, go away.

use super::delete::delete_object;
use super::delete_options::refuse_unreadable;
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
        let options = self.delete_options()?;
        refuse_unreadable(&options)?;
        let shape = self.shape(&form)?;
        // Collections are deleted in pages, and the pages of a version are exactly those that there were.
        let is_at = list.version_match.is_empty() && !matches!(list.version.as_str(), "" | "0");
        let version_match = if is_at { "Exact".to_owned() } else { list.version_match.clone() };
        let listed = list_entries(self, &ListOptions { version_match, ..list }).await?;
        let objects = match listed.objects {
            Some(objects) => objects,
            None => self.served.rules.read_all(&listed.entries).await?,
        };
        for object in &objects {
            match delete_object(self, metadata_text(object.root(), "name"), &options).await {
                Err(status) if status.code != 404 => return Err(status),
                _ => {}
            }
        }
        self.view(&form, &shape).documents(200, &listed.head, &objects)
    }
}
