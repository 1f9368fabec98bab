//! One request before its formats are known.

use crate::resource::encode;
use crdkit_codec::media::PatchType;
use crdkit_value::Document;
use http::Method;

/// A request: what it does, where, and with what.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) query: Query,
    pub(crate) body: CallBody<'a>,
}

/// What a request carries.
#[derive(Debug)]
pub(crate) enum CallBody<'a> {
    None,
    /// An object, or options of a request.
    Object(&'a Document),
    Patch(PatchType, &'a Document),
}

impl<'a> Call<'a> {
    pub(crate) fn get(path: String) -> Self {
        Self::new(Method::GET, path, CallBody::None)
    }

    pub(crate) fn new(method: Method, path: String, body: CallBody<'a>) -> Self {
        Self { method, path, query: Query::default(), body }
    }

    /// The path with the parameters.
    pub(crate) fn target(&self) -> String {
        match self.query.0.as_str() {
            "" => self.path.clone(),
            query => format!("{}?{query}", self.path),
        }
    }

    /// What it is called in messages.
    pub(crate) fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

/// The parameters of a request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query(String);

impl Query {
    /// Adds a parameter unless it is empty.
    pub(crate) fn text(&mut self, name: &str, value: &str) {
        if value.is_empty() {
            return;
        }
        if !self.0.is_empty() {
            self.0.push('&');
        }
        self.0.push_str(name);
        self.0.push('=');
        encode(value, &mut self.0);
    }

    pub(crate) fn flag(&mut self, name: &str, is_on: bool) {
        self.text(name, if is_on { "true" } else { "" });
    }

    pub(crate) fn number(&mut self, name: &str, number: Option<u64>) {
        if let Some(number) = number {
            self.text(name, &number.to_string());
        }
    }
}
