"""The base addresses of one shop, and which of them is asked first: the one that answered last, or the leader.

A node's word about its leader chooses among the addresses that the program gave, and adds none: the API key goes
nowhere else.
"""

from __future__ import annotations

from typing import List, Optional, Set
from urllib.parse import urlsplit


class Addresses:
    def __init__(self, addresses: List[str]) -> None:
        self._all = list(dict.fromkeys(addresses))
        self.first = self._all[0]

    def answered(self, address: str) -> None:
        self.first = address

    def after(self, address: str, leader_url: Optional[str], asked: Set[str]) -> Optional[str]:
        """Whom to ask next of those not asked yet: the leader, or the next in order; None when all were."""
        at = self._all.index(address)
        others = self._all[at + 1 :] + self._all[:at]
        leader = next((other for other in others if leader_url and _origin(other) == _origin(leader_url)), None)
        if self.first == address:
            self.first = leader or next(iter(others), address)
        candidates = [leader] + others if leader else others
        return next((candidate for candidate in candidates if candidate not in asked), None)


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower()
