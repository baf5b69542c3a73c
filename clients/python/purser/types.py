"""The API's answers, as plain dicts with the API's own names; money is Decimal.

Fields and values that a later server adds arrive unchanged: read what you know, and let the rest be.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Dict, List, Optional, TypedDict, Union


class Answer(TypedDict):
    success: bool
    requestId: str


class Health(Answer):
    service: str
    status: str
    version: str


class Balance(Answer):
    balanceUsdt: Decimal


class PriceTier(TypedDict):
    minQuantity: int
    priceUsdt: Decimal


class Product(TypedDict):
    id: int
    name: str
    description: str
    instructions: str
    type: str
    priceUsdt: Decimal
    priceTiers: List[PriceTier]
    #: A number, or "unlimited".
    availableStock: Union[int, str]
    requiresRecipient: bool
    active: bool
    sku: Optional[str]
    category: Optional[str]
    attributes: Dict[str, str]
    imageUrl: Optional[str]
    minQuantity: int
    maxQuantity: Optional[int]


class Catalog(Answer):
    products: List[Product]


class Delivery(TypedDict, total=False):
    items: List[str]
    downloadUrl: str


class _Order(Answer):
    orderId: int
    #: processing, pending_delivery, completed, failed, refunded, or one of a later version.
    status: str
    productId: int
    quantity: int
    totalPriceUsdt: Decimal
    createdAt: int


class Order(_Order, total=False):
    #: Present exactly when it is completed.
    delivery: Delivery
    #: Only in the answer of a purchase.
    balanceAfterUsdt: Decimal


class Receipt(Answer):
    receipt: str


class _WebhookConfiguration(TypedDict):
    url: str
    events: List[str]


class WebhookConfiguration(_WebhookConfiguration, total=False):
    balanceThresholdUsdt: Decimal
    #: In full, and only in the answer of ``set``.
    secret: str
    secretMasked: str


class Webhook(Answer):
    webhook: WebhookConfiguration


class _Event(TypedDict):
    #: The same in every delivery of one event: use it to recognise repeats.
    eventId: str
    type: str


class Event(_Event, total=False):
    """Which fields there are says ``type``; later versions may have other types and fields."""

    createdAt: int
    orderId: int
    productId: int
    productIds: List[int]
    balanceUsdt: Decimal
    thresholdUsdt: Decimal
    refundedUsdt: Decimal
    totalRefundedUsdt: Decimal
    amountUsdt: Decimal
    reference: str
    #: Places in the order, from 0.
    items: List[int]
