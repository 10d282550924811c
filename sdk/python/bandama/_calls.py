from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Callable, Generator, Mapping, NamedTuple, Optional, Sequence, Union
from urllib.parse import quote

from ._errors import BandamaError
from ._exchange import Lost, Pause, Reply, Sending
from ._outcome import is_settled
from ._send import Result, Settings, Steps, Wanted, send

if TYPE_CHECKING:
    from .types import WebhookEvent

# Seconds for which the feed may hold a call, and seconds on top before it counts as silent.
_FEED_WAIT = 25
_FEED_SLACK = 15

_POLL = 0.5
_POLL_MAX = 5.0
# The time that `wait` leaves for its last read.
_LAST_READ = 0.25


class Followed(NamedTuple):
    """An event of the feed. Keep `cursor` when you have handled it."""

    event: WebhookEvent
    cursor: str


@dataclass(frozen=True)
class Item:
    """One of many results, among the steps to the others."""

    value: Any


Many = Generator[Union[Sending, Pause, Item], Union[Reply, Lost, None], None]
Calling = Callable[[Settings], Steps[Result]]
Listing = Callable[[Settings], Many]


def at(path: str, id: str) -> str:
    # An empty id would read the list in place of the resource.
    if not isinstance(id, str) or id == "":
        raise ValueError("The id is empty: pass the id of the resource, as its creation returned it.")
    return f"{path}/{quote(id, safe='')}"


def get(path: str, query: Optional[Mapping[str, Any]] = None) -> Calling:
    return lambda settings: send(settings, Wanted("GET", path, query))


def post(
    path: str, body: Optional[Mapping[str, Any]] = None, key: Optional[str] = None, repeatable: Optional[bool] = None
) -> Calling:
    return lambda settings: send(settings, Wanted("POST", path, None, body, key, repeatable))


def act(path: str, name: str, is_done: Callable[[Result], bool]) -> Calling:
    """Sends an act that has no key. After a lost answer it reads before it sends again or gives up: only a state of `is_done` is a success."""

    def call(settings: Settings) -> Steps[Result]:
        def find() -> Steps[Optional[Result]]:
            read = yield from send(settings, Wanted("GET", _readable(path)))
            return read if is_done(read) else None

        return send(settings, Wanted("POST", f"{path}/{name}", find=find))

    return call


def _readable(path: str) -> str:
    """The address at which a resource of `/x/` is read."""
    return path.replace("/x/", "/v1-", 1) if path.startswith(("/x/payments", "/x/payouts")) else path


def is_cancelled(read: Result) -> bool:
    return read["status"] == "failed" and read.get("failure_code") == "cancelled"


def wait(path: str, timeout: float) -> Calling:
    """Reads until the money has moved or will not, or until the time is up: then the resource is as it was last."""
    if not timeout > 0:
        raise ValueError("timeout must be a number of seconds above 0.")

    def call(settings: Settings) -> Steps[Result]:
        until = time.monotonic() + timeout
        # However often: only the time ends it.
        patient = replace(settings, retries=float("inf"))
        last: Optional[Result] = None
        pause = _POLL
        while True:
            try:
                last = yield from send(patient, Wanted("GET", path, until=until))
            except BandamaError as error:
                if last is None or not _is_passing(error):
                    raise
                return last
            left = until - _LAST_READ - time.monotonic()
            if is_settled(last) or left <= 0:
                return last
            yield Pause(min(pause, left))
            pause = min(_POLL_MAX, pause * 1.5)

    return call


def _is_passing(error: BandamaError) -> bool:
    """Whether a failure that a repetition could have ended was the last because the time was up."""
    return error.status is None or error.status < 300 or error.status == 429 or error.status > 499


def items(path: str, query: Optional[Mapping[str, Any]] = None) -> Listing:
    """Reads page after page, each from the last id of the one before."""

    def call(settings: Settings) -> Many:
        after: dict[str, str] = {}
        while True:
            page = yield from send(settings, Wanted("GET", path, {**(query or {}), **after}))
            for item in page["data"]:
                yield Item(item)
            if not page["has_more"] or not page["data"]:
                return
            after = {"starting_after": page["data"][-1]["id"]}

    return call


def movements(query: Mapping[str, Any]) -> Listing:
    def call(settings: Settings) -> Many:
        offset = 0
        while True:
            page = yield from send(settings, Wanted("GET", "/v1-statements", {**query, "limit": 500, "offset": offset}))
            for item in page["data"]:
                yield Item(item)
            offset += len(page["data"])
            if not page["has_more"] or not page["data"]:
                return

    return call


def follow(after: str, types: Optional[Sequence[str]]) -> Listing:
    # A text would be taken letter by letter, and no event would ever match.
    if isinstance(types, str):
        raise TypeError("types must be a list of kinds of events.")

    def call(settings: Settings) -> Many:
        patient = replace(settings, timeout=_FEED_WAIT + _FEED_SLACK, retries=float("inf"))
        place = after
        while True:
            # No wait for `now`: a long call that breaks would make it a later moment, and lose what came between.
            seconds = 0 if place == "now" else _FEED_WAIT
            query = {"after": place, "wait": seconds, "limit": 100}
            if types is not None and len(types) == 1:
                query["type"] = types[0]
            began = time.monotonic()
            page = yield from send(patient, Wanted("GET", "/x/events", query))
            for entry in page["data"]:
                cursor = entry.pop("cursor")
                if types is None or entry["type"] in types:
                    yield Item(Followed(entry, cursor))
            # A service that ends waits at once, because too many wait, is not asked at once again.
            quick = time.monotonic() - began < _POLL
            if seconds > 0 and quick and not page["data"] and not page["has_more"]:
                yield Pause(_POLL)
            place = page["next"]

    return call
