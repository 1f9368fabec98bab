//! Calls to etcd: connection, password, time limits, and failures in the words of the contract.

use crate::messages::{
    Credentials, NoContent, RangeAnswer, RangeQuery, ResponseHeader, StatusAnswer, TokenAnswer,
    WatchAnswer, WatchQuery,
};
use crate::options::EtcdOptions;
use crdkit_store::{Revision, StoreError};
use prost::Message;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;
use tonic::client::Grpc;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::codegen::tokio_stream::wrappers::ReceiverStream;
use tonic::metadata::AsciiMetadataValue;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};
use tonic::{Code, ConnectError, Request, Status, Streaming};
use tonic_prost::ProstCodec;

pub(crate) const RANGE: &str = "/etcdserverpb.KV/Range";
pub(crate) const TXN: &str = "/etcdserverpb.KV/Txn";
pub(crate) const COMPACT: &str = "/etcdserverpb.KV/Compact";
pub(crate) const GRANT: &str = "/etcdserverpb.Lease/LeaseGrant";
pub(crate) const LIVES: &str = "/etcdserverpb.Lease/LeaseTimeToLive";
const WATCH: &str = "/etcdserverpb.Watch/Watch";
const STATUS: &str = "/etcdserverpb.Maintenance/Status";
const AUTHENTICATE: &str = "/etcdserverpb.Auth/Authenticate";

/// How often a read is tried.
const ATTEMPTS: u32 = 5;

/// A connection to the members of a cluster.
pub(crate) struct EtcdClient {
    channel: Channel,
    user: Option<(String, String)>,
    token: Mutex<Option<AsciiMetadataValue>>,
    timeout: Duration,
    n_members: u32,
}

/// Why a call failed, and whether the request may have reached etcd.
#[derive(Debug)]
pub(crate) struct CallFailure {
    pub(crate) status: Status,
    pub(crate) sent: bool,
}

impl EtcdClient {
    pub(crate) fn new(options: &EtcdOptions) -> Result<EtcdClient, StoreError> {
        let unusable = |error: tonic::transport::Error| StoreError::Unavailable(error.to_string());
        let mut endpoints = Vec::new();
        for address in &options.endpoints {
            let mut endpoint = Endpoint::from_shared(address.clone())
                .map_err(unusable)?
                .connect_timeout(options.timeout)
                .http2_keep_alive_interval(Duration::from_secs(30))
                .keep_alive_timeout(Duration::from_secs(10));
            if let Some(tls) = &options.tls {
                let mut config = ClientTlsConfig::new();
                config = config.ca_certificate(Certificate::from_pem(&tls.authority));
                if let Some((certificate, key)) = &tls.identity {
                    config = config.identity(Identity::from_pem(certificate, key));
                }
                endpoint = endpoint.tls_config(config).map_err(unusable)?;
            }
            endpoints.push(endpoint);
        }
        let channel = match &endpoints[..] {
            [] => return Err(StoreError::Unavailable("no endpoint of etcd is given".to_owned())),
            [endpoint] => endpoint.connect_lazy(),
            _ => Channel::balance_list(endpoints.into_iter()),
        };
        let (user, timeout) = (options.user.clone(), options.timeout);
        let n_members = u32::try_from(options.endpoints.len()).unwrap_or(1);
        Ok(EtcdClient { channel, user, token: Mutex::default(), timeout, n_members })
    }

    fn grpc(&self) -> Grpc<Channel> {
        // What a message may be is for etcd to say.
        Grpc::new(self.channel.clone())
            .max_decoding_message_size(usize::MAX)
            .max_encoding_message_size(usize::MAX)
    }

    async fn request<T>(&self, message: T) -> Result<Request<T>, Status> {
        let mut request = Request::new(message);
        if let Some(user) = &self.user {
            let known = self.token.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let token = match known {
                Some(token) => token,
                None => self.authenticate(user).await?,
            };
            request.metadata_mut().insert("token", token);
        }
        Ok(request)
    }

    async fn authenticate(&self, user: &(String, String)) -> Result<AsciiMetadataValue, Status> {
        let credentials = Credentials { name: user.0.clone(), password: user.1.clone() };
        let answer: Result<TokenAnswer, _> =
            self.send(AUTHENTICATE, Request::new(credentials)).await;
        let answer = answer.map_err(|failure| failure.status)?;
        let token = AsciiMetadataValue::try_from(answer.token);
        let token = token.map_err(|_| Status::internal("etcd gave a token that cannot be sent"))?;
        *self.token.lock().unwrap_or_else(PoisonError::into_inner) = Some(token.clone());
        Ok(token)
    }

    async fn send<Q, A>(&self, path: &'static str, request: Request<Q>) -> Result<A, CallFailure>
    where
        Q: Message + 'static,
        A: Message + Default + 'static,
    {
        let mut grpc = self.grpc();
        let unsent = |status| CallFailure { status, sent: false };
        let late = |_| Status::deadline_exceeded("etcd did not answer in time");
        tokio::time::timeout(self.timeout, grpc.ready())
            .await
            .map_err(|error| unsent(late(error)))?
            .map_err(|error| unsent(Status::unavailable(error.to_string())))?;
        let codec = ProstCodec::<Q, A>::default();
        let call = grpc.unary(request, PathAndQuery::from_static(path), codec);
        let answer = tokio::time::timeout(self.timeout, call).await;
        let answer = answer.map_err(late).and_then(|answer| answer);
        answer.map(tonic::Response::into_inner).map_err(|status| {
            let sent = !is_unconnected(&status);
            CallFailure { status, sent }
        })
    }

    /// The same, again while no member could be reached: of several some may be away.
    async fn send_to_some<Q, A>(&self, path: &'static str, message: &Q) -> Result<A, CallFailure>
    where
        Q: Message + Clone + 'static,
        A: Message + Default + 'static,
    {
        let mut attempt = 1;
        loop {
            let request = self.request(message.clone()).await;
            let request = request.map_err(|status| CallFailure { status, sent: false })?;
            match self.send(path, request).await {
                Err(failure) if !failure.sent && attempt < ATTEMPTS * self.n_members => {
                    tokio::time::sleep(Duration::from_millis(10) * attempt).await;
                    attempt += 1;
                }
                result => return result,
            }
        }
    }

    /// A call, with a new token where the old one has expired.
    pub(crate) async fn call<Q, A>(&self, path: &'static str, message: Q) -> Result<A, CallFailure>
    where
        Q: Message + Clone + 'static,
        A: Message + Default + 'static,
    {
        match self.send_to_some(path, &message).await {
            Err(failure)
                if self.user.is_some() && failure.status.code() == Code::Unauthenticated =>
            {
                *self.token.lock().unwrap_or_else(PoisonError::into_inner) = None;
                self.send_to_some(path, &message).await
            }
            result => result,
        }
    }

    /// A call that may be repeated.
    pub(crate) async fn read<Q, A>(&self, path: &'static str, message: Q) -> Result<A, StoreError>
    where
        Q: Message + Clone + 'static,
        A: Message + Default + 'static,
    {
        let mut attempt = 1;
        loop {
            let failure = match self.call(path, message.clone()).await {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            let passing = matches!(failure.status.code(), Code::Unavailable | Code::Unknown);
            if !passing || attempt == ATTEMPTS {
                return Err(self.explain(&failure.status).await);
            }
            tokio::time::sleep(Duration::from_millis(50) * attempt * attempt).await;
            attempt += 1;
        }
    }

    /// A failure in the words of the contract.
    pub(crate) async fn explain(&self, status: &Status) -> StoreError {
        let text = status.message();
        let revision = |answer: Result<Revision, StoreError>, make: fn(Revision) -> StoreError| {
            answer.map_or_else(|error| error, make)
        };
        if text.contains("has been compacted") {
            revision(Box::pin(self.oldest()).await, |at| StoreError::Compacted { at })
        } else if text.contains("future revision") {
            let current = Box::pin(self.current()).await;
            revision(current, |current| StoreError::FutureRevision { current })
        } else {
            StoreError::Unavailable(text.to_owned())
        }
    }

    /// The latest revision.
    pub(crate) async fn current(&self) -> Result<Revision, StoreError> {
        let query = RangeQuery { key: b"/".to_vec(), count_only: true, ..RangeQuery::default() };
        let answer: RangeAnswer = self.read(RANGE, query).await?;
        Ok(revision(answer.header.as_ref()))
    }

    /// The oldest revision that is retained. Only a watch that comes too late is told.
    pub(crate) async fn oldest(&self) -> Result<Revision, StoreError> {
        let unavailable = |status: Status| StoreError::Unavailable(status.message().to_owned());
        let demand = crate::watch::create(b"/".to_vec(), Vec::new(), 1);
        let (sender, mut answers) = self.watch(demand).await.map_err(unavailable)?;
        // A watch is created first, and cancelled when etcd next looks at those that come late, which it does ten times a second.
        let (mut wait, mut oldest) = (self.timeout, Revision::FIRST);
        while let Ok(answer) = tokio::time::timeout(wait, answers.message()).await {
            match answer.map_err(unavailable)? {
                Some(answer) if answer.compact_revision > 0 => {
                    oldest = Revision(answer.compact_revision.unsigned_abs());
                    break;
                }
                Some(answer) if !answer.canceled => wait = Duration::from_millis(500),
                _ => break,
            }
        }
        drop(sender);
        Ok(oldest)
    }

    /// The version of the member that answers.
    pub(crate) async fn version(&self) -> Result<String, StoreError> {
        let answer: StatusAnswer = self.read(STATUS, NoContent {}).await?;
        Ok(answer.version)
    }

    /// Opens a stream of watches.
    pub(crate) async fn watch(
        &self,
        create: WatchQuery,
    ) -> Result<(mpsc::Sender<WatchQuery>, Streaming<WatchAnswer>), Status> {
        let (sender, queries) = mpsc::channel(4);
        let _ = sender.try_send(create);
        let mut request = self.request(()).await?.map(|()| ReceiverStream::new(queries));
        // A member without a leader ends the watch instead of keeping it silent.
        request.metadata_mut().insert("hasleader", AsciiMetadataValue::from_static("true"));
        let mut grpc = self.grpc();
        grpc.ready().await.map_err(|error| Status::unavailable(error.to_string()))?;
        let codec = ProstCodec::<WatchQuery, WatchAnswer>::default();
        let call = grpc.streaming(request, PathAndQuery::from_static(WATCH), codec);
        let answers = tokio::time::timeout(self.timeout, call)
            .await
            .map_err(|_| Status::deadline_exceeded("etcd did not answer in time"))?;
        match answers {
            Ok(answers) => Ok((sender, answers.into_inner())),
            Err(status) => {
                if status.code() == Code::Unauthenticated {
                    *self.token.lock().unwrap_or_else(PoisonError::into_inner) = None;
                }
                Err(status)
            }
        }
    }
}

/// Whether a call failed because there was no connection to send it over.
fn is_unconnected(status: &Status) -> bool {
    let mut source = std::error::Error::source(status);
    while let Some(error) = source {
        if error.is::<ConnectError>() {
            return true;
        }
        source = error.source();
    }
    false
}

/// The revision in a header.
pub(crate) fn revision(header: Option<&ResponseHeader>) -> Revision {
    Revision(header.map_or(0, |header| header.revision.unsigned_abs()))
}
