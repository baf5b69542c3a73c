"""A file's bytes, piece by piece. When the connection breaks, the rest is requested of the same file (its ``ETag``)."""

from __future__ import annotations

import os
from typing import Dict, Iterator, Optional

from .api_caller import ApiCaller, ApiRequest
from .errors import Failure, PurserError, policy_of
from .http_answer import Answer, AttemptFailed
from .purchase_store import sync_folder
from .timing import retry_delay


class Download:
    """Iterate it to its end, once, or close it: it holds a connection."""

    def __init__(self, caller: ApiCaller, path: str) -> None:
        self._caller = caller
        self._path = path
        self._answer = self._open({})
        is_identity = (self._answer.header("content-encoding") or "identity") == "identity"
        etag = self._answer.header("etag")
        #: None when the server gave none that proves equality: then a broken download can't be resumed.
        self._etag = etag if is_identity and etag and etag.startswith('"') else None
        self.content_type = self._answer.header("content-type") or "application/octet-stream"
        #: None when the server doesn't say.
        self.content_length_bytes: Optional[int] = self._answer.length if is_identity else None

    def __iter__(self) -> Iterator[bytes]:
        """Raises PurserError. A file that is shorter than announced is never taken for whole."""
        received, breaks = 0, 0
        while True:
            try:
                for piece in self._answer.pieces():
                    received += len(piece)
                    breaks = 0
                    yield piece
                    self._answer.deadline.restart()
                self.close()
                return
            except AttemptFailed as failed:
                breaks += 1
                self._resume(failed.failure, received, breaks)

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Writes a file that is there whole, or not at all."""
        target = os.fspath(path)
        unfinished = f"{target}.unfinished"
        with open(unfinished, "wb") as file:
            for piece in self:
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, target)
        sync_folder(target)

    def close(self) -> None:
        self._answer.close()

    def _open(self, headers: Dict[str, str]) -> Answer:
        # Positions in a compressed answer are not positions in the file.
        return self._caller.open(ApiRequest("GET", self._path, {**headers, "Accept-Encoding": "identity"}))

    def _resume(self, failure: Failure, received: int, breaks: int) -> None:
        self.close()
        if self._etag is None or breaks >= self._caller.max_attempts or not policy_of(failure).is_retried:
            raise PurserError(failure, breaks)
        self._caller.timing.sleep(retry_delay(breaks, 0, self._caller.timing.random()))
        self._answer = self._open({"Range": f"bytes={received}-", "If-Range": self._etag})
        goes_on = (self._answer.header("content-range") or "").startswith(f"bytes {received}-")
        if self._answer.status != 206 or not goes_on:
            self.close()
            message = "the download broke off, and the server no longer has the rest of the same file"
            raise PurserError(Failure("BAD_RESPONSE", message, self._answer.status), 1)
