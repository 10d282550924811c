from __future__ import annotations

import email.utils
import json
import logging
import math
import random
import re
import ssl
import time
from dataclasses import dataclass, field
from typing import Any, Callable, Generator, Literal, Mapping, NamedTuple, Optional, TypeVar, Union
from urllib.parse import urlencode

from ._errors import BandamaError, ErrorKind
from ._exchange import Lost, Pause, Reply, Sending
from ._home import VERSION

# The calls as steps: what to send and how long to pause. A client carries the steps out, in a thread of its own or of its program, so that
# the rules are written once for both.

_BACKOFF = 0.25
_BACKOFF_MAX = 8.0
# The longest wait that an answer may ask for in a call without a time of its own. A longer one is told to the caller.
_RETRY_AFTER_MAX = 120.0

_log = logging.getLogger("bandama")

T = TypeVar("T")
Steps = Generator[Union[Sending, Pause], Union[Reply, Lost, None], T]


class Attempt(NamedTuple):
    """One attempt of a call, for your log. It has neither the key nor the body."""

    method: str
    path: str
    attempt: int
    """From 1."""
    status: Optional[int]
    """None: no answer."""
    code: Optional[str]
    """None: it succeeded."""
    request_id: Optional[str]
    seconds: float
    """How long it took."""
    retry_in_seconds: Optional[float]
    """The wait before the next attempt, or before the read that makes one needless. None: this was the last."""


class Meta(NamedTuple):
    """About the answer of a call."""

    request_id: Optional[str]
    idempotency_key: Optional[str]
    attempts: int
    status: int


class Result(dict):  # type: ignore[type-arg]
    """A resource, as the service wrote it."""

    __slots__ = ("meta",)
    meta: Meta


def meta_of(result: Mapping[str, Any]) -> Meta:
    """Returns the facts about the answer that brought a result. Raises TypeError for a copy of it."""
    if not isinstance(result, Result):
        raise TypeError("Only the result of a call has meta, and not a copy of it.")
    return result.meta


@dataclass(frozen=True)
class Settings:
    key: str = field(repr=False)
    url: str
    timeout: float
    retries: float
    on_attempt: Optional[Callable[[Attempt], object]] = None
    context: Optional[ssl.SSLContext] = None

    def __post_init__(self) -> None:
        if not self.timeout > 0:
            raise ValueError("timeout must be a number of seconds above 0.")
        if not self.retries >= 0:
            raise ValueError("retries must be 0 or more.")


@dataclass(frozen=True)
class Wanted:
    """A request, ready to be sent as often as it must."""

    method: Literal["GET", "POST"]
    path: str
    query: Optional[Mapping[str, Any]] = None
    body: Optional[Mapping[str, Any]] = None
    key: Optional[str] = None
    repeatable: Optional[bool] = None
    """Whether it may be sent again although no answer says what became of it. Absent: a GET, or one with a key."""
    find: Optional[Callable[[], Steps[Optional[Result]]]] = None
    """Of an act without a key: reads whether it has been done. None: it has not. Asked after a lost answer, before it is sent again or given up."""
    until: Optional[float] = None
    """The moment after which no attempt begins or lasts, of the monotonic clock."""


class _Call:
    """A call under way. An earlier attempt without an answer may still do its work, whatever a later one is told."""

    def __init__(self, settings: Settings, wanted: Wanted) -> None:
        self.settings = settings
        self.wanted = wanted
        self.attempt = 0
        self.is_open = False
        self.changes = wanted.method != "GET"

    def failure(self, message: str, kind: ErrorKind, *, code: Optional[str] = None, open: bool, **more: Any) -> BandamaError:
        name = code or kind
        return BandamaError(
            message,
            kind=kind,
            code=name,
            may_have_happened=open or self.is_open,
            attempts=self.attempt,
            doc_url=f"{self.settings.url}/docs/errors/{name}",
            idempotency_key=self.wanted.key,
            **more,
        )


def send(settings: Settings, wanted: Wanted) -> Steps[Result]:
    """Sends a request until it is answered or may not be repeated. Raises BandamaError."""
    call = _Call(settings, wanted)
    repeatable = wanted.repeatable
    if repeatable is None:
        repeatable = not call.changes or wanted.key is not None or wanted.find is not None
    address, headers, body = _request_of(settings, wanted)
    while True:
        began = time.monotonic()
        timeout = settings.timeout if wanted.until is None else min(settings.timeout, max(0.001, wanted.until - began))
        call.attempt += 1
        reply = yield Sending(wanted.method, address, headers, body, timeout, settings.key)
        ended, again = _lost(call, reply) if isinstance(reply, Lost) else _read(call, reply)
        error = ended if isinstance(ended, BandamaError) else None
        wait = None
        # A refused attempt did nothing, so it may be repeated without a key; one whose outcome is open may not.
        if error is not None and again and call.attempt <= settings.retries:
            if repeatable or not error.may_have_happened:
                wait = _wait_of(error, wanted)
        _tell(call, ended, time.monotonic() - began, wait)
        if isinstance(ended, Result):
            return ended
        call.is_open = call.is_open or ended.may_have_happened
        if wait is not None:
            yield Pause(wait)
        # The answer that was lost may have said yes, whatever a later one says.
        if call.is_open and wanted.find is not None:
            try:
                found = yield from wanted.find()
            except BandamaError:
                found = None
            if found is not None:
                return found
        if wait is None:
            raise ended


def _tell(call: _Call, ended: Union[Result, BandamaError], seconds: float, wait: Optional[float]) -> None:
    """Tells a program about an attempt. Its own fault changes nothing about the call, which may have moved money."""
    if call.settings.on_attempt is None:
        return
    facts: Any = ended.meta if isinstance(ended, Result) else ended
    code = None if isinstance(ended, Result) else ended.code
    wanted = call.wanted
    attempt = Attempt(wanted.method, wanted.path, call.attempt, facts.status, code, facts.request_id, seconds, wait)
    try:
        call.settings.on_attempt(attempt)
    except Exception:
        _log.exception("on_attempt failed")


def _wait_of(error: BandamaError, wanted: Wanted) -> Optional[float]:
    """Seconds until the next attempt, never 0. None: the service asks for more time than a call may take, or than is left."""
    # Beyond the fifth, each pause is the longest one.
    backoff = min(_BACKOFF_MAX, _BACKOFF * 2 ** min(error.attempts - 1, 10)) * random.uniform(0.5, 1)
    wait = max(error.retry_after or 0, backoff)
    too_long = wait > _RETRY_AFTER_MAX if wanted.until is None else time.monotonic() + wait >= wanted.until
    return None if too_long else wait


def _request_of(settings: Settings, wanted: Wanted) -> tuple[str, dict[str, str], Optional[bytes]]:
    """The address and the bytes, the same in each attempt. Without the key of the client, which no traceback may show."""
    fields = {name: _query_text(value) for name, value in (wanted.query or {}).items() if value is not None}
    headers = {
        "Accept": "application/json",
        "User-Agent": f"bandama-python/{VERSION}",
        "Connection": "close",
    }
    body = None
    if wanted.body is not None:
        headers["Content-Type"] = "application/json"
        body = json.dumps(wanted.body, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    if wanted.key is not None:
        headers["Idempotency-Key"] = wanted.key
    address = settings.url + wanted.path + ("?" + urlencode(fields) if fields else "")
    return address, headers, body


def _query_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _lost(call: _Call, lost: Lost) -> tuple[BandamaError, bool]:
    then = ", then call again with the same key, or read the resource" if call.changes else ""
    message = f"No answer from {call.settings.url}: {lost.why}. Check the address and the network{then}."
    error = call.failure(message, "no_answer", open=call.changes)
    error.__cause__ = lost.cause
    return error, True


def _read(call: _Call, reply: Optional[Reply]) -> tuple[Union[Result, BandamaError], bool]:
    """Reads an answer. Returns the result, or a failure and whether another attempt may follow."""
    assert reply is not None
    status = reply.status
    is_ok = 200 <= status < 300
    request_id = _request_id_of(reply)
    answer = _parse(reply.text)
    if is_ok and isinstance(answer.get("object"), str):
        result = Result(answer)
        result.meta = Meta(request_id, call.wanted.key, call.attempt, status)
        return result, False
    told = answer.get("error")
    code = told.get("code") if isinstance(told, dict) else None
    if status < 400 or not isinstance(code, str):
        moved = 300 <= status < 400
        location = reply.header("location")
        what = "a redirect" + (f" to {location}" if location else "") if moved else "something that is not its JSON"
        # An interim answer that stayed the last says nothing about what follows it, no more than a success without its JSON.
        again = status < 300 or status > 499
        do = "set url to the final address" if moved else "check url, and any proxy or firewall in front of it"
        error = call.failure(
            f"{call.settings.url} answered {status} with {what}: {do}.",
            "unreadable",
            open=call.changes and again,
            **{"status": status, "request_id": request_id, "raw": reply.text[:500]},
        )
        return error, again
    kind = _kind_of(status, code)
    error = call.failure(
        str(told.get("message")),
        kind,
        code=code,
        open=call.changes and kind in ("unavailable", "in_progress"),
        **{"status": status, "request_id": request_id, "raw": answer},
        retry_after=_seconds_in(reply.header("retry-after")),
    )
    return error, kind != "refused" and code != "too_many_attempts"


def _kind_of(status: int, code: str) -> ErrorKind:
    if status == 429:
        return "rate_limited"
    if code == "idempotency_in_progress":
        return "in_progress"
    return "unavailable" if status > 499 else "refused"


def _parse(text: str) -> dict[str, Any]:
    """Reads whatever answered. Something else than a JSON object is empty."""
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return answer if isinstance(answer, dict) else {}


def _request_id_of(reply: Reply) -> Optional[str]:
    """The id of the request, whatever prefix the brand gives its headers. Proxies name theirs `X-Request-Id`."""
    for name, value in reply.headers:
        if re.fullmatch(r"(?!x-).*-request-id", name, re.IGNORECASE):
            return value
    return None


def _seconds_in(text: Optional[str]) -> Optional[float]:
    """Reads `Retry-After`: seconds, or a moment."""
    if text is None:
        return None
    if re.fullmatch(r"[0-9]{1,9}", text):
        return float(text)
    try:
        at = email.utils.parsedate_to_datetime(text).timestamp()
    except (TypeError, ValueError, OverflowError):
        return None
    return max(0.0, math.ceil(at - time.time()))
