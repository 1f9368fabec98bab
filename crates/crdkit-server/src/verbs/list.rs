//! All objects, a page of them, or those that are selected.

use super::Target;
use crate::answer::Answer;
use crate::core::store_status;
use crate::options::ListOptions;
use crate::view::ListHead;
use crdkit_codec::{DecodeOptions, Format, go_json};
use crdkit_schema::status::Status;
use crdkit_store::{RangePage, RangeRequest, Revision, StoreEntry, StoreError};
use crdkit_text::base64::Base64;
use crdkit_value::{Document, Value};
use std::sync::Arc;

/// Entries that were found, and how to go on.
pub(crate) struct Listed {
    pub(crate) head: ListHead,
    pub(crate) entries: Vec<Arc<StoreEntry>>,
    /// The same as objects, of kinds that have a converter.
    pub(crate) objects: Option<Vec<Document>>,
}

/// Where a list goes on: at which revision, or the latest if it is negative, and after which key below the collection.
struct ContinueToken {
    revision: i64,
    start: String,
}

const TOKEN_VERSION: &str = "meta.k8s.io/v1";

impl Target<'_> {
    pub(super) async fn list(&self) -> Result<Answer, Box<Status>> {
        let form = self.form()?;
        let options = ListOptions::parse(&self.request.query)?;
        options.check()?;
        self.check_fields(&options)?;
        let shape = self.shape(&form)?;
        let listed = list_entries(self, &options).await?;
        self.view(&form, &shape).list(listed)
    }

    /// Field selectors may name only some fields.
    pub(crate) fn check_fields(&self, options: &ListOptions) -> Result<(), Box<Status>> {
        let resource = &self.served.resource;
        let plain_words = resource.is_custom() || !resource.selectable_fields.is_empty();
        for term in options.selection.fields.terms() {
            let field = term.field.as_str();
            let known = field == "metadata.name"
                || field == "metadata.namespace" && resource.namespaced
                || resource
                    .selectable_fields
                    .iter()
                    .any(|known| known.strip_prefix('.').unwrap_or(known) == field);
            if known {
                continue;
            }
            let text = if plain_words {
                format!("field label not supported: {field}")
            } else {
                format!(
                    "{} is not a known field selector: only \"metadata.name\", \"metadata.namespace\"",
                    crdkit_text::quote::quote(field)
                )
            };
            return Err(Status::bad_request(text).into());
        }
        Ok(())
    }
}

/// The entries that a list is about.
pub(crate) async fn list_entries(
    target: &Target<'_>,
    options: &ListOptions,
) -> Result<Listed, Box<Status>> {
    let bad = |text: String| Box::new(Status::bad_request(text));
    let prefix = target.served.collection(&target.core.layout, target.namespace);
    if target.namespace.is_some_and(|it| matches!(it, "." | "..")) {
        let key = prefix.trim_end_matches('/');
        let key = key.strip_prefix("/registry").unwrap_or(key);
        return Err(Status::unclassified(format!("invalid key: \"{key}\"")).into());
    }
    let mut request = RangeRequest::under(&prefix);
    let mut limit = options.limit;
    // Any state will do, so there is no need for pages.
    if options.version == "0" {
        limit = 0;
    }
    if options.continue_token.is_empty() {
        let wanted =
            options.revision().map_err(|it| bad(format!("invalid resource version: {it}")))?;
        let exact = options.version_match == "Exact"
            || options.version_match.is_empty() && limit > 0 && wanted.is_some_and(|it| it > 0);
        if let Some(wanted) = wanted.filter(|it| *it > 0) {
            let current = target.core.store.current().await.map_err(|it| store_status(&it))?;
            if wanted > current.0 {
                return Err(Status::version_too_large(wanted, current.0).into());
            }
            request.at = exact.then_some(Revision(wanted));
        }
    } else {
        let token = ContinueToken::parse(&options.continue_token)
            .map_err(|problem| bad(format!("invalid continue token: {problem}")))?;
        if !matches!(options.version.as_str(), "" | "0") {
            let text = "specifying resource version is not allowed when using continue";
            return Err(bad(text.to_owned()));
        }
        request.from = format!("{prefix}{}", token.start);
        // Otherwise the latest, whatever changed meanwhile.
        if let Ok(revision) = u64::try_from(token.revision) {
            request.at = Some(Revision(revision));
        }
    }
    let expired = |token: String| {
        if options.continue_token.is_empty() {
            return Status::expired("The resourceVersion for the provided list is too old.", "");
        }
        let text = "The provided continue parameter is too old to display a consistent list result. \
                    You can start a new list without the continue parameter, or use the continue token in this \
                    response to retrieve the remainder of the results. Continuing with the provided token results \
                    in an inconsistent list - objects that were created, modified, or deleted between the time the \
                    first chunk was returned and now may show up in the list.";
        Status::expired(text, token)
    };
    let everything = options.selection.is_everything();
    let rules = &target.served.rules;
    let mut entries: Vec<Arc<StoreEntry>> = Vec::new();
    let mut objects = rules.has_converter().then(Vec::new);
    loop {
        request.limit = if everything || limit == 0 { limit } else { limit.max(PAGE) };
        request.count = everything && limit > 0;
        let page = target.core.store.range(request.clone()).await;
        let page: RangePage = page.map_err(|error| match error {
            StoreError::Compacted { .. } => {
                let start = request.from.strip_prefix(&prefix).unwrap_or_default().to_owned();
                Box::new(expired(ContinueToken { revision: -1, start }.text()))
            }
            StoreError::FutureRevision { current } => {
                let wanted = request.at.unwrap_or_default();
                Box::new(Status::version_too_large(wanted.0, current.0))
            }
            error => store_status(&error),
        })?;
        let mut head = ListHead { revision: page.revision.0, ..ListHead::default() };
        let mut last = None;
        let mut full = false;
        let count = page.entries.len();
        let mut converted = match objects {
            Some(_) => rules.read_all(&page.entries).await?.into_iter(),
            None => Vec::new().into_iter(),
        };
        for (at, entry) in page.entries.iter().enumerate() {
            last = Some(Arc::clone(&entry.key));
            let object = converted.next();
            let is_selected = || match &object {
                Some(object) => options.selection.matches(object.root()),
                None => options.selection.matches(rules.read_alone(entry).root()),
            };
            if everything || is_selected() {
                entries.push(Arc::clone(entry));
                if let (Some(objects), Some(object)) = (&mut objects, object) {
                    objects.push(object);
                }
                full = limit > 0 && entries.len() >= limit && (at + 1 < count || page.more);
                if full {
                    break;
                }
            }
        }
        let more = full || everything && page.more;
        if more {
            let key = last.as_deref().and_then(|key| key.strip_prefix(&prefix)).unwrap_or_default();
            let revision = i64::try_from(page.revision.0).unwrap_or(i64::MAX);
            let token = ContinueToken { revision, start: format!("{key}\0") };
            head.continue_token = token.text();
            let remaining = page.remaining.filter(|_| everything);
            head.remaining = remaining.and_then(|count| i64::try_from(count).ok());
            return Ok(Listed { head, entries, objects });
        }
        match request.after(&page) {
            Some(next) => request = next,
            None => return Ok(Listed { head, entries, objects }),
        }
    }
}

/// Entries that are looked at together when only some are selected.
const PAGE: usize = 500;

impl ContinueToken {
    fn text(&self) -> String {
        let Self { revision, start } = self;
        let start = go_json::string(start);
        let json = format!("{{\"v\":\"{TOKEN_VERSION}\",\"rv\":{revision},\"start\":{start}}}");
        Base64::UrlRaw.encode(json.as_bytes())
    }

    fn parse(text: &str) -> Result<Self, String> {
        const INVALID: &str = "continue key is not valid";
        let bytes = Base64::UrlRaw.decode(text);
        let bytes = bytes.map_err(|error| format!("{INVALID}: {error}"))?;
        if let Some(first) = bytes.first().filter(|first| !b"{ \t\r\n".contains(first)) {
            let c = char::from(*first);
            return Err(format!(
                "{INVALID}: invalid character '{c}' looking for beginning of value"
            ));
        }
        let decoded = Format::Json.decode(&bytes, &DecodeOptions::default());
        let document =
            decoded.map_err(|issue| format!("{INVALID}: {}", issue.server_message()))?.document;
        let root = document.root();
        let version = root.get("v").and_then(Value::as_str).unwrap_or_default();
        if version != TOKEN_VERSION {
            return Err(format!(
                "{INVALID}: server does not recognize this encoded version {version}"
            ));
        }
        let revision = root.get("rv").and_then(Value::as_i64).unwrap_or_default();
        if revision == 0 {
            return Err(format!(
                "{INVALID}: incorrect encoded start resourceVersion (version {version})"
            ));
        }
        let start = root.get("start").and_then(Value::as_str).unwrap_or_default();
        if start.is_empty() {
            return Err(format!("{INVALID}: encoded start key empty (version {version})"));
        }
        let parts = start.strip_prefix('/').unwrap_or(start).split('/');
        if parts.clone().any(|part| matches!(part, "" | "." | "..")) {
            return Err(format!("{INVALID}: {start}"));
        }
        Ok(Self { revision, start: start.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_opaque_and_safe() {
        let token = ContinueToken { revision: 7, start: "ns/a\0".to_owned() };
        let found = ContinueToken::parse(&token.text()).unwrap();
        assert_eq!((found.revision, found.start.as_str()), (7, "ns/a\0"));
        for bad in ["zzz", "eyJ2IjoieCJ9", "!", ""] {
            assert!(ContinueToken::parse(bad).is_err(), "{bad}");
        }
        let up = ContinueToken { revision: 7, start: "../x".to_owned() };
        assert!(ContinueToken::parse(&up.text()).is_err());
    }
}
