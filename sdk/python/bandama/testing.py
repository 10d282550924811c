"""For tests of your handler and of your program in test mode."""

from __future__ import annotations

import json
from typing import Any, Mapping, NamedTuple, Optional

from .webhooks import sign


class _Numbers(NamedTuple):
    paid: str
    insufficient_funds: str
    declined: str
    expired: str


numbers = _Numbers("0700000000", "0700000001", "0700000002", "0700000003")
"""Payers' numbers of test mode, by what becomes of their payments."""


class Signed(NamedTuple):
    body: bytes
    headers: dict[str, str]


def signed(event: Mapping[str, Any], secret: str, *, at: Optional[int] = None) -> Signed:
    """Returns the body and headers of a webhook as the service would send it. `at`: seconds since 1970."""
    body = json.dumps(event)
    headers = {
        "Content-Type": "application/json",
        "Service-Event-Id": str(event.get("id")),
        "Service-Signature": sign(body, secret, at),
    }
    return Signed(body.encode(), headers)
