"""Collect, pay out and receive webhooks, from Python 3.9 on, without a dependency.

The promises are those of sdk/typescript/README.md, under the same names in snake case: `Bandama`, and `AsyncBandama` whose calls are awaited.

- `timeout` is in seconds and bounds a whole attempt, which has a connection of its own. `with_options(timeout=…, retries=…)` gives a client
  for some of your calls. `meta_of(result)` has the id of the request.
- Payouts, batches and settlements require an `idempotency_key` that you stored with your order.
- `bandama.webhooks` verifies the bytes as they came. `bandama.testing` signs events for tests of your handler.
- A task that is cancelled ends its call, which may have happened: call again with the same key.
"""

from ._calls import Followed
from ._client import AsyncBandama, Bandama
from ._errors import BandamaError, ErrorKind
from ._home import VERSION as __version__
from ._outcome import Outcome, outcome_of
from ._send import Attempt, Meta, meta_of

__all__ = [
    "AsyncBandama",
    "Attempt",
    "Bandama",
    "BandamaError",
    "ErrorKind",
    "Followed",
    "Meta",
    "Outcome",
    "__version__",
    "meta_of",
    "outcome_of",
]
