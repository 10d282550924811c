"""Rules of the interface that a JSON Schema cannot say, and the operations that give ids to others."""

import schemathesis

# Each parameter of a path, with the operation whose answer has its value.
MADE_BY = {
    "payment_id": "createPayment",
    "link_id": "createPaymentLink",
    "id": "createPayout",
    "payout_id": "createPayout",
    "batch_id": "createPayoutBatch",
    "beneficiary_id": "addBeneficiary",
    "settlement_id": "createSettlement",
}

# The deepest nesting of a body.
DEPTH_MAX = 10


@schemathesis.hook
def before_load_schema(context, raw_schema):
    operations = {
        operation["operationId"]: operation
        for methods in raw_schema["paths"].values()
        for operation in methods.values()
    }
    for name, operation in operations.items():
        for parameter in operation["parameters"]:
            maker = MADE_BY.get(parameter["name"]) if parameter["in"] == "path" else None
            if maker is None:
                continue
            link = {"operationId": name, "parameters": {parameter["name"]: "$response.body#/id"}}
            for status, answer in operations[maker]["responses"].items():
                if status.startswith("2"):
                    answer.setdefault("links", {})[name] = link
    listed = operations["listEvents"]["responses"]["200"].setdefault("links", {})
    for name in ("getEvent", "replayEvent"):
        listed[name] = {"operationId": name, "parameters": {"event_id": "$response.body#/data/0/id"}}


def is_plain(text):
    """No control character and no lone surrogate: such a text is refused wherever it stands (docs/en/limits.md, A request)."""
    return not any(ord(c) < 0x20 or 0x7F <= ord(c) <= 0x9F or 0xD800 <= ord(c) <= 0xDFFF for c in text)


def is_readable(value, depth=1):
    if isinstance(value, str):
        return is_plain(value)
    if isinstance(value, dict):
        inside = [*value.keys(), *value.values()]
    elif isinstance(value, list):
        inside = value
    else:
        return True
    return depth <= DEPTH_MAX and all(is_readable(one, depth + 1) for one in inside)


@schemathesis.hook
def filter_case(context, case):
    body = case.body if isinstance(case.body, (dict, list)) else {}
    query = case.query or {}
    if not all(is_readable(one) for one in (body, *query.values())):
        return False
    # Live mode ignores whatever stands in `simulate`; test mode knows one word.
    if isinstance(body, dict) and body.get("simulate") not in (None, "succeed"):
        return False
    # The book of beneficiaries goes on behind an entry of its own only, and passes over so many of them at most.
    if case.operation.path == "/v1-beneficiaries" and not query.keys().isdisjoint(("starting_after", "offset")):
        return False
    # The feed and the list exclude each other, and a cursor of the feed is one that the service has given.
    after = query.get("after")
    if after is None:
        return "wait" not in query
    return after in ("begin", "now") and "starting_after" not in query
