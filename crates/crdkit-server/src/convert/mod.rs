//! Objects in other versions of a CRD that names a service for that.
//!
//! Takes objects of any version of one CRD and gives them in another one, in the same order. Objects that are of that
//! version already are left alone; all others go out together. A service that cannot be asked, or answers something
//! else than it should, is the answer to the request, in the words of the API server.

mod review;

use crate::admission::WebhookClient;
use crate::environment::Environment;
use crdkit_admission::webhook::{ClientConfig, ClientTarget};
use crdkit_schema::compile::{Conversion, ConversionWebhook};
use crdkit_schema::status::Status;
use crdkit_store::{Revision, StoreEntry};
use crdkit_value::{Document, Value};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::OnceCell;

/// Bytes of objects that go out together; more of them go out one after the other.
const BATCH: usize = 32 << 20;
/// The largest answer for each byte that was sent, and for nothing at all.
const GROWTH: usize = 4;
const LARGEST: usize = 8 << 20;
/// So many conversions are remembered for others who watch.
const REMEMBERED: usize = 128;

/// The service of one CRD.
pub(crate) struct Converter {
    client: Arc<WebhookClient>,
    config: ClientConfig,
    /// The first version of reviews that both sides know.
    review: Option<review::ReviewVersion>,
    environment: Environment,
    /// How long it may take.
    seconds: u32,
}

/// Objects that were converted to one version not long ago, by key and revision.
#[derive(Default)]
pub(crate) struct Recent(Mutex<VecDeque<RecentConversion>>);

type RecentConversion = ((Arc<str>, Revision), Arc<OnceCell<Document>>);

impl Converter {
    /// The service that a CRD names, if it does.
    pub(crate) fn of(
        conversion: &Conversion,
        client: &Arc<WebhookClient>,
        environment: &Environment,
        patience: Duration,
    ) -> Option<Self> {
        let Conversion::Webhook(webhook) = conversion else { return None };
        let mut versions = webhook.review_versions.iter();
        Some(Self {
            client: Arc::clone(client),
            config: config(webhook),
            review: versions.find_map(|name| review::ReviewVersion::parse(name)),
            environment: environment.clone(),
            seconds: u32::try_from(patience.as_secs()).unwrap_or(u32::MAX).max(1),
        })
    }

    /// All objects in the version `wanted`.
    ///
    /// # Errors
    /// The answer to the request, when the service does not do what it should.
    pub(crate) async fn convert(
        &self,
        mut objects: Vec<Document>,
        wanted: &str,
    ) -> Result<Vec<Document>, Box<Status>> {
        let others = objects.iter().enumerate();
        let others = others.filter(|(_, object)| !is_of(object, wanted)).map(|(at, _)| at);
        let others: Vec<usize> = others.collect();
        let mut batch: Vec<usize> = Vec::new();
        let mut body = Vec::new();
        for (at, index) in others.iter().enumerate() {
            if let Some(object) = objects.get(*index) {
                review::add(object.root(), &mut body);
                batch.push(*index);
            }
            if body.len() >= BATCH || at + 1 == others.len() {
                let sent: Vec<&Document> = batch.iter().filter_map(|at| objects.get(*at)).collect();
                let converted = self.ask(&sent, std::mem::take(&mut body), wanted).await?;
                for (at, converted) in batch.drain(..).zip(converted) {
                    if let Some(object) = objects.get_mut(at) {
                        *object = converted;
                    }
                }
            }
        }
        Ok(objects)
    }

    async fn ask(
        &self,
        objects: &[&Document],
        body: Vec<u8>,
        wanted: &str,
    ) -> Result<Vec<Document>, Box<Status>> {
        let fail = |text: String| Box::new(Status::unclassified(text));
        let Some(version) = self.review else {
            return Err(fail("no supported conversion review versions".to_owned()));
        };
        let subject = objects.first().map(|object| review::subject(object.root()));
        let subject = format!("conversion webhook for {}", subject.unwrap_or_default());
        let uid = self.environment.uid();
        let limit = body.len().saturating_mul(GROWTH).max(LARGEST);
        let body = review::request(version, &uid, wanted, &body);
        let answer = self.client.post(&self.config, self.seconds, body, limit).await;
        let answer = answer.and_then(|body| review::objects(version, &uid, &body));
        let converted = answer.map_err(|problem| fail(format!("{subject} failed: {problem}")))?;
        review::accept(objects, converted, wanted)
            .map_err(|problem| fail(format!("{subject} returned {problem}")))
    }
}

impl Recent {
    /// The conversion of an entry, by whoever asks first.
    pub(crate) async fn convert<F>(
        &self,
        entry: &StoreEntry,
        convert: impl FnOnce() -> F,
    ) -> Result<Document, Box<Status>>
    where
        F: Future<Output = Result<Document, Box<Status>>>,
    {
        let key = (Arc::clone(&entry.key), entry.revision);
        let cell = {
            let mut recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((_, cell)) = recent.iter().find(|(known, _)| *known == key) {
                Arc::clone(cell)
            } else {
                if recent.len() >= REMEMBERED {
                    recent.pop_front();
                }
                let cell = Arc::new(OnceCell::new());
                recent.push_back((key, Arc::clone(&cell)));
                cell
            }
        };
        cell.get_or_try_init(convert).await.cloned()
    }
}

/// Whether an object is of a version.
fn is_of(object: &Document, api_version: &str) -> bool {
    object.root().get("apiVersion").and_then(Value::as_str) == Some(api_version)
}

fn config(webhook: &ConversionWebhook) -> ClientConfig {
    let target = match &webhook.service {
        Some(service) => ClientTarget::Service {
            namespace: service.namespace.clone(),
            name: service.name.clone(),
            path: service.path.clone().unwrap_or_default(),
            port: u16::try_from(service.port).unwrap_or(443),
        },
        None => ClientTarget::Url(webhook.url.clone().unwrap_or_default()),
    };
    ClientConfig { target, ca_bundle: webhook.ca_bundle.to_vec() }
}
