"""The client for Python as a driver of the table of cases: reads commands, a line of JSON each, and writes replies."""

import base64
import hashlib
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[4] / "clients" / "python"))

from purser import (  # noqa: E402
    FilePlace,
    FilePurchaseStore,
    PurserClient,
    PurserError,
    WebhookVerificationError,
    verify_webhook,
)
from purser.timing import Timing  # noqa: E402

THE_FILE = hashlib.sha256(bytes(index % 251 for index in range(200_000))).hexdigest()


class FakeTiming(Timing):
    def __init__(self):
        self.delays_ms = []
        self._now = 1_700_000_000.0

    def now(self):
        return self._now

    def sleep(self, seconds):
        self.delays_ms.append(round(seconds * 1_000))
        self._now += seconds

    def random(self):
        return 0.0


class Driver:
    def __init__(self):
        self.timing = FakeTiming()
        self.client = self.purchase = self.place = None

    def run(self, command):
        self.timing.delays_ms = []
        try:
            reply = {"value": getattr(self, "do_" + command["do"], self.do_call)(command)}
        except PurserError as error:
            reply = {
                "error": {
                    "code": error.code,
                    "message": str(error),
                    "status": error.status,
                    "requestId": error.request_id,
                    "retryAfterSeconds": error.retry_after_seconds,
                    "currentPriceUsdt": error.current_price_usdt,
                    "idempotencyKey": error.idempotency_key,
                    "isCharged": error.is_charged,
                    "attempts": error.attempts,
                }
            }
        except WebhookVerificationError as error:
            reply = {"refused": error.reason}
        except (TypeError, ValueError):
            reply = {"invalid": True}
        return {**reply, "delaysMs": self.timing.delays_ms}

    def do_client(self, command):
        self.timing = FakeTiming()
        self.place = FilePlace(command["place"]) if "place" in command else None
        self.client = PurserClient(
            command["baseUrls"],
            command["apiKey"],
            store=FilePurchaseStore(command["store"]) if "store" in command else None,
            timeout=command["timeoutMs"] / 1_000,
            purchase_timeout=command["timeoutMs"] / 1_000,
            max_attempts=command["maxAttempts"],
            timing=self.timing,
        )

    def do_purchase(self, command):
        request = command["request"]
        self.purchase = self.client.purchase(
            request["productId"],
            request["expectedPriceUsdt"],
            request.get("quantity", 1),
            recipient=request.get("recipient", {}).get("username"),
            idempotency_key=command.get("idempotencyKey"),
        )
        return self.purchase.idempotency_key

    def do_send(self, command):
        return self.purchase.send()

    def do_done(self, command):
        self.purchase.done()

    def do_unfinished(self, command):
        return len(self.client.unfinished())

    def do_resume(self, command):
        purchases = self.client.unfinished()
        self.purchase = purchases[0] if purchases else self.purchase
        return len(purchases)

    def do_download(self, command):
        download = self.client.download(command["orderId"])
        content = b"".join(download)
        return {
            "contentType": download.content_type,
            "contentLengthBytes": download.content_length_bytes,
            "bytes": len(content),
            "isTheFile": hashlib.sha256(content).hexdigest() == THE_FILE,
        }

    def do_events(self, command):
        names = {"after": "after", "types": "types", "limit": "limit", "wait": "wait_seconds"}
        options = {names[name]: value for name, value in command.items() if name in names}
        taken = []
        for event in self.client.events(self.place, **options):
            taken.append(event)
            if len(taken) == command["take"]:
                break
        return taken

    def do_forgetPlace(self, command):
        self.place.save(None)

    def do_verify(self, command):
        tolerance = {"tolerance_ms": command["toleranceMs"]} if "toleranceMs" in command else {}
        body = base64.b64decode(command["body"])
        return verify_webhook(
            command["headers"], body, command["secrets"], now_ms=command["nowMs"], **tolerance
        )

    def do_call(self, command):
        name, args = command["name"], command.get("args", [])
        if name == "waitForOrder":
            return self.client.wait_for_order(args[0], **({"max_wait": args[1] / 1_000} if args[1:] else {}))
        target = self.client.webhook if name.startswith("webhook.") else self.client
        return getattr(target, name.split(".")[-1])(*args)


if __name__ == "__main__":
    driver = Driver()
    for line in sys.stdin:
        print(json.dumps(driver.run(json.loads(line)), default=str), flush=True)
