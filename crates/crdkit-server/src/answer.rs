//! What is sent back: a code, headers and a body that is there or comes bit by bit.

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

/// An answer to a request.
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    pub(crate) body: AnswerBody,
}

/// The body of an answer.
pub(crate) enum AnswerBody {
    /// All of it.
    Whole(Bytes),
    /// Pieces, as they come.
    Pieces(Box<dyn Pieces>),
}

/// Where the pieces of a body come from.
pub(crate) trait Pieces: Send {
    /// The next piece; none at the end.
    fn poll_piece(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>>;
}

impl Answer {
    pub(crate) fn new(code: u16, content_type: &str, body: impl Into<Bytes>) -> Self {
        let answer = Self { code, headers: Vec::new(), body: AnswerBody::Whole(body.into()) };
        answer.header(CONTENT_TYPE, content_type)
    }

    /// An answer without a body.
    pub(crate) fn empty(code: u16) -> Self {
        Self { code, headers: Vec::new(), body: AnswerBody::Whole(Bytes::new()) }
    }

    /// Plain text.
    pub(crate) fn text(code: u16, text: impl Into<Bytes>) -> Self {
        Self::new(code, "text/plain; charset=utf-8", text)
            .header(HeaderName::from_static("x-content-type-options"), "nosniff")
    }

    /// What every path gets that leads nowhere.
    pub(crate) fn no_page() -> Self {
        Self::text(404, "404 page not found\n")
    }

    /// The same answer with a header; one that cannot be sent is left out.
    pub(crate) fn header(mut self, name: HeaderName, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.push((name, value));
        }
        self
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut *self {
            Self::Whole(bytes) if bytes.is_empty() => Poll::Ready(None),
            Self::Whole(bytes) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
            Self::Pieces(pieces) => {
                pieces.poll_piece(context).map(|piece| piece.map(|bytes| Ok(Frame::data(bytes))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Whole(bytes) if bytes.is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Self::Pieces(_) => SizeHint::default(),
        }
    }
}
