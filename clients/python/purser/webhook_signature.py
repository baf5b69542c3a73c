"""Telling a genuine webhook delivery from any other request: HMAC, age, and an event whose id is the signed one."""

from __future__ import annotations

import hashlib
import hmac
import re
import time
from typing import Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from .exact_json import read_json
from .types import Event

#: A mapping, also one with lists of values, or pairs; names in any case.
Headers = Union[Mapping[str, Union[str, Sequence[str]]], Iterable[Tuple[str, str]]]

_TOLERANCE_MS = 300_000
_MAX_SIGNATURE_CHARS = 1_024


class WebhookVerificationError(Exception):
    """The request is not a delivery to believe: answer 400 and do nothing else.

    ``reason``: missing-header, malformed-signature, wrong-signature, outside-tolerance, not-an-event.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


def verify_webhook(
    headers: Headers,
    body: bytes,
    secret: Union[str, Sequence[str]],
    *,
    tolerance_ms: int = _TOLERANCE_MS,
    now_ms: Optional[float] = None,
) -> Event:
    """The event. Raises WebhookVerificationError; and TypeError when there is no secret, or the body isn't raw bytes.

    ``headers``: a mapping, names in any case, or pairs. ``body``: exactly as received. ``secret``: several while one
    is being replaced by another.
    """
    secrets = [secret] if isinstance(secret, str) else list(secret or [])
    if not secrets or not all(isinstance(one, str) and one for one in secrets):
        raise TypeError("secret is missing or empty")
    if not isinstance(body, (bytes, bytearray, memoryview)):
        raise TypeError("body must be the raw bytes of the request, before any parsing")
    content = bytes(body)
    delivery_id = _header(headers, "x-service-delivery")
    timestamp, signatures = _parse(_header(headers, "x-service-signature"))
    signed = f"{timestamp}.{delivery_id}.".encode() + content
    expected = [hmac.new(one.encode(), signed, hashlib.sha256).digest() for one in secrets]
    if not any([hmac.compare_digest(one, other) for one in expected for other in signatures]):
        raise WebhookVerificationError("wrong-signature", "the signature is not by any of the secrets")
    # The age is judged after the signature: of a forged request nothing is believed.
    age_ms = (time.time() * 1_000 if now_ms is None else now_ms) - int(timestamp)
    if abs(age_ms) > tolerance_ms:
        raise WebhookVerificationError(
            "outside-tolerance", f"it was signed {age_ms:.0f} ms ago, {tolerance_ms} are allowed"
        )
    return _event(content, delivery_id)


def _header(headers: Headers, name: str) -> str:
    """A header that came twice is as good as none."""
    pairs: Iterable[Tuple[str, Union[str, Sequence[str]]]] = headers.items() if hasattr(headers, "items") else headers
    values: List[str] = []
    for key, value in pairs:
        if key.lower() == name:
            values.extend([value] if isinstance(value, str) else value)
    if len(values) == 1 and values[0]:
        return values[0]
    raise WebhookVerificationError("missing-header", f"{name} is missing, or there is more than one")


def _parse(header: str) -> Tuple[str, List[bytes]]:
    """Parts that a later version adds beside t and v1 are left alone."""
    parts = [part.strip() for part in header.split(",")] if len(header) <= _MAX_SIGNATURE_CHARS else []
    times = [part[2:] for part in parts if part.startswith("t=")]
    hexes = [part[3:] for part in parts if part.startswith("v1=")]
    are_signatures = hexes and all(re.fullmatch("[0-9a-fA-F]{64}", one) for one in hexes)
    if len(times) != 1 or not re.fullmatch("[0-9]{1,16}", times[0]) or not are_signatures:
        raise WebhookVerificationError("malformed-signature", "x-service-signature is not t=…,v1=…")
    return times[0], [bytes.fromhex(one) for one in hexes]


def _event(content: bytes, delivery_id: str) -> Event:
    try:
        event = read_json(content.decode())
    except ValueError:
        event = None
    if isinstance(event, dict) and event.get("eventId") == delivery_id and isinstance(event.get("type"), str):
        return event  # type: ignore[return-value]
    raise WebhookVerificationError("not-an-event", "the body has no type, or another eventId than the header")
