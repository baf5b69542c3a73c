"""JSON whose money is Decimal: no amount ever passes through a float, neither in nor out."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any, Dict, List, Tuple


def read_json(text: str) -> Any:
    """Raises ValueError. Every ``…Usdt`` is a Decimal, also a whole one."""
    return json.loads(text, parse_float=Decimal, object_pairs_hook=_with_money)


def _with_money(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    return {
        name: Decimal(value) if name.endswith("Usdt") and type(value) is int else value for name, value in pairs
    }


def write_json(value: Any) -> str:
    """Raises TypeError for a float."""
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, float):
        raise TypeError("an amount is a Decimal, an int or a text, never a float")
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(name)}:{write_json(inner)}" for name, inner in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(write_json, value)) + "]"
    return json.dumps(value)


def amount(value: Any, name: str) -> Decimal:
    """A Decimal of what a program gives as money."""
    if isinstance(value, (Decimal, int, str)) and not isinstance(value, bool):
        try:
            decimal = Decimal(value)
        except ArithmeticError:
            raise ValueError(f"{name} is no amount: {value!r}") from None
        if decimal.is_finite():
            return decimal
    raise ValueError(f"{name} must be a Decimal, an int or a text such as '9.50', never a float")
