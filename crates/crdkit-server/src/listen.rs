//! Connections: accepted, secured, spoken to in HTTP/1.1 or HTTP/2, and closed; whoever answers them.
//!
//! Everything a client can hold on to is bounded: the time of a handshake, of headers and of idling, the size of headers
//! and bodies.

use crate::answer::{Answer, AnswerBody};
use crate::core::until;
use crate::patient::Patient;
use crate::request::RequestBody;
use arc_swap::ArcSwap;
use bytes::{Bytes, BytesMut};
use http_body::Body;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// How long a client may take to say what it wants.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a client may take nothing of what is sent to it.
const STALLED: Duration = Duration::from_mins(1);
/// How long clients get to finish when the server stops.
const FAREWELL: Duration = Duration::from_millis(500);
/// Bytes of the headers of a request.
const MAX_HEADERS: u32 = 64 << 10;
/// How much more than it may have is read of a body, so that its sender gets to read the answer.
const DRAINED: usize = 8;

/// What answers the requests of one connection.
pub(crate) trait Answering: Send + Sync + 'static {
    /// The answer to a request.
    fn answer(
        &self,
        request: hyper::Request<Incoming>,
    ) -> impl Future<Output = hyper::Response<AnswerBody>> + Send;
}

/// How connections are secured; what comes later is secured as was said last.
pub(crate) type Security = Arc<ArcSwap<TlsAcceptor>>;

/// Serves connections until it is told to stop. `connect` makes what answers the requests of a connection.
pub(crate) async fn serve<A: Answering>(
    listener: TcpListener,
    security: Security,
    stop: watch::Receiver<bool>,
    connect: impl Fn(&TlsStream<TcpStream>) -> A + Clone + Send + Sync + 'static,
) {
    let mut stopped = std::pin::pin!(until(stop.clone()));
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            () = stopped.as_mut() => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let tls = TlsAcceptor::clone(&security.load());
                    connections.spawn(run(stream, tls, stop.clone(), connect.clone()));
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

async fn run<A: Answering>(
    stream: TcpStream,
    tls: TlsAcceptor,
    stop: watch::Receiver<bool>,
    connect: impl Fn(&TlsStream<TcpStream>) -> A,
) {
    let _ = stream.set_nodelay(true);
    let handshake = tokio::time::timeout(PATIENCE, tls.accept(stream));
    let Ok(Ok(stream)) = handshake.await else { return };
    let answering = Arc::new(connect(&stream));
    let service = service_fn(move |request| {
        let answering = Arc::clone(&answering);
        async move { Ok::<_, Infallible>(answering.answer(request).await) }
    });
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_mins(2))
        .max_buf_size(MAX_HEADERS as usize * 8);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_header_list_size(MAX_HEADERS)
        .max_concurrent_streams(1000)
        .keep_alive_interval(Duration::from_secs(30))
        .keep_alive_timeout(Duration::from_secs(30));
    let connection = builder
        .serve_connection_with_upgrades(TokioIo::new(Patient::new(stream, STALLED)), service);
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        _ = connection.as_mut() => return,
        () = until(stop) => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = connection.await;
}

/// Ends when a server has stopped and whoever was there has had the time to finish.
pub(crate) async fn stopped(stop: watch::Receiver<bool>) {
    until(stop).await;
    tokio::time::sleep(FAREWELL).await;
}

/// An answer as it is sent.
pub(crate) fn response(answer: Answer) -> hyper::Response<AnswerBody> {
    let mut response = hyper::Response::new(answer.body);
    let code = hyper::StatusCode::from_u16(answer.code);
    *response.status_mut() = code.unwrap_or(hyper::StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in answer.headers {
        response.headers_mut().append(name, value);
    }
    response
}

/// All of a body, if it is not too long.
pub(crate) async fn read_body(body: Incoming, limit: usize) -> RequestBody {
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
