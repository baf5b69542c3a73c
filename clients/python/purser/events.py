"""The account's events, one after the other, for ever; no webhook is needed.

Always holds: the place moves past an event when the next one is asked for, so when the program has dealt with it. After
a crash the event under way comes again, and none is left out.
"""

from __future__ import annotations

import os
from typing import Any, Dict, Iterator, List, Optional, Protocol, Sequence
from urllib.parse import urlencode

from .api_caller import ApiCaller, ApiRequest
from .purchase_store import sync_folder
from .types import Event


#: Seconds between two requests that had events, or those of a busy account use up its limit of requests.
_REST = 1.0


class Place(Protocol):
    """Where to go on. Write your own to keep it in the database that has what you made of the events."""

    def load(self) -> Optional[str]:
        """None at first."""

    def save(self, event_id: Optional[str]) -> None:
        """Returns when it is stored for good. None: from the oldest event again."""


class FilePlace:
    def __init__(self, path: "str | os.PathLike[str]") -> None:
        self._path = os.fspath(path)

    def load(self) -> Optional[str]:
        try:
            with open(self._path, encoding="utf-8") as file:
                return file.read().strip() or None
        except FileNotFoundError:
            return None

    def save(self, event_id: Optional[str]) -> None:
        unfinished = f"{self._path}.unfinished"
        with open(unfinished, "w", encoding="utf-8") as file:
            file.write(event_id or "")
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, self._path)
        sync_folder(self._path)


class MemoryPlace:
    """For programs that begin anew at each start."""

    def __init__(self, event_id: Optional[str]) -> None:
        self._event_id = event_id

    def load(self) -> Optional[str]:
        return self._event_id

    def save(self, event_id: Optional[str]) -> None:
        self._event_id = event_id


class EventStream:
    def __init__(
        self,
        caller: ApiCaller,
        place: Place,
        types: Optional[Sequence[str]],
        limit: int,
        wait_seconds: int,
    ) -> None:
        self._caller = caller
        self._place = place
        self._types = types
        self._limit = limit
        self._wait_seconds = wait_seconds

    def __iter__(self) -> Iterator[Event]:
        """Never ends, unless ``wait_seconds`` is 0: then it ends with the newest event.

        Raises PurserError; iterate again to go on. ``EVENTS_GONE``: the events after the place are not there any
        more. Read catalog and orders, ``place.save(None)``, and iterate again."""
        after = self._place.load()
        while True:
            page = self._page(after)
            events: List[Event] = page["events"]
            for event in events:
                yield event
                after = event["eventId"]
                self._place.save(after)
            if page["lastEventId"] != after:
                # None: there never was an event, so the first one to come is the oldest.
                after = page["lastEventId"]
                self._place.save(after)
            if page["hasMore"]:
                continue
            if self._wait_seconds == 0:
                return
            if events:
                self._caller.timing.sleep(_REST)

    def _page(self, after: Optional[str]) -> Dict[str, Any]:
        query = {"limit": str(self._limit), "wait": str(self._wait_seconds)}
        if after is not None:
            query["after"] = after
        if self._types is not None:
            query["types"] = ",".join(self._types)
        path = f"/events?{urlencode(query, safe=',')}"
        return self._caller.json(ApiRequest("GET", path, timeout=self._caller.timeout + self._wait_seconds))
