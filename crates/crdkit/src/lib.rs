//! One engine for Kubernetes custom resources.
