//! Why a request did not do what it was for.

use crate::RefusedObject;
use crdkit_codec::EncodeError;
use crdkit_codec::typed::TypedError;
use crdkit_schema::status::Status;

/// Why a request did not do what it was for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The server refused.
    #[error("{0}")]
    Refused(Box<Status>),
    /// The object would be refused, and was not sent.
    #[error("{0}")]
    Verdict(Box<RefusedObject>),
    /// The server was not reached, or its answer did not arrive.
    #[error("{request}: no answer")]
    Transport {
        /// Method and path.
        request: String,
        /// Why not.
        source: Box<kube::Error>,
    },
    /// There is no connection to be had.
    #[error("there is no way to the cluster")]
    Connect(#[source] Box<kube::Error>),
    /// The answer cannot be read.
    #[error("{request}: the answer cannot be read: {problem}")]
    Answer {
        /// Method and path.
        request: String,
        /// What is wrong with it.
        problem: String,
    },
    /// An object has no form that can be sent.
    #[error("an object cannot be sent: {0}")]
    Encode(String),
    /// An object is not of the Rust type, or that type is not an object.
    #[error("{0}")]
    Typed(TypedError),
    /// The server does not serve a kind.
    #[error("the server has no kind {kind} in {api_version}")]
    UnknownKind {
        /// The group and version.
        api_version: String,
        /// The kind.
        kind: String,
    },
}

impl ClientError {
    /// The server's answer, if there is one; of a verdict, the one that the server would give.
    pub fn status(&self) -> Option<&Status> {
        match self {
            Self::Refused(status) => Some(status),
            Self::Verdict(verdict) => Some(&verdict.status),
            _ => None,
        }
    }

    /// The code of the server's answer; 0 if there is none.
    pub fn code(&self) -> u16 {
        self.status().map_or(0, |status| status.code)
    }
}

impl From<kube::Error> for ClientError {
    fn from(error: kube::Error) -> Self {
        Self::Connect(Box::new(error))
    }
}

impl From<EncodeError> for ClientError {
    fn from(error: EncodeError) -> Self {
        Self::Encode(error.to_string())
    }
}

impl From<TypedError> for ClientError {
    fn from(error: TypedError) -> Self {
        Self::Typed(error)
    }
}
