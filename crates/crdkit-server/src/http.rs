//! Connections: accepted, secured, spoken to in HTTP/1.1 or HTTP/2, and closed.
//!
//! Everything a client can hold on to is bounded: the time of a handshake, of headers and of idling, the size of headers
//! and bodies, the number of requests at the same time. A handler that panics costs one answer.

use crate::answer::{Answer, AnswerBody};
use crate::core::{Core, until};
use crate::gzip;
use crate::handle::handle;
use crate::identify::{User, identify};
use crate::negotiate;
use crate::query::{Query, decode};
use crate::request::{Request, RequestBody};
use crate::tls;
use bytes::{Bytes, BytesMut};
use crdkit_schema::status::Status;
use http_body::Body;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

/// How long a client may take to say what it wants.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long clients get to finish when the server stops.
const FAREWELL: Duration = Duration::from_millis(500);
/// Bytes of the headers of a request.
const MAX_HEADERS: u32 = 64 << 10;
/// How much more than it may have is read of a body, so that its sender gets to read the answer.
const DRAINED: usize = 8;

/// Serves connections until the server stops.
pub(crate) async fn serve(core: Arc<Core>, listener: TcpListener, tls: TlsAcceptor) {
    let requests = Arc::new(Semaphore::new(core.settings.max_requests));
    let mut stop = std::pin::pin!(until(core.stop.subscribe()));
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            () = stop.as_mut() => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let connection = Connection {
                        core: Arc::clone(&core),
                        tls: tls.clone(),
                        requests: Arc::clone(&requests),
                    };
                    connections.spawn(connection.run(stream));
                }
                Err(error) => {
                    // Too many open files, most likely: others have to finish first.
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
        }
    }
    drop(listener);
    let all = async { while connections.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(FAREWELL, all).await;
    connections.shutdown().await;
}

struct Connection {
    core: Arc<Core>,
    tls: TlsAcceptor,
    requests: Arc<Semaphore>,
}

impl Connection {
    async fn run(self, stream: TcpStream) {
        let _ = stream.set_nodelay(true);
        let local = stream.local_addr().ok();
        let handshake = tokio::time::timeout(PATIENCE, self.tls.accept(stream));
        let Ok(Ok(stream)) = handshake.await else { return };
        let certificates = stream.get_ref().1.peer_certificates();
        let peer = certificates.and_then(|it| it.first()).and_then(|it| tls::user(it));
        let context = Arc::new(ConnectionContext {
            core: Arc::clone(&self.core),
            peer,
            local,
            requests: self.requests,
        });
        let service = service_fn(move |request| {
            let context = Arc::clone(&context);
            async move { Ok::<_, Infallible>(context.answer(request).await) }
        });
        let mut builder = auto::Builder::new(TokioExecutor::new());
        builder
            .http1()
            .timer(TokioTimer::new())
            .header_read_timeout(Duration::from_mins(2))
            .max_buf_size(MAX_HEADERS as usize * 8)
            .half_close(true);
        builder
            .http2()
            .timer(TokioTimer::new())
            .max_header_list_size(MAX_HEADERS)
            .max_concurrent_streams(1000)
            .keep_alive_interval(Duration::from_secs(30))
            .keep_alive_timeout(Duration::from_secs(30));
        let connection = builder.serve_connection(TokioIo::new(stream), service);
        let mut connection = std::pin::pin!(connection);
        tokio::select! {
            _ = connection.as_mut() => return,
            () = until(self.core.stop.subscribe()) => {}
        }
        connection.as_mut().graceful_shutdown();
        let _ = connection.await;
    }
}

/// What all requests of a connection share.
struct ConnectionContext {
    core: Arc<Core>,
    peer: Option<User>,
    local: Option<SocketAddr>,
    requests: Arc<Semaphore>,
}

impl ConnectionContext {
    async fn answer(&self, request: hyper::Request<Incoming>) -> hyper::Response<AnswerBody> {
        let (parts, body) = request.into_parts();
        let raw_path = parts.uri.path();
        let path = decode(raw_path, false);
        let query = Query::parse(parts.uri.query().unwrap_or_default());
        let user = identify(&parts.headers, self.peer.as_ref(), &self.core.tokens);
        let body = read_body(body, self.core.settings.max_body).await;
        let (user, refused) = match user {
            Ok(user) => (user, None),
            Err(status) => (User::anonymous(), Some(status)),
        };
        let mut request = Request::new(parts.method, path, query, parts.headers, user, body);
        request.local_address = self.local.map(|it| it.to_string()).unwrap_or_default();
        let answer = match refused {
            Some(status) => negotiate::status(&request, &status),
            None => self.guarded(&request).await,
        };
        response(gzip::encode(&request, answer))
    }

    /// Handles a request when there is room for it; a handler that panics costs one answer.
    async fn guarded(&self, request: &Request) -> Answer {
        let Ok(_permit) = self.requests.acquire().await else {
            let status = Status::service_unavailable("the server is stopping");
            return negotiate::status(request, &status);
        };
        let work = CatchPanic(Box::pin(handle(&self.core, request)));
        let failure = match tokio::time::timeout(self.core.settings.request_timeout, work).await {
            Ok(Ok(answer)) => return answer,
            Ok(Err(Panicked)) => {
                self.core.metrics.panics.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                tracing::error!(path = request.path, "a handler panicked");
                Status::internal_error("this request could not be handled")
            }
            Err(_) => Status::timeout("request did not complete within the allotted timeout", 0),
        };
        negotiate::status(request, &failure)
    }
}

fn response(answer: Answer) -> hyper::Response<AnswerBody> {
    let mut response = hyper::Response::new(answer.body);
    let code = hyper::StatusCode::from_u16(answer.code);
    *response.status_mut() = code.unwrap_or(hyper::StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in answer.headers {
        response.headers_mut().append(name, value);
    }
    response
}

/// All of a body, if it is not too long.
async fn read_body(body: Incoming, limit: usize) -> RequestBody {
    let mut body = std::pin::pin!(body);
    let mut whole = BytesMut::new();
    let mut first: Option<Bytes> = None;
    let mut size = 0_usize;
    while let Some(frame) = std::future::poll_fn(|context| body.as_mut().poll_frame(context)).await
    {
        let Ok(frame) = frame else { return RequestBody::Broken };
        let Ok(data) = frame.into_data() else { continue };
        size += data.len();
        if size > limit {
            if size > limit.saturating_mul(DRAINED) {
                break;
            }
            continue;
        }
        match first.take() {
            None if whole.is_empty() => first = Some(data),
            None => whole.extend_from_slice(&data),
            Some(start) => {
                whole.extend_from_slice(&start);
                whole.extend_from_slice(&data);
            }
        }
    }
    if size > limit {
        return RequestBody::TooLarge(limit);
    }
    RequestBody::Whole(first.unwrap_or_else(|| whole.freeze()))
}

/// A future whose panics are errors.
struct CatchPanic<'f, T>(Pin<Box<dyn Future<Output = T> + Send + 'f>>);

struct Panicked;

impl<T> Future for CatchPanic<'_, T> {
    type Output = Result<T, Panicked>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let work = &mut self.0;
        let polled = std::panic::catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context)));
        match polled {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(value)) => Poll::Ready(Ok(value)),
            Err(_) => Poll::Ready(Err(Panicked)),
        }
    }
}
