"""One HTTP request and its answer, under one deadline for all of it; redirects are not followed.

Each request has a connection of its own: an idle one that the server has just closed would look like a lost answer.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import time
from typing import Dict, Iterator, Optional
from urllib.parse import urlsplit

from .errors import Failure

_PIECE_BYTES = 64 * 1024


class AttemptFailed(Exception):
    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.code)
        self.failure = failure


class Deadline:
    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.restart()

    def restart(self) -> None:
        self._ends = time.monotonic() + self.seconds

    def left(self) -> float:
        """Raises when it is over."""
        left = self._ends - time.monotonic()
        if left <= 0:
            raise socket.timeout("the time is over")
        return left

    @property
    def is_over(self) -> bool:
        return time.monotonic() >= self._ends

    def failure_of(self, error: Exception) -> Failure:
        if isinstance(error, socket.timeout):
            return Failure("TIMEOUT", f"no complete answer within {self.seconds:g} s", cause=error)
        return Failure("NETWORK_ERROR", "the connection failed or broke off", cause=error)


class Answer:
    """A status and headers, and a body that is still to be read."""

    def __init__(self, response: http.client.HTTPResponse, sock: socket.socket, deadline: Deadline) -> None:
        self.status = response.status
        self._response = response
        self._socket = sock
        self.deadline = deadline
        length = self.header("content-length")
        #: None when the server doesn't say.
        self.length = int(length) if length is not None and length.isdigit() else None

    def header(self, name: str) -> Optional[str]:
        return self._response.headers.get(name)

    def pieces(self) -> Iterator[bytes]:
        """Raises AttemptFailed when it breaks off before its Content-Length, or takes too long."""
        received = 0
        # Newer versions of Python close an answer with its last byte, older ones when there is no more.
        while not self._response.isclosed():
            try:
                self._socket.settimeout(self.deadline.left())
                piece = self._response.read1(_PIECE_BYTES)
            except (OSError, http.client.HTTPException, ValueError) as error:
                raise AttemptFailed(self.deadline.failure_of(error)) from error
            if not piece:
                break
            received += len(piece)
            yield piece
        if self.length is not None and received < self.length:
            raise AttemptFailed(Failure("NETWORK_ERROR", "the answer broke off"))

    def close(self) -> None:
        self._response.close()
        self._socket.close()


def send(
    method: str,
    url: str,
    headers: Dict[str, str],
    body: Optional[bytes],
    deadline: Deadline,
    context: Optional[ssl.SSLContext],
) -> Answer:
    """Raises AttemptFailed."""
    parts = urlsplit(url)
    path = parts.path + (f"?{parts.query}" if parts.query else "")
    connection: Optional[http.client.HTTPConnection] = None
    try:
        if parts.scheme == "https":
            connection = http.client.HTTPSConnection(parts.netloc, timeout=deadline.left(), context=context)
        else:
            connection = http.client.HTTPConnection(parts.netloc, timeout=deadline.left())
        connection.connect()
        sock = connection.sock
        sock.settimeout(deadline.left())
        connection.request(method, path, body=body, headers={**headers, "Connection": "close"})
        sock.settimeout(deadline.left())
        return Answer(connection.getresponse(), sock, deadline)
    except (OSError, http.client.HTTPException, ValueError) as error:
        if connection is not None:
            connection.close()
        raise AttemptFailed(deadline.failure_of(error)) from error
