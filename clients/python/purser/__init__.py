"""The buyer's side of the Purser API. Servers only: the API key spends the wallet."""

from .client import PurserClient
from .download import Download
from .errors import PurserError
from .events import EventStream, FilePlace, Place
from .purchase import Purchase
from .purchase_store import FilePurchaseStore, PurchaseStore, StoredPurchase
from .types import Balance, Catalog, Delivery, Event, Health, Order, PriceTier, Product, Receipt, Webhook
from .webhook_signature import WebhookVerificationError, verify_webhook

__all__ = [
    "Balance",
    "Catalog",
    "Delivery",
    "Download",
    "Event",
    "EventStream",
    "FilePlace",
    "FilePurchaseStore",
    "Health",
    "Order",
    "Place",
    "PriceTier",
    "Product",
    "Purchase",
    "PurchaseStore",
    "PurserClient",
    "PurserError",
    "Receipt",
    "StoredPurchase",
    "Webhook",
    "WebhookVerificationError",
    "verify_webhook",
]
