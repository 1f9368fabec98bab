//! Bytes to events to documents, and back.
