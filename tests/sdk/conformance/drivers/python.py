"""The driver of the Python SDK. Its protocol is in ../driver.ts. Lines of an even id go to the client for asyncio."""

import asyncio
import itertools
import json
import os
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[4] / "sdk/python"))

from bandama import AsyncBandama, Bandama, BandamaError, meta_of, outcome_of  # noqa: E402
from bandama.webhooks import SignatureError, verify  # noqa: E402


def begin(kind, line):
    """Begins a call, and returns a result, a list or something to await."""
    settings, call = line["client"], dict(line.get("call", {}))
    options = {"timeout": settings.get("timeout_ms", 30_000) / 1_000, "retries": settings.get("retries", 4)}
    client = kind(settings["key"], url=settings["url"], **options)
    resource, _, method = line["op"].partition(".")
    if "timeout_ms" in call and method == "wait":
        call["timeout"] = call.pop("timeout_ms") / 1_000
    if "timeout_ms" in call or "retries" in call:
        timeout = call.pop("timeout_ms", 1_000 * options["timeout"]) / 1_000
        client = client.with_options(timeout=timeout, retries=call.pop("retries", options["retries"]))
    act = getattr(getattr(client, resource), method) if method else getattr(client, resource)
    args = line.get("args", [])
    return act(**args[0]) if line["op"] == "events.follow" else act(*args, **call)


def shown(item):
    return item._asdict() if hasattr(item, "_asdict") else item


def told(error):
    if isinstance(error, SignatureError):
        return {"kind": "signature", "reason": error.reason, "message": str(error)}
    if isinstance(error, (TypeError, ValueError)):
        return {"kind": "usage", "message": str(error)}
    return {"message": str(error), **{name: value for name, value in vars(error).items() if name != "raw"}}


def carry_out(line):
    args, items = line.get("args", []), []
    try:
        if line["op"] == "outcome_of":
            return {"ok": outcome_of(*args)}
        if line["op"] == "webhooks.verify":
            body, headers, secret, *rest = args
            return {"ok": verify(body, headers, secret, **({"tolerance": rest[0]} if rest else {}))}
        result = begin(Bandama, line)
        if isinstance(result, dict):
            return {"ok": result, "meta": meta_of(result)._asdict()}
        items.extend(shown(item) for item in itertools.islice(result, line.get("take")))
    except (BandamaError, SignatureError, TypeError, ValueError) as error:
        return {"error": told(error), "items": items}
    return {"ok": items}


async def carry_out_async(line):
    items = []
    try:
        result = begin(AsyncBandama, line)
        if hasattr(result, "__await__"):
            result = await result
            return {"ok": result, "meta": meta_of(result)._asdict()}
        async for item in result:
            items.append(shown(item))
            if len(items) == line.get("take"):
                break
    except (BandamaError, TypeError, ValueError) as error:
        return {"error": told(error), "items": items}
    return {"ok": items}


async def work(threads, text):
    line = json.loads(text)
    loop = asyncio.get_running_loop()
    use_threads = line["id"] % 2 == 1 or "client" not in line
    try:
        answer = await (loop.run_in_executor(threads, carry_out, line) if use_threads else carry_out_async(line))
        print(json.dumps({"id": line["id"], **answer}), flush=True)
    except Exception:
        traceback.print_exc()
        os._exit(1)


async def main():
    loop, tasks = asyncio.get_running_loop(), []
    with ThreadPoolExecutor(32) as threads, ThreadPoolExecutor(1) as reader:
        while text := await loop.run_in_executor(reader, sys.stdin.readline):
            tasks.append(asyncio.create_task(work(threads, text)))
        await asyncio.gather(*tasks)


asyncio.run(main())
