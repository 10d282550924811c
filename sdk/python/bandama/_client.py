from __future__ import annotations

import re
import ssl
from typing import Callable, Optional
from urllib.parse import urlsplit

from . import _home
from ._async_resources import AsyncResources
from ._resources import Resources
from ._send import Attempt, Settings


class Bandama(Resources):
    """A client of an instance. Threads may share it. Its key decides the mode.

    `url`: the address of the instance, absent: the one that this package came from. `timeout`: seconds that one attempt may take, and before it
    that each address of the host has to accept the connection. `retries`: attempts after the first, where a repetition is safe. `on_attempt` gets
    each attempt, for your log. `context`: for a certificate of your own.
    Raises ValueError when the key or the address cannot be used.
    """

    def __init__(
        self,
        key: str,
        *,
        url: Optional[str] = None,
        timeout: float = 30.0,
        retries: int = 4,
        on_attempt: Optional[Callable[[Attempt], object]] = None,
        context: Optional[ssl.SSLContext] = None,
    ) -> None:
        self._use(_settings_of(key, url, timeout, retries, on_attempt, context))


class AsyncBandama(AsyncResources):
    """The client for asyncio: the same calls, to await, and lists to iterate over with `async for`.

    A task that is cancelled ends its call. A call that moves money may have happened then: call again with the same key.
    """

    def __init__(
        self,
        key: str,
        *,
        url: Optional[str] = None,
        timeout: float = 30.0,
        retries: int = 4,
        on_attempt: Optional[Callable[[Attempt], object]] = None,
        context: Optional[ssl.SSLContext] = None,
    ) -> None:
        self._use(_settings_of(key, url, timeout, retries, on_attempt, context))


def _settings_of(
    key: str,
    url: Optional[str],
    timeout: float,
    retries: int,
    on_attempt: Optional[Callable[[Attempt], object]],
    context: Optional[ssl.SSLContext],
) -> Settings:
    """Raises ValueError when the key or the address cannot be used."""
    if not isinstance(key, str) or not re.fullmatch(r"[a-z]{2,8}_sk_(test|live)_[A-Za-z0-9_]+", key):
        raise ValueError("key must be a secret key, …_sk_test_… or …_sk_live_…, as the console showed it once.")
    address = (_home.URL if url is None else url).rstrip("/")
    if not re.fullmatch(r"https?://[^/?#\s]+(/[!-~]*)?", address) or not _has_host(address):
        raise ValueError("url must be the address of your instance, such as https://pay.example.ci.")
    if context is None and address.startswith("https:"):
        # Once, because it reads every certificate authority of the machine.
        context = ssl.create_default_context()
    return Settings(key, address, timeout, retries, on_attempt, context)


def _has_host(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return bool(parts.hostname) and parts.port != 0 and not (parts.query or parts.fragment)
    except ValueError:
        return False
