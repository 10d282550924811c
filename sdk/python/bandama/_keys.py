from __future__ import annotations

import base64
import hashlib
import re
import uuid
from typing import Optional

_KEY = re.compile(r"[ -~]{8,255}")
_DERIVED_MAX = 250


def checked(key: str) -> str:
    """Returns a key that the service takes. Another would fail in each attempt, and look as if no answer came."""
    if isinstance(key, str) and _KEY.fullmatch(key):
        return key
    raise ValueError(
        "idempotency_key must be 8 to 255 letters, digits and signs of ASCII, stored with your order before this call,"
        " so that a program that crashed can call again without paying twice: leave accents out."
    )


def or_new(key: Optional[str]) -> str:
    """Returns the caller's key, or a new one, which protects this call alone."""
    return str(uuid.uuid4()) if key is None else checked(key)


def of_payment(key: Optional[str], reference: Optional[str]) -> str:
    """Returns the caller's key, or one that follows from the reference, or else a new one."""
    if key is not None or not reference:
        return or_new(key)
    derived = "ref:" + _base64url(reference.encode())
    if len(derived) <= _DERIVED_MAX:
        return derived
    return "ref:" + _base64url(hashlib.sha256(reference.encode()).digest())


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
