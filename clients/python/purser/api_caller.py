"""One call of the API: the same request, byte for byte, until it is answered or it makes no sense to go on.

Always holds: a purchase keeps its key in every attempt; nothing is sent to another address than the base addresses. An
attempt asks each address at most once, one after the other, and all in the time of one. Nothing trusts that it was
Purser who answered: there may be proxies with pages of their own.
"""

from __future__ import annotations

import email.utils
import math
import ssl
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Set

from .addresses import Addresses
from .errors import UNKNOWN, Failure, IsCharged, PurserError, charged_after, is_another_asked, policy_of
from .exact_json import read_json
from .http_answer import Answer, AttemptFailed, Deadline, send
from .timing import Timing, retry_delay

#: Far more than the largest order or catalog; less than would exhaust a small machine.
_MAX_ANSWER_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True)
class ApiRequest:
    method: str
    path: str
    headers: Dict[str, str] = field(default_factory=dict)
    body: Optional[bytes] = None
    #: False for what needs no key, so that it isn't sent.
    authenticated: bool = True
    timeout: Optional[float] = None
    #: Of a purchase.
    idempotency_key: Optional[str] = None
    #: Before the first attempt; "unknown" when the key may have been used before.
    is_charged: IsCharged = False


@dataclass(frozen=True)
class RetryNotice:
    """An attempt failed at all addresses that it asked, and another follows."""

    method: str
    path: str
    delay_seconds: float
    error: PurserError


@dataclass(frozen=True)
class ApiCaller:
    addresses: Addresses
    api_key: str = field(repr=False)
    timeout: float
    max_attempts: int
    max_retry_after: float
    on_retry: Optional[Callable[[RetryNotice], None]]
    ssl_context: Optional[ssl.SSLContext]
    timing: Timing

    def json(self, request: ApiRequest) -> Any:
        """The body of the success. Raises PurserError."""
        return self._retrying(request, self._success_of)

    def open(self, request: ApiRequest) -> Answer:
        """The success before its body is read. Raises PurserError."""
        return self._retrying(request, lambda answer: answer)

    def _retrying(self, request: ApiRequest, receive: Callable[[Answer], Any]) -> Any:
        attempts, is_charged, attempt = 0, request.is_charged, 0
        while True:
            attempt += 1
            failures: List[Failure] = []
            try:
                return self._attempt(request, receive, failures)
            except AttemptFailed as failed:
                failure = failed.failure
            attempts += len(failures)
            if request.idempotency_key is not None:
                is_charged = charged_after(is_charged, failures)
            error = PurserError(failure, attempts, is_charged, request.idempotency_key)
            retry_after = failure.retry_after_seconds or 0
            is_last = attempt >= self.max_attempts or retry_after > self.max_retry_after
            if is_last or not policy_of(failure).is_retried:
                raise error
            delay = retry_delay(attempt, retry_after, self.timing.random())
            if self.on_retry is not None:
                self.on_retry(RetryNotice(request.method, request.path, delay, error))
            self.timing.sleep(delay)

    def _attempt(self, request: ApiRequest, receive: Callable[[Answer], Any], failures: List[Failure]) -> Any:
        """Asks the addresses, until one answers. ``failures`` is given what each of the others did."""
        deadline = Deadline(request.timeout or self.timeout)
        asked: Set[str] = set()
        address: str = self.addresses.first
        while True:
            asked.add(address)
            try:
                value = self._ask(address, request, receive, deadline)
                self.addresses.answered(address)
                return value
            except AttemptFailed as failed:
                failures.append(failed.failure)
                if not is_another_asked(failed.failure):
                    self.addresses.answered(address)
                    raise
                following = self.addresses.after(address, failed.failure.leader_url, asked)
                if following is None or deadline.is_over:
                    raise
                address = following

    def _ask(
        self, address: str, request: ApiRequest, receive: Callable[[Answer], Any], deadline: Deadline
    ) -> Any:
        headers = {**request.headers, "X-API-Key": self.api_key} if request.authenticated else request.headers
        url = address + request.path
        answer = send(request.method, url, headers, request.body, deadline, self.ssl_context)
        is_kept = False
        try:
            if not 200 <= answer.status < 300:
                raise AttemptFailed(self._failure_of(answer))
            value = receive(answer)
            is_kept = value is answer
            return value
        finally:
            if not is_kept:
                answer.close()

    def _success_of(self, answer: Answer) -> Any:
        body = _read_object(answer)
        if body.get("success") is True:
            return body
        raise AttemptFailed(_foreign(answer))

    def _failure_of(self, answer: Answer) -> Failure:
        if 300 <= answer.status < 400:
            message = "the server redirects elsewhere; redirects are not followed, check the base address"
            return Failure("REDIRECTED", message, answer.status)
        retry_after = _seconds_of(answer.header("retry-after"), self.timing.now())
        body = _read_object(answer)
        code = body.get("error")
        if not isinstance(code, str):
            return _foreign(answer, retry_after)
        leader = body.get("leader")
        url = leader.get("url") if isinstance(leader, dict) else None
        return Failure(
            code,
            str(body.get("message", "no message")),
            answer.status,
            body.get("requestId") or answer.header("x-request-id"),
            retry_after,
            body.get("currentPriceUsdt"),
            names_leader="leader" in body,
            leader_url=url if isinstance(url, str) else None,
        )


def _foreign(answer: Answer, retry_after: Optional[int] = None) -> Failure:
    message = f"HTTP {answer.status} without the API's JSON"
    return Failure("BAD_RESPONSE", message, answer.status, answer.header("x-request-id"), retry_after)


def _read_object(answer: Answer) -> Dict[str, Any]:
    """Empty for what is no object."""
    content = bytearray()
    for piece in answer.pieces():
        content += piece
        if len(content) > _MAX_ANSWER_BYTES:
            return {}
    try:
        value = read_json(content.decode())
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _seconds_of(retry_after: Optional[str], now: float) -> Optional[int]:
    """``Retry-After`` as whole seconds from now, in either of its forms."""
    if retry_after is None:
        return None
    if retry_after.isascii() and retry_after.isdigit() and len(retry_after) < 10:
        return int(retry_after)
    try:
        return max(0, math.ceil(email.utils.parsedate_to_datetime(retry_after).timestamp() - now))
    except (TypeError, ValueError):
        return None


__all__ = ["UNKNOWN", "ApiCaller", "ApiRequest", "RetryNotice"]
