"""The buyer API for a program: every call returns the answer, or raises PurserError after as many attempts as make
sense. Never in a browser or on a customer's machine: the API key spends the wallet."""

from __future__ import annotations

import re
import ssl
from typing import Any, Callable, Dict, List, Optional, Sequence, Union
from urllib.parse import urlsplit

from .addresses import Addresses
from .api_caller import ApiCaller, ApiRequest, RetryNotice
from .download import Download
from .errors import Failure, PurserError, policy_of
from .events import EventStream, MemoryPlace, Place
from .exact_json import amount, write_json
from .purchase import Purchase
from .purchase_store import PurchaseStore
from .timing import Timing
from .types import Balance, Catalog, Health, Order, Receipt, Webhook

_JSON = {"Content-Type": "application/json"}
#: States of a later server that are unknown here count as not final.
_FINAL_STATES = ("completed", "failed", "refunded")
_SHORTEST_POLL = 1.0


class PurserClient:
    """Sends nothing when it is made. Raises ValueError for what can't work.

    ``base_url`` ends with ``/api/v1/buyer``; several, one of each node, for a shop that is a cluster. ``store`` keeps
    each purchase before it is sent. Times are seconds, for one attempt, at all addresses together.
    """

    def __init__(
        self,
        base_url: Union[str, Sequence[str]],
        api_key: str,
        *,
        store: Optional[PurchaseStore] = None,
        timeout: float = 15,
        purchase_timeout: float = 30,
        max_attempts: int = 4,
        max_retry_after: float = 60,
        on_retry: Optional[Callable[[RetryNotice], None]] = None,
        ssl_context: Optional[ssl.SSLContext] = None,
        timing: Optional[Timing] = None,
    ) -> None:
        urls = [base_url] if isinstance(base_url, str) else list(base_url)
        if not urls:
            raise ValueError("base_url must have at least one address")
        limits = (timeout, purchase_timeout, max_attempts, max_retry_after)
        if not all(limit > 0 for limit in limits):
            raise ValueError("times and max_attempts must be positive numbers")
        self._caller = ApiCaller(
            Addresses([_checked_url(url) for url in urls]),
            _checked_key(api_key),
            timeout,
            max_attempts,
            max_retry_after,
            on_retry,
            ssl_context,
            timing or Timing(),
        )
        self._purchase_timeout = purchase_timeout
        self._store = store
        #: The account's webhook configuration.
        self.webhook = WebhookCalls(self._caller)

    def health(self) -> Health:
        """Whether the service answers; sends no key."""
        return self._caller.json(ApiRequest("GET", "/health", authenticated=False))

    def products(self, ids: Optional[Sequence[int]] = None) -> Catalog:
        """Everything on sale, or up to 100 products alone."""
        query = "" if ids is None else "?ids=" + ",".join(str(_checked_id(one)) for one in ids)
        return self._get(f"/products{query}")

    def balance(self) -> Balance:
        return self._get("/balance")

    def purchase(
        self,
        product_id: int,
        expected_price_usdt: Any,
        quantity: int = 1,
        *,
        recipient: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Purchase:
        """A purchase with its key, not yet sent. ``expected_price_usdt`` is the total, a Decimal, int or text.

        Without a store: keep ``idempotency_key`` yourself before ``send``. With a stored key it finishes what an
        earlier run of the program began.
        """
        total = amount(expected_price_usdt, "expected_price_usdt")
        request: Dict[str, Any] = {"productId": product_id, "quantity": quantity, "expectedPriceUsdt": total}
        if recipient is not None:
            request["recipient"] = {"username": recipient}
        return self._purchase(write_json(request), idempotency_key)

    def unfinished(self) -> List[Purchase]:
        """The purchases of the store that are not done: send each again, and call ``done``."""
        stored = [] if self._store is None else self._store.unfinished()
        return [self._purchase(body, key) for key, body in stored]

    def order(self, order_id: int) -> Order:
        return self._get(f"/orders/{_checked_id(order_id)}")

    def receipt(self, order_id: int) -> Receipt:
        """A signed receipt of the order as it is now: keep it."""
        return self._get(f"/orders/{_checked_id(order_id)}/receipt")

    def wait_for_order(self, order_id: int, *, max_wait: float = 600, poll: float = 5) -> Order:
        """Returns once it is completed, failed or refunded: look which. ``STILL_PENDING`` after ``max_wait`` s."""
        timing = self._caller.timing
        ends = timing.now() + max_wait
        while True:
            pause = max(poll, _SHORTEST_POLL)
            try:
                order = self.order(order_id)
                if order["status"] in _FINAL_STATES:
                    return order
                message = f"order {order_id} is still {order['status']} after {max_wait:g} s"
                error = PurserError(Failure("STILL_PENDING", message, request_id=order["requestId"]))
            except PurserError as raised:
                if not policy_of(Failure(raised.code, "", raised.status)).is_retried:
                    raise
                error = raised
                pause = max(pause, raised.retry_after_seconds or 0)
            if timing.now() + pause > ends:
                raise error
            timing.sleep(pause)

    def download(self, order_id: int) -> Download:
        """The file of a completed order for a file product."""
        return Download(self._caller, f"/orders/{_checked_id(order_id)}/download")

    def events(
        self,
        place: Optional[Place] = None,
        *,
        after: Optional[str] = None,
        types: Optional[Sequence[str]] = None,
        limit: int = 100,
        wait_seconds: int = 20,
    ) -> EventStream:
        """All events from the place on: ``for event in client.events(FilePlace(path)): …`` never ends.

        Without a place it begins after the event ``after``; ``latest``: with what happens from now on; None: with the
        oldest that is kept.
        """
        return EventStream(self._caller, place or MemoryPlace(after), types, limit, wait_seconds)

    def _get(self, path: str) -> Any:
        return self._caller.json(ApiRequest("GET", path))

    def _purchase(self, body: str, idempotency_key: Optional[str]) -> Purchase:
        return Purchase(self._caller, self._purchase_timeout, self._store, body, idempotency_key)


class WebhookCalls:
    def __init__(self, caller: ApiCaller) -> None:
        self._caller = caller

    def get(self) -> Webhook:
        """``NOT_FOUND`` when there is none."""
        return self._caller.json(ApiRequest("GET", "/webhook"))

    def set(self, url: str, events: Sequence[str], balance_threshold_usdt: Any = None) -> Webhook:
        """Replaces it. The secret in the answer is shown this once; the one before no longer signs anything."""
        request: Dict[str, Any] = {"url": url, "events": list(events)}
        if balance_threshold_usdt is not None:
            request["balanceThresholdUsdt"] = amount(balance_threshold_usdt, "balance_threshold_usdt")
        return self._caller.json(ApiRequest("POST", "/webhook", _JSON, write_json(request).encode()))

    def delete(self) -> None:
        """Also cancels what is waiting to be delivered. ``NOT_FOUND`` when there is none."""
        try:
            self._caller.json(ApiRequest("DELETE", "/webhook", _JSON, b'{"confirm":true}'))
        except PurserError as error:
            # It was an earlier attempt that deleted it, and its answer that got lost.
            if error.code != "NOT_FOUND" or error.attempts == 1:
                raise


def _checked_id(one: int) -> int:
    if type(one) is not int or not 0 < one < 2**53:
        raise ValueError(f"{one!r} is not an id")
    return one


def _checked_url(url: str) -> str:
    parts = urlsplit(url)
    is_plain = not (parts.query or parts.fragment or "@" in parts.netloc)
    if parts.scheme not in ("http", "https") or not parts.hostname or not is_plain:
        raise ValueError("base_url must be like https://shop.example/api/v1/buyer")
    return url.rstrip("/")


def _checked_key(api_key: str) -> str:
    """The message doesn't show it: messages end up in logs."""
    if not isinstance(api_key, str) or not re.fullmatch(r"[\x21-\x7e]+", api_key):
        raise ValueError("api_key is missing, or has characters that no API key has")
    return api_key
