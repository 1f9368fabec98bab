//! PEM, as far as it takes to tell a bundle of certificates from something else.
//!
//! Certificates themselves are not checked beyond the outermost length of their encoding.

use crdkit_text::base64::Base64;

/// Why `bundle` holds no certificate, in Go's words.
pub(crate) fn certificates_problem(bundle: &[u8]) -> Option<&'static str> {
    let text = String::from_utf8_lossy(bundle);
    let mut rest = &*text;
    let mut blocks = 0;
    while let Some((kind, body, after)) = block(rest) {
        rest = after;
        blocks += 1;
        if kind == "CERTIFICATE" {
            let der = Base64::Standard.decode(body.trim()).unwrap_or_default();
            return (!is_sequence(&der))
                .then_some("failed to parse certificate: x509: malformed certificate");
        }
    }
    Some(if blocks == 0 {
        "unable to parse bytes as PEM block"
    } else {
        "no valid certificate authority data seen"
    })
}

/// The first block: what it is, what it holds, and what follows.
fn block(text: &str) -> Option<(&str, &str, &str)> {
    let (_, text) = text.split_once("-----BEGIN ")?;
    let (kind, text) = text.split_once("-----")?;
    let (body, text) = text.split_once("-----END ")?;
    let (end, text) = text.split_once("-----")?;
    (kind == end).then_some((kind, body, text))
}

/// Whether `der` begins with a sequence that is as long as it says.
fn is_sequence(der: &[u8]) -> bool {
    match der {
        [0x30, length @ 0..=0x7F, content @ ..] | [0x30, 0x81, length, content @ ..] => {
            usize::from(*length) <= content.len()
        }
        [0x30, 0x82, high, low, content @ ..] => {
            usize::from(*high) << 8 | usize::from(*low) <= content.len()
        }
        _ => false,
    }
}
