//! Watches over `WebSocket`s, as browsers and some clients ask for them: the same request with an upgrade, the same events with
//! one message for each.
//!
//! Only answers that come in pieces are sent so; every other answer is the usual one.

use crate::answer::{Answer, AnswerBody, Pieces};
use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use hyper::header::{
    CONNECTION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, SEC_WEBSOCKET_ACCEPT,
    SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL, UPGRADE,
};
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::Role;
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};

/// A client's wish to go on with a WebSocket.
pub(crate) struct UpgradeRequest {
    upgrade: OnUpgrade,
    accept: String,
    protocol: Option<HeaderValue>,
}

impl UpgradeRequest {
    /// What a request wishes for. The upgrade has to be taken out before the request is taken apart.
    pub(crate) fn of<B>(request: &mut hyper::Request<B>) -> Option<Self> {
        let headers = request.headers();
        if !(names(headers, &CONNECTION, "upgrade") && names(headers, &UPGRADE, "websocket")) {
            return None;
        }
        let accept = derive_accept_key(headers.get(SEC_WEBSOCKET_KEY)?.as_bytes());
        let protocol = headers.get(SEC_WEBSOCKET_PROTOCOL).cloned();
        // One that is named alone is agreed to.
        let protocol = protocol.filter(|names| !names.as_bytes().contains(&b','));
        Some(Self { upgrade: hyper::upgrade::on(request), accept, protocol })
    }

    /// The answer as one that goes on with a WebSocket, if it comes in pieces.
    pub(crate) fn grant(self, answer: Answer) -> Answer {
        let Answer { code: 200, headers, body: AnswerBody::Pieces(pieces) } = answer else {
            return answer;
        };
        let is_text = headers
            .iter()
            .any(|(name, value)| *name == CONTENT_TYPE && value.as_bytes().ends_with(b"json"));
        let upgrade = self.upgrade;
        tokio::spawn(async move {
            if let Ok(stream) = upgrade.await {
                let socket =
                    WebSocketStream::from_raw_socket(TokioIo::new(stream), Role::Server, None);
                send(socket.await, pieces, is_text).await;
            }
        });
        let mut answer = Answer::empty(101)
            .header(CONNECTION, "Upgrade")
            .header(UPGRADE, "websocket")
            .header(SEC_WEBSOCKET_ACCEPT, &self.accept);
        answer.headers.extend(self.protocol.map(|name| (SEC_WEBSOCKET_PROTOCOL, name)));
        answer
    }
}

/// Whether a header has a word among those it lists.
fn names(headers: &HeaderMap, header: &HeaderName, word: &str) -> bool {
    let values = headers.get_all(header).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|name| name.trim().eq_ignore_ascii_case(word))
}

/// Sends pieces until there are no more, or the client has had enough.
async fn send<S>(mut socket: WebSocketStream<S>, mut pieces: Box<dyn Pieces>, is_text: bool)
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
{
    loop {
        let sent = tokio::select! {
            piece = std::future::poll_fn(|context| pieces.poll_piece(context)) => match piece {
                Some(piece) => socket.send(message(piece, is_text)).await,
                None => break,
            },
            // Pings are answered by the socket itself; what else a client says has no meaning here.
            received = socket.next() => match received {
                Some(Ok(Message::Close(_))) | None => return,
                Some(Ok(_)) => socket.flush().await,
                Some(Err(error)) => Err(error),
            },
        };
        if sent.is_err() {
            return;
        }
    }
    let _ = socket.close(None).await;
}

fn message(piece: Bytes, is_text: bool) -> Message {
    match Utf8Bytes::try_from(piece.clone()) {
        Ok(text) if is_text => Message::Text(text),
        _ => Message::Binary(piece),
    }
}
