from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, AsyncIterator, Iterator, Optional, Union

from ._calls import Calling, Item, Listing, Many
from ._exchange import Exchange, Lost, Pause, Reply, Sending
from ._send import Settings, Steps

# The most calls of one client that are under way at once. Further ones wait.
_AT_ONCE = 64


class Runner:
    """Carries out the steps of calls, in the thread of its caller."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def one(self, call: Calling) -> Any:
        steps = call(self._settings)
        reply: Union[Reply, Lost, None] = None
        while True:
            try:
                step = steps.send(reply)
            except StopIteration as end:
                return end.value
            reply = self._perform(step)

    def many(self, call: Listing) -> Iterator[Any]:
        return self._iterate(call(self._settings))

    def _iterate(self, steps: Many) -> Iterator[Any]:
        reply: Union[Reply, Lost, None] = None
        while True:
            try:
                step = steps.send(reply)
            except StopIteration:
                return
            reply = None
            if isinstance(step, Item):
                yield step.value
            else:
                reply = self._perform(step)

    def _perform(self, step: Union[Sending, Pause]) -> Union[Reply, Lost, None]:
        if isinstance(step, Sending):
            return Exchange(step, self._settings.context).run()
        time.sleep(step.seconds)
        return None


class AsyncRunner:
    """Carries out the steps of calls in a program of asyncio. Each exchange has a thread of its own, and ends with its task."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        # Made at the first call: threads do not outlive a fork.
        self._threads: Optional[ThreadPoolExecutor] = None

    async def one(self, call: Calling) -> Any:
        steps: Steps[Any] = call(self._settings)
        reply: Union[Reply, Lost, None] = None
        while True:
            try:
                step = steps.send(reply)
            except StopIteration as end:
                return end.value
            reply = await self._perform(step)

    def many(self, call: Listing) -> AsyncIterator[Any]:
        return self._iterate(call(self._settings))

    async def _iterate(self, steps: Many) -> AsyncIterator[Any]:
        reply: Union[Reply, Lost, None] = None
        while True:
            try:
                step = steps.send(reply)
            except StopIteration:
                return
            reply = None
            if isinstance(step, Item):
                yield step.value
            else:
                reply = await self._perform(step)

    async def _perform(self, step: Union[Sending, Pause]) -> Union[Reply, Lost, None]:
        if isinstance(step, Pause):
            await asyncio.sleep(step.seconds)
            return None
        if self._threads is None:
            self._threads = ThreadPoolExecutor(_AT_ONCE, "bandama")
        exchange = Exchange(step, self._settings.context)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, exchange.run)
        except asyncio.CancelledError:
            exchange.end()
            raise
