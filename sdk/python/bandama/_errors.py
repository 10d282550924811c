from __future__ import annotations

from typing import Any, Literal, Optional

# Why a call has no result:
# - refused: the service said no; nothing happened. `code` says why.
# - rate_limited: too many calls, or too many attempts of one payer; nothing happened.
# - in_progress: the same request is still under way.
# - unavailable: the service failed, in each attempt.
# - no_answer: no answer came, or it broke off.
# - unreadable: something else answered in the service's place, such as a firewall.
ErrorKind = Literal["refused", "rate_limited", "in_progress", "unavailable", "no_answer", "unreadable"]


class BandamaError(Exception):
    """A call without a result. `may_have_happened` says whether to look before you do it anew."""

    kind: ErrorKind
    code: str
    """The service's own code, such as `invalid_amount`, or the kind when no code came."""
    status: Optional[int]
    """The HTTP status of the last answer. None: none came."""
    request_id: Optional[str]
    """Names the last attempt in the request log."""
    idempotency_key: Optional[str]
    """The key of the call: send it again with the same body to get the same operation."""
    attempts: int
    """How often the request was sent."""
    retry_after: Optional[float]
    """Seconds to wait, when the service said so."""
    may_have_happened: bool
    """True: no answer proves that the service did nothing. Call again with the same key, or read the resource, before you do it anew."""
    doc_url: str
    """The page about `code`."""
    raw: Any
    """The answer: its JSON, or the beginning of its text."""

    def __init__(
        self,
        message: str,
        *,
        kind: ErrorKind,
        code: str,
        may_have_happened: bool,
        attempts: int,
        doc_url: str,
        status: Optional[int] = None,
        request_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        retry_after: Optional[float] = None,
        raw: Any = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.code = code
        self.may_have_happened = may_have_happened
        self.attempts = attempts
        self.doc_url = doc_url
        self.status = status
        self.request_id = request_id
        self.idempotency_key = idempotency_key
        self.retry_after = retry_after
        self.raw = raw

    def __reduce__(self) -> tuple[Any, ...]:
        # Task queues pass errors between processes.
        return _again, (type(self), self.args, vars(self).copy())


def _again(kind: type[BandamaError], args: tuple[Any, ...], facts: dict[str, Any]) -> BandamaError:
    # Not by its constructor, which does not know what a program added, such as a note.
    error = kind.__new__(kind)
    error.args = args
    vars(error).update(facts)
    return error
