"""Webhooks: the proof that an event comes from the service."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import time
from typing import TYPE_CHECKING, Any, Literal, Mapping, Optional, Sequence, Union, cast

if TYPE_CHECKING:
    from .types import WebhookEvent

# The reasons for which an event is not taken.
SignatureReason = Literal["no_signature", "wrong_signature", "wrong_time", "body_parsed"]

Secret = Union[str, Sequence[str]]

# Seconds that a signature may be old, or new.
TOLERANCE = 300.0

# The most bytes of a body. The service sends at most 64 kB.
_BODY_MAX = 1_000_000

_HEADER = re.compile(r".*[-_]signature([-_]previous)?", re.IGNORECASE)
_SIGNATURE = re.compile(r"t=([0-9]{1,12}),v1=([0-9a-f]{64})")


class SignatureError(Exception):
    """A request that is not proven to come from the service. The message says what to do."""

    reason: SignatureReason

    def __init__(self, reason: SignatureReason, message: str) -> None:
        super().__init__(reason, message)
        self.reason = reason
        self.message = message

    def __str__(self) -> str:
        return self.message


def verify(
    body: Union[bytes, bytearray, memoryview, str],
    headers: Mapping[str, Any],
    secret: Secret,
    *,
    tolerance: float = TOLERANCE,
) -> WebhookEvent:
    """Verifies a webhook on the bytes as they came, and returns its event.

    `secret`: of the endpoint, `whsec_…`; several while you replace it. `tolerance`: seconds that a signature may be old.
    Raises SignatureError when it is not proven, and ValueError when a secret is empty.
    """
    secrets = _secrets_in(secret)
    signatures = _signatures_in(headers)
    data = _bytes_of(body)
    if len(data) > _BODY_MAX:
        raise SignatureError("wrong_signature", "The body has more than a megabyte: it is not from the service.")
    offset: Optional[int] = None
    for at, code in signatures:
        for one in secrets:
            if not hmac.compare_digest(_code(data, one, at), code):
                continue
            offset = round(time.time() - int(at))
            if abs(offset) <= tolerance:
                return cast("WebhookEvent", json.loads(data))
    if offset is None:
        raise SignatureError(
            "wrong_signature",
            "The signature does not match: check that the secret is that of this endpoint and mode, and that the body is the bytes as they came.",
        )
    side = "behind" if offset > 0 else "ahead of"
    raise SignatureError(
        "wrong_time",
        f"The signature is right, but its time is {abs(offset)} s {side} this machine's clock: set the clock, or refuse it as a replay.",
    )


def sign(body: str, secret: str, at: Optional[int] = None) -> str:
    """Signs a body as the service does. For tests. `at`: seconds since 1970."""
    moment = str(int(time.time()) if at is None else at)
    return f"t={moment},v1={_code(body.encode(), secret, moment)}"


def _secrets_in(secret: Secret) -> Sequence[str]:
    """Returns the secrets. Raises ValueError when there is none, or one is empty, because everybody could sign with it."""
    secrets = [secret] if isinstance(secret, str) else list(secret or [])
    if secrets and all(isinstance(one, str) and one for one in secrets):
        return secrets
    raise ValueError("The signing secret is empty: set the whsec_… that the console showed with your endpoint.")


def _code(body: bytes, secret: str, at: str) -> str:
    return hmac.new(secret.encode(), at.encode() + b"." + body, hashlib.sha256).hexdigest()


def _signatures_in(headers: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Reads every signature, whatever prefix the brand gives its headers. While a secret is replaced there are two."""
    found = []
    for name, values in headers.items():
        if not _HEADER.fullmatch(str(name)):
            continue
        for value in values if isinstance(values, (list, tuple)) else [values]:
            match = _SIGNATURE.fullmatch(str(value))
            if match:
                found.append((match[1], match[2]))
    if found:
        return found
    raise SignatureError(
        "no_signature",
        "No header of this request ends in -Signature: it is not from the service, or a proxy dropped the header; pass the headers on.",
    )


def _bytes_of(body: Any) -> bytes:
    if isinstance(body, str):
        return body.encode()
    if isinstance(body, (bytes, bytearray, memoryview)):
        return bytes(body)
    raise SignatureError(
        "body_parsed",
        "The body was parsed before, and its bytes are gone: verify before any JSON parser; pass request.body in Django,"
        " request.get_data() in Flask, await request.body() in FastAPI.",
    )
