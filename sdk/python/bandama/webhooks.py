"""Webhooks: the proof that an event comes from the service."""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import re
import time
from typing import TYPE_CHECKING, Any, Callable, Literal, Mapping, NamedTuple, Optional, Sequence, Union, cast

if TYPE_CHECKING:
    from .types import WebhookEvent

# The reasons for which an event is not taken.
SignatureReason = Literal["no_signature", "wrong_signature", "wrong_time", "body_parsed"]

Secret = Union[str, Sequence[str]]

# Seconds that a signature may be old, or new.
TOLERANCE = 300.0

# The most bytes of a body that a handler reads. The service sends at most 64 kB.
BODY_MAX = 1_000_000

_HEADER = re.compile(r".*[-_]signature([-_]previous)?", re.IGNORECASE)
_SIGNATURE = re.compile(r"t=([0-9]{1,12}),v1=([0-9a-f]{64})")

_log = logging.getLogger("bandama")


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
    secrets = secrets_in(secret)
    signatures = _signatures_in(headers)
    data = _bytes_of(body)
    if len(data) > BODY_MAX:
        raise too_long()
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


def secrets_in(secret: Secret) -> Sequence[str]:
    """Returns the secrets. Raises ValueError when there is none, or one is empty, because everybody could sign with it."""
    secrets = [secret] if isinstance(secret, str) else list(secret or [])
    if secrets and all(isinstance(one, str) and one for one in secrets):
        return secrets
    raise ValueError("The signing secret is empty: set the whsec_… that the console showed with your endpoint.")


def too_long() -> SignatureError:
    return SignatureError("wrong_signature", "The body has more than a megabyte: it is not from the service.")


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


class Received(NamedTuple):
    """An answer to the service: 204, 400 with the reason, or 500."""

    status: int
    text: str


class Receiver:
    """The common part of the handlers. Made with an empty secret it fails at once, and not at the first event."""

    def __init__(self, secret: Secret, tolerance: float, on_error: Optional[Callable[[Exception], object]]) -> None:
        self._secrets = secrets_in(secret)
        self._tolerance = tolerance
        self._on_error = on_error

    def look(self, headers: Mapping[str, Any], length: Union[str, int, None]) -> Optional[Received]:
        """Refuses a request before its body is read: one without a signature, or too long."""
        try:
            _signatures_in(headers)
            if length is not None and str(length).isdecimal() and int(length) > BODY_MAX:
                raise too_long()
        except SignatureError as error:
            return Received(400, str(error))
        return None

    def open(self, body: bytes, headers: Mapping[str, Any]) -> Union[WebhookEvent, Received]:
        try:
            return verify(body, headers, self._secrets, tolerance=self._tolerance)
        except SignatureError as error:
            # The service keeps the sentence with the attempt, where the console shows it.
            return Received(400, str(error))

    def failed(self, error: Exception) -> Received:
        """Tells the program what its function raised. A fault of the listener does not cost the service its answer."""
        try:
            if self._on_error is None:
                _log.error("a webhook handler failed", exc_info=error)
            else:
                self._on_error(error)
        except Exception:
            _log.exception("on_error failed")
        return Received(500, "")
