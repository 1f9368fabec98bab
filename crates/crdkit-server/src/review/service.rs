//! The service: HTTPS around a [`Reviewer`].
//!
//! `POST /validate`, `POST /mutate` and `POST /convert` take reviews, `/healthz`, `/livez` and `/readyz` say whether it is well, `/metrics`
//! has figures. The reviewer and the certificates can be replaced while it runs.

use super::{ReviewPurpose, Reviewer};
use crate::answer::{Answer, AnswerBody};
use crate::listen::{self, Answering, Security, read_body, response};
use crate::request::RequestBody;
use crate::server::StartError;
use crate::tls::{Certificates, TlsError};
use arc_swap::ArcSwap;
use hyper::body::Incoming;
use hyper::header::CONTENT_TYPE;
use hyper::{Method, Request, Response};
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// Bytes of a review: two objects, as large as the API server takes them, and what is around them.
const MAX_BODY: usize = 8 << 20;
/// Reviews at the same time.
const MAX_REVIEWS: usize = 256;
/// The same for reviews of conversions, which have all objects of a list.
const MAX_OBJECTS: usize = 64 << 20;
const MAX_CONVERSIONS: usize = 4;

/// An admission webhook that runs. Dropping it stops it.
pub struct ReviewServer {
    shared: Arc<Shared>,
    address: SocketAddr,
    security: Security,
    stop: watch::Sender<bool>,
    task: Option<JoinHandle<()>>,
}

struct Shared {
    reviewer: ArcSwap<Reviewer>,
    reviews: Semaphore,
    conversions: Semaphore,
    figures: Figures,
}

/// What is counted.
#[derive(Default)]
struct Figures {
    /// Reviews by purpose and verdict: validate, mutate and convert, each allowed and denied.
    verdicts: [AtomicU64; 6],
    malformed: AtomicU64,
    panics: AtomicU64,
    nanoseconds: AtomicU64,
}

impl ReviewServer {
    /// Starts a webhook at an address.
    ///
    /// # Errors
    /// The address cannot be listened on, or the certificates cannot be used.
    pub async fn start(
        listen: SocketAddr,
        certificates: &Certificates,
        reviewer: Reviewer,
    ) -> Result<Self, StartError> {
        let failed = |error| StartError::Listen { address: listen, error };
        let listener = TcpListener::bind(listen).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let security = Arc::new(ArcSwap::from_pointee(certificates.acceptor()?));
        let shared = Arc::new(Shared {
            reviewer: ArcSwap::from_pointee(reviewer),
            reviews: Semaphore::new(MAX_REVIEWS),
            conversions: Semaphore::new(MAX_CONVERSIONS),
            figures: Figures::default(),
        });
        let stop = watch::Sender::new(false);
        let connected = Arc::clone(&shared);
        let connect = move |_: &_| ReviewConnection(Arc::clone(&connected));
        let serving = listen::serve(listener, Arc::clone(&security), stop.subscribe(), connect);
        let task = Some(tokio::spawn(serving));
        Ok(Self { shared, address, security, stop, task })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Uses other certificates for connections that come from now on.
    ///
    /// # Errors
    /// They cannot be used; those before stay in use.
    pub fn secure(&self, certificates: &Certificates) -> Result<(), TlsError> {
        self.security.store(Arc::new(certificates.acceptor()?));
        Ok(())
    }

    /// Answers reviews that come from now on by other CRDs and policies.
    pub fn replace(&self, reviewer: Reviewer) {
        self.shared.reviewer.store(Arc::new(reviewer));
    }

    /// Stops it: no more connections, reviews under way get half a second.
    pub async fn stop(mut self) {
        self.stop.send_replace(true);
        if let Some(task) = self.task.take() {
            let _ = task.await;
        }
    }
}

impl Drop for ReviewServer {
    fn drop(&mut self) {
        self.stop.send_replace(true);
    }
}

struct ReviewConnection(Arc<Shared>);

impl Answering for ReviewConnection {
    async fn answer(&self, request: Request<Incoming>) -> Response<AnswerBody> {
        response(self.0.answer(request).await)
    }
}

impl Shared {
    async fn answer(&self, request: Request<Incoming>) -> Answer {
        let (parts, body) = request.into_parts();
        let purpose = match parts.uri.path() {
            "/healthz" | "/livez" | "/readyz" => return Answer::text(200, "ok"),
            "/metrics" => {
                return Answer::new(200, "text/plain; version=0.0.4", self.figures.text());
            }
            "/validate" => ReviewPurpose::Validate,
            "/mutate" => ReviewPurpose::Mutate,
            "/convert" => ReviewPurpose::Convert,
            _ => return Answer::no_page(),
        };
        if parts.method != Method::POST {
            return Answer::text(405, "reviews are posted\n");
        }
        let kind = parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let kind = kind.unwrap_or("application/json").split(';').next().unwrap_or_default();
        if kind.trim() != "application/json" {
            return Answer::text(415, "reviews are application/json\n");
        }
        // What is large is not even read while there is too much of it.
        let _large = match purpose {
            ReviewPurpose::Convert => self.conversions.acquire().await.ok(),
            _ => None,
        };
        let limit = if purpose == ReviewPurpose::Convert { MAX_OBJECTS } else { MAX_BODY };
        let body = match read_body(body, limit).await {
            RequestBody::Whole(bytes) => bytes,
            RequestBody::TooLarge(limit) => {
                return Answer::text(413, format!("reviews have at most {limit} bytes\n"));
            }
            RequestBody::Broken => return Answer::text(400, "the body ends too early\n"),
        };
        let Ok(_permit) = self.reviews.acquire().await else {
            return Answer::text(503, "the webhook is stopping\n");
        };
        let started = Instant::now();
        let reviewer = self.reviewer.load();
        let outcome = catch_unwind(AssertUnwindSafe(|| reviewer.review(purpose, &body)));
        self.figures.note_time(started);
        match outcome {
            Ok(Ok(answer)) => {
                self.figures.note(purpose, &answer);
                Answer::new(200, "application/json", answer)
            }
            Ok(Err(error)) => {
                self.figures.malformed.fetch_add(1, Ordering::Relaxed);
                Answer::text(400, format!("{error}\n"))
            }
            Err(_) => {
                self.figures.panics.fetch_add(1, Ordering::Relaxed);
                tracing::error!("a review panicked");
                Answer::text(500, "this review could not be answered\n")
            }
        }
    }
}

impl Figures {
    fn note(&self, purpose: ReviewPurpose, answer: &[u8]) {
        let (first, allowed): (_, &[u8]) = match purpose {
            ReviewPurpose::Validate => (0, br#""allowed":true"#),
            ReviewPurpose::Mutate => (2, br#""allowed":true"#),
            ReviewPurpose::Convert => (4, br#""result":{"status":"Success"}"#),
        };
        let is_allowed = answer.windows(allowed.len()).any(|window| window == allowed);
        let at = first + usize::from(!is_allowed);
        if let Some(count) = self.verdicts.get(at) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn note_time(&self, started: Instant) {
        let nanoseconds = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
    }

    fn text(&self) -> String {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let labels = [
            r#"purpose="validate",verdict="allowed""#,
            r#"purpose="validate",verdict="denied""#,
            r#"purpose="mutate",verdict="allowed""#,
            r#"purpose="mutate",verdict="denied""#,
            r#"purpose="convert",verdict="converted""#,
            r#"purpose="convert",verdict="failed""#,
        ];
        let mut out = String::from(
            "# HELP crdkit_webhook_reviews_total Reviews that were answered.\n# TYPE crdkit_webhook_reviews_total counter\n",
        );
        for (labels, count) in labels.iter().zip(&self.verdicts) {
            let _ = writeln!(out, "crdkit_webhook_reviews_total{{{labels}}} {}", of(count));
        }
        let total: u64 = self.verdicts.iter().map(of).sum::<u64>() + of(&self.malformed);
        #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
        let seconds = of(&self.nanoseconds) as f64 / 1e9;
        for (name, kind, help, value) in [
            (
                "malformed_total",
                "counter",
                "Bodies that were no reviews.",
                of(&self.malformed).to_string(),
            ),
            ("panics_total", "counter", "Reviews that panicked.", of(&self.panics).to_string()),
            ("review_seconds_sum", "counter", "Time that answers took.", seconds.to_string()),
            ("review_seconds_count", "counter", "Answers.", total.to_string()),
        ] {
            let name = format!("crdkit_webhook_{name}");
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}");
        }
        out
    }
}
