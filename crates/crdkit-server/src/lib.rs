//! A Kubernetes API server for custom resources.
