"""A purchase before, while and after it is sent. Making one sends nothing, so its key can be stored first."""

from __future__ import annotations

import re
import uuid
from typing import Any, Dict, Optional

from .api_caller import ApiCaller, ApiRequest
from .errors import UNKNOWN, IsCharged, PurserError
from .exact_json import read_json
from .purchase_store import PurchaseStore, StoredPurchase
from .types import Order

#: Visible ASCII, with blanks only inside, where HTTP leaves them as they are.
_KEY_FORM = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]{0,126}[\x21-\x7e])?")


class Purchase:
    def __init__(
        self,
        caller: ApiCaller,
        timeout: float,
        store: Optional[PurchaseStore],
        body: str,
        idempotency_key: Optional[str],
    ) -> None:
        if idempotency_key is not None and not _KEY_FORM.fullmatch(idempotency_key):
            raise ValueError("idempotency_key must be 1 to 128 visible ASCII characters")
        #: Store it before you send, unless the client has a store.
        self.idempotency_key = idempotency_key or str(uuid.uuid4())
        self._caller = caller
        self._timeout = timeout
        self._store = store
        self._body = body
        # A key that was given may have been sent before, by a run of the program that knew how it ended.
        self._is_charged: IsCharged = False if idempotency_key is None else UNKNOWN

    @property
    def request(self) -> Dict[str, Any]:
        """As it will be sent."""
        return read_json(self._body)

    def send(self) -> Order:
        """Stores the purchase, then sends it, again if it must, always with the same key and bytes.

        Raises PurserError. May be called again: a purchase that happened is answered with its order, and nothing is
        charged for it. What may have been charged stays in the store until ``done``.
        """
        if self._store is not None:
            self._store.save(StoredPurchase(self.idempotency_key, self._body))
        request = ApiRequest(
            "POST",
            "/orders",
            {"Idempotency-Key": self.idempotency_key, "Content-Type": "application/json"},
            self._body.encode(),
            timeout=self._timeout,
            idempotency_key=self.idempotency_key,
            is_charged=self._is_charged,
        )
        try:
            return self._caller.json(request)
        except PurserError as error:
            self._is_charged = error.is_charged
            if error.is_charged is False:
                self.done()
            raise

    def done(self) -> None:
        """You have what you bought: the store may forget it. Without a store it does nothing."""
        if self._store is not None:
            self._store.remove(self.idempotency_key)
