//! CEL as a language. Knows nothing of CRDs.
