//! Work that may panic, as work that may fail.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

/// A future whose panics are errors.
pub(crate) struct CatchPanic<'f, T>(Pin<Box<dyn Future<Output = T> + Send + 'f>>);

/// The work panicked.
pub(crate) struct Panicked;

impl<'f, T> CatchPanic<'f, T> {
    pub(crate) fn new(work: impl Future<Output = T> + Send + 'f) -> Self {
        Self(Box::pin(work))
    }
}

impl<T> Future for CatchPanic<'_, T> {
    type Output = Result<T, Panicked>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let work = &mut self.0;
        match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context))) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(value)) => Poll::Ready(Ok(value)),
            Err(_) => Poll::Ready(Err(Panicked)),
        }
    }
}
