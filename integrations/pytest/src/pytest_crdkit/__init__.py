"""A Kubernetes API server as a test fixture."""

from .server import Server, ServerError

__all__ = ["Server", "ServerError"]
