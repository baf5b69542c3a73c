"""The error of every call, and the policy for errors: what is sent again by itself, and what is known of the money."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple, Optional, Union

#: Nothing was charged; or only an answer to the same key can tell.
IsCharged = Union[bool, str]
UNKNOWN = "unknown"


@dataclass(frozen=True)
class Failure:
    """One failed attempt."""

    code: str
    message: str
    status: Optional[int] = None
    request_id: Optional[str] = None
    retry_after_seconds: Optional[int] = None
    current_price_usdt: Optional[Decimal] = None
    #: Whether the answer spoke of a leader at all, and where that is.
    names_leader: bool = False
    leader_url: Optional[str] = None
    cause: Optional[BaseException] = None


class PurserError(Exception):
    """The API's own refusal, or a failure on the way to it. Branch on ``code``, and let later codes pass.

    The client's own codes: ``NETWORK_ERROR`` (no answer, or one that broke off), ``TIMEOUT``, ``BAD_RESPONSE`` (an
    answer that isn't this API's), ``REDIRECTED`` (never followed), ``STILL_PENDING`` (of ``wait_for_order``).
    """

    def __init__(
        self,
        failure: Failure,
        attempts: int = 0,
        is_charged: IsCharged = False,
        idempotency_key: Optional[str] = None,
    ) -> None:
        quoted = f" (requestId {failure.request_id})" if failure.request_id else ""
        super().__init__(f"{failure.code}: {failure.message}{quoted}")
        self.code = failure.code
        #: The HTTP status; None when there was no answer.
        self.status = failure.status
        #: The id to quote to the operator.
        self.request_id = failure.request_id
        self.retry_after_seconds = failure.retry_after_seconds
        #: The current total, with PRICE_CHANGED.
        self.current_price_usdt = failure.current_price_usdt
        #: The key of the purchase that failed; None for any other call.
        self.idempotency_key = idempotency_key
        #: False is a promise; "unknown": send the same purchase with the same key to learn it.
        self.is_charged = is_charged
        #: How many requests this call has sent.
        self.attempts = attempts
        self.__cause__ = failure.cause


class Policy(NamedTuple):
    is_retried: bool
    #: "none": nothing was charged under the key. "not-now": not by this request. "unknown": who knows.
    charge: str


_TRY_AGAIN = Policy(True, "unknown")
_STOP = Policy(False, "unknown")
_USED_UP = Policy(False, "none")
_NOT_NOW = Policy(False, "not-now")

_POLICIES = {
    "BAD_REQUEST": _NOT_NOW,
    "UNAUTHORIZED": _NOT_NOW,
    "INSUFFICIENT_BALANCE": _USED_UP,
    "FORBIDDEN": _NOT_NOW,
    "NOT_FOUND": _NOT_NOW,
    "PRICE_CHANGED": _USED_UP,
    "OUT_OF_STOCK": _USED_UP,
    "IDEMPOTENCY_CONFLICT": _STOP,
    "IDEMPOTENCY_UNRESOLVED": _USED_UP,
    "DELIVERY_NOT_READY": _NOT_NOW,
    "WEBHOOK_SECRET_UNREADABLE": _NOT_NOW,
    "EVENTS_GONE": _NOT_NOW,
    "RATE_LIMITED": Policy(True, "not-now"),
    "INTERNAL_ERROR": _TRY_AGAIN,
    "PURCHASE_FAILED": Policy(True, "none"),
    "PROVIDER_TIMEOUT": _USED_UP,
    "DELIVERY_UNAVAILABLE": Policy(True, "not-now"),
    "SALES_CLOSED": Policy(True, "none"),
    "NOT_LEADING": _TRY_AGAIN,
    "NETWORK_ERROR": _TRY_AGAIN,
    "TIMEOUT": _TRY_AGAIN,
    "REDIRECTED": _STOP,
    "STILL_PENDING": _NOT_NOW,
}


def policy_of(failure: Failure) -> Policy:
    """BAD_RESPONSE and codes of a later server go by their status: a proxy's 502 is like a broken connection."""
    known = _POLICIES.get(failure.code)
    if known is not None:
        return known
    status = failure.status or 0
    if status == 429:
        return _POLICIES["RATE_LIMITED"]
    return _TRY_AGAIN if status >= 500 or 200 <= status < 300 else _STOP


def is_another_asked(failure: Failure) -> bool:
    """Whether the next address is asked at once: here is no node that leads, or nothing that is Purser."""
    if failure.code == "NOT_LEADING" or (failure.status == 503 and failure.names_leader):
        return True
    is_foreign = failure.code in ("NETWORK_ERROR", "TIMEOUT", "BAD_RESPONSE")
    return is_foreign and failure.status != 429 and policy_of(failure).is_retried


def charged_after(before: IsCharged, failures: "list[Failure]") -> IsCharged:
    """The verdict after an attempt: the one before it, and the answers since."""
    known: Any = before
    for failure in failures:
        charge = policy_of(failure).charge
        if charge != "not-now":
            known = False if charge == "none" else UNKNOWN
    return known
