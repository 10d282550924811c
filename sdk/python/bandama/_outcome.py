from __future__ import annotations

from typing import Any, Literal, Mapping, Optional

# The end of the money of a resource, as far as it is known. `unknown`: keep waiting, and never deliver or pay again because of it.
Outcome = Literal["waiting", "waiting_for_approval", "paid", "not_paid", "returned", "unknown"]

_OUTCOMES: dict[str, dict[str, Outcome]] = {
    "payment": {
        "created": "waiting",
        "pending": "waiting",
        "succeeded": "paid",
        "partially_refunded": "paid",
        "failed": "not_paid",
        "refunded": "returned",
    },
    "payout": {"created": "waiting", "processing": "waiting", "succeeded": "paid", "failed": "not_paid"},
    "payout_request": {
        "pending_approval": "waiting_for_approval",
        "approved": "waiting",
        "rejected": "not_paid",
        "expired": "not_paid",
    },
    "payout_batch": {
        "brouillon": "waiting",
        "en_attente_validation": "waiting_for_approval",
        "en_cours": "waiting",
        "termine": "paid",
        "annule": "not_paid",
    },
    "settlement": {
        "pending_validation": "waiting_for_approval",
        "validated": "waiting",
        "paid": "paid",
        "rejected": "not_paid",
    },
    "checkout_session": {"open": "waiting", "paid": "paid"},
}


def outcome_of(resource: Optional[Mapping[str, Any]]) -> Outcome:
    """Says what became of the money of a resource.

    `paid` only for states that are known to mean it, and `not_paid` only for those that can never be paid later. `unknown` are an `expired`
    payment and an `expired` or `closed` session, because a late confirmation pays them, an `indeterminate` payout, a batch with errors, and
    every state or resource that is newer than this package.
    """
    known = resource or {}
    return _OUTCOMES.get(str(known.get("object")), {}).get(str(known.get("status")), "unknown")


def is_settled(resource: Mapping[str, Any]) -> bool:
    """Whether waiting longer can change nothing that a program may act on."""
    return outcome_of(resource) not in ("waiting", "unknown")
