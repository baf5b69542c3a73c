"""Clock, waits and random numbers of the client; tests replace them."""

from __future__ import annotations

import random
import time

_FIRST_BACKOFF = 1.0
_LONGEST_BACKOFF = 60.0
#: On top, so that programs which failed together don't come back together.
_JITTER_SHARE = 0.25


class Timing:
    def now(self) -> float:
        """Unix seconds."""
        return time.time()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    def random(self) -> float:
        return random.random()


def retry_delay(attempt: int, retry_after_seconds: int, chance: float) -> float:
    """Seconds after the failed attempt number ``attempt``: 1, 2, 4 …, a quarter more at most, never too early."""
    backoff = min(_FIRST_BACKOFF * 2 ** (attempt - 1), _LONGEST_BACKOFF)
    return max(backoff, retry_after_seconds) + backoff * _JITTER_SHARE * chance
