//! Requests of the API server, from the bytes of a connection to the bytes of the answer.
//!
//! The number of requests at the same time is bounded.

use crate::answer::{Answer, AnswerBody};
use crate::core::Core;
use crate::gzip;
use crate::handle::{handle, refuse};
use crate::identify::{User, identify};
use crate::listen::{self, Answering, read_body, response};
use crate::query::{Query, decode};
use crate::request::{Request, RequestBody};
use crate::tls;
use crate::websocket;
use arc_swap::ArcSwap;
use crdkit_schema::status::Status;
use hyper::body::Incoming;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// Serves connections until the server stops.
pub(crate) async fn serve(core: Arc<Core>, listener: TcpListener, tls: TlsAcceptor) {
    let requests = Arc::new(Semaphore::new(core.settings.max_requests));
    let stop = core.stop.subscribe();
    let connect = move |stream: &TlsStream<TcpStream>| {
        let (socket, session) = stream.get_ref();
        let certificates = session.peer_certificates();
        ConnectionContext {
            core: Arc::clone(&core),
            peer: certificates.and_then(|it| it.first()).and_then(|it| tls::user(it)),
            local: socket.local_addr().ok(),
            remote: socket.peer_addr().ok(),
            requests: Arc::clone(&requests),
        }
    };
    listen::serve(listener, Arc::new(ArcSwap::from_pointee(tls)), stop, connect).await;
}

/// What all requests of a connection share.
struct ConnectionContext {
    core: Arc<Core>,
    peer: Option<User>,
    local: Option<SocketAddr>,
    remote: Option<SocketAddr>,
    requests: Arc<Semaphore>,
}

impl Answering for ConnectionContext {
    async fn answer(&self, mut request: hyper::Request<Incoming>) -> hyper::Response<AnswerBody> {
        let wish = websocket::UpgradeRequest::of(&mut request);
        let (parts, body) = request.into_parts();
        let raw_path = parts.uri.path();
        let path = decode(raw_path, false);
        let query = Query::parse(parts.uri.query().unwrap_or_default());
        let user = identify(
            &parts.headers,
            self.peer.as_ref(),
            &self.core.tokens,
            self.core.environment.now(),
        );
        let settings = &self.core.settings;
        let body = read_body(body, settings.max_body);
        let body = tokio::time::timeout(settings.request_timeout, body).await;
        let body = body.unwrap_or(RequestBody::Broken);
        let (user, refused) = match user {
            Ok(user) => (user, None),
            Err(status) => (User::anonymous(), Some(status)),
        };
        let mut request = Request::new(parts.method, path, query, parts.headers, user, body);
        request.local_address = self.local.map(|it| it.to_string()).unwrap_or_default();
        request.remote_address = self.remote;
        request.uri = parts.uri;
        let request = Arc::new(request);
        let answer = match refused {
            Some(status) => refuse(&self.core, &request, *status),
            None => self.admitted(&request).await,
        };
        let answer = match wish {
            Some(wish) => wish.grant(answer),
            None => answer,
        };
        response(gzip::encode(&request, answer))
    }
}

impl ConnectionContext {
    /// Handles a request when there is room for it. A write that was begun is done whole, whether its client waits for
    /// it or not; only a server that stops gives it up.
    async fn admitted(&self, request: &Arc<Request>) -> Answer {
        let stopping =
            || refuse(&self.core, request, Status::service_unavailable("the server is stopping"));
        let Ok(permit) = Arc::clone(&self.requests).acquire_owned().await else {
            return stopping();
        };
        if request.method.is_safe() {
            return handle(&self.core, request).await;
        }
        let (core, request) = (Arc::clone(&self.core), Arc::clone(request));
        let work = tokio::spawn(async move {
            let _permit = permit;
            tokio::select! {
                answer = handle(&core, &request) => Some(answer),
                () = listen::stopped(core.stop.subscribe()) => None,
            }
        });
        work.await.ok().flatten().unwrap_or_else(stopping)
    }
}
