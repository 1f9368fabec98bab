//! Answers made smaller for clients that say they understand it, where it is worth it.

use crate::answer::{Answer, AnswerBody, Pieces};
use crate::request::Request;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::header::{CONTENT_ENCODING, VARY};
use std::io::Write as _;
use std::task::{Context, Poll};

/// Bytes from which on it is worth it.
const WORTH: usize = 128 << 10;

/// The same answer in gzip, if the client takes that and the answer is long.
pub(crate) fn encode(request: &Request, answer: Answer) -> Answer {
    let accepts = request.header("accept-encoding").split(',');
    // Whoever says how much they like it is not understood.
    let mut accepts = accepts.map(str::trim).filter(|it| *it == "gzip");
    let is_watch = answer.code == 200 && request.query.flag("watch");
    if accepts.next().is_none() || is_watch {
        return answer;
    }
    let Answer { code, headers, body } = answer;
    let body = match body {
        AnswerBody::Whole(bytes) if bytes.len() < WORTH => {
            return Answer { code, headers, body: AnswerBody::Whole(bytes) };
        }
        AnswerBody::Whole(bytes) => {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            // Memory takes all bytes.
            let _ = encoder.write_all(&bytes);
            AnswerBody::Whole(encoder.finish().unwrap_or_default().into())
        }
        AnswerBody::Pieces(inner) => {
            let encoder = Some(GzEncoder::new(Vec::new(), Compression::fast()));
            AnswerBody::Pieces(Box::new(GzipPieces { inner, encoder }))
        }
    };
    Answer { code, headers, body }.header(CONTENT_ENCODING, "gzip").header(VARY, "Accept-Encoding")
}

struct GzipPieces {
    inner: Box<dyn Pieces>,
    encoder: Option<GzEncoder<Vec<u8>>>,
}

impl Pieces for GzipPieces {
    fn poll_piece(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        loop {
            let Some(encoder) = &mut self.encoder else { return Poll::Ready(None) };
            let Poll::Ready(piece) = self.inner.poll_piece(context) else { return Poll::Pending };
            let Some(piece) = piece else {
                let rest = self.encoder.take().and_then(|encoder| encoder.finish().ok());
                return Poll::Ready(rest.map(Bytes::from));
            };
            let _ = encoder.write_all(&piece);
            let ready = std::mem::take(encoder.get_mut());
            if !ready.is_empty() {
                return Poll::Ready(Some(ready.into()));
            }
        }
    }
}
