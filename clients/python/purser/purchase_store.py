"""Keys of purchases that are not done: stored before a request goes out, so that a crash loses none.

The file has one line of JSON for each purchase begun and for each one done, and is only appended to; the clients in
other languages read and write the same. A line is on disk when ``save`` returns, and one that a crash cut short never
spoils the next. Programs that run at the same time must not share a file.
"""

from __future__ import annotations

import json
import os
import threading
from typing import Dict, List, NamedTuple, Protocol


class StoredPurchase(NamedTuple):
    idempotency_key: str
    #: The JSON that is sent, as it is.
    body: str


class PurchaseStore(Protocol):
    """Write your own to keep purchases in a database."""

    def save(self, purchase: StoredPurchase) -> None:
        """Returns when it is stored for good. A key may be saved again, with the same body."""

    def remove(self, idempotency_key: str) -> None:
        """The purchase is done. A key that isn't there is no error."""

    def unfinished(self) -> List[StoredPurchase]:
        """All that are not done, oldest first."""


class FilePurchaseStore:
    def __init__(self, path: "str | os.PathLike[str]") -> None:
        self._path = os.fspath(path)
        self._lock = threading.Lock()

    def save(self, purchase: StoredPurchase) -> None:
        self._append({"idempotencyKey": purchase.idempotency_key, "body": purchase.body})

    def remove(self, idempotency_key: str) -> None:
        self._append({"idempotencyKey": idempotency_key, "done": True})

    def unfinished(self) -> List[StoredPurchase]:
        bodies: Dict[str, str] = {}
        try:
            with open(self._path, encoding="utf-8") as file:
                lines = file.read().split("\n")
        except FileNotFoundError:
            return []
        for line in lines:
            try:
                row = json.loads(line)
                key = row["idempotencyKey"]
            except (ValueError, KeyError, TypeError):
                continue
            if "done" in row:
                bodies.pop(key, None)
            else:
                bodies[key] = row["body"]
        return [StoredPurchase(key, body) for key, body in bodies.items()]

    def _append(self, row: Dict[str, object]) -> None:
        line = json.dumps(row).encode() + b"\n"
        with self._lock:
            is_new = not os.path.exists(self._path)
            descriptor = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
            with os.fdopen(descriptor, "r+b", buffering=0) as file:
                size = file.seek(0, os.SEEK_END)
                if size > 0:
                    file.seek(size - 1)
                    # The line before was cut short by a crash.
                    if file.read(1) != b"\n":
                        line = b"\n" + line
                file.write(line)
                os.fsync(file.fileno())
            if is_new:
                sync_folder(self._path)


def sync_folder(path: str) -> None:
    """So that a new file is found after a power cut. Some systems open no folders: then it is theirs to see to."""
    try:
        descriptor = os.open(os.path.dirname(os.path.abspath(path)), os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    except OSError:
        pass
    finally:
        os.close(descriptor)
