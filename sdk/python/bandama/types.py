# Derived from openapi.json by `npm run derive`. Do not edit.
"""Everything that the service takes and answers. A list of values in an answer may grow: a program must expect others."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, TypedDict, Union


class Balances(TypedDict):
    """Your balances at one moment, in francs."""

    object: Literal["balances"]
    """Always `balances`."""
    available: int
    """The balance that the service owes you, in francs. It is the closing balance of today’s statement."""
    transfer: int
    """The balance that payouts are paid from, in francs."""
    payouts_in_flight: int
    """Taken for payouts that have no outcome yet, fees included, in francs."""
    settlements_in_flight: int
    """Taken for settlements that are neither paid nor rejected, in francs."""
    currency: str
    """Always `XOF`."""
    livemode: bool
    """True: real money. False: test mode, in which no money moves."""
    as_of: str
    """The moment at which the four balances were read."""


class BatchList(TypedDict):
    """A page of batches."""

    object: Literal["list"]
    """Always `list`."""
    data: List[ListedBatch]
    """Newest first."""
    limit: int
    """As it was applied."""
    has_more: bool
    """Whether older ones follow this page."""


class BatchWithoutLines(TypedDict):
    """A batch of payouts whose lines make the event longer than 64 000 bytes."""

    id: str
    """Prefix `pob_`."""
    object: Literal["payout_batch"]
    """Always `payout_batch`."""
    status: Union[Literal["brouillon", "en_attente_validation", "en_cours", "termine", "termine_avec_erreurs", "annule"], str]
    """`brouillon`: a draft that can be executed. `en_attente_validation`: above the cap of 24 hours, waits for approval. `en_cours`: under way. `termine`: every line succeeded. `termine_avec_erreurs`: at least one line did not. `annule`: cancelled."""
    reference: Union[str, None]
    """Your own reference of the batch, as you sent it; null without one."""
    currency: str
    """Always `XOF`."""
    total_amount: int
    """The sum of its lines, in francs, without fees."""
    line_count: int
    """How many lines it has, 1 to 500."""
    livemode: bool
    """True: real money. False: test mode, in which no money moves."""
    created_at: str
    """When the batch was made."""
    executed_at: Union[str, None]
    """When it was executed; null before."""
    finished_at: Union[str, None]
    """When its last line had an outcome; null before."""
    lines_omitted: Literal[True]
    """The event has no room for the lines: read them with `GET /v1-payout-batches/{batch_id}`."""


class Beneficiary(TypedDict):
    """An entry of your book of beneficiaries."""

    id: str
    """Names the entry in `beneficiary_id`."""
    object: Literal["beneficiary"]
    """Always `beneficiary`."""
    kind: Union[Literal["payout", "settlement"], str]
    """The money that may be sent there."""
    label: Union[str, None]
    """The merchant's own words for it."""
    name: str
    """The holder, not verified with the operator."""
    operator: Union[str, None]
    """The network of the number; null for a bank account."""
    last4: str
    """The end of the number or of the IBAN."""
    active: bool
    """False: archived."""
    livemode: bool
    """True: real money. False: test mode, in which no money moves."""
    created_at: str
    """When the entry was made."""
    archived_at: Union[str, None]
    """When it was archived; null while it is active."""


class BeneficiaryList(TypedDict):
    """A page of your book of beneficiaries."""

    object: Literal["list"]
    """Always `list`."""
    data: List[Beneficiary]
    """Oldest first."""
    total_count: int
    """Entries of the whole list, whatever the page."""
    total: int
    """The same as `total_count`."""
    limit: int
    """As it was applied."""
    offset: int
    """How many entries were passed over."""
    has_more: bool
    """Whether entries follow this page."""


class _CheckoutSession(TypedDict):
    id: str
    """Prefix `cs_`."""
    object: Literal["checkout_session"]
    """Always `checkout_session`."""
    status: Union[Literal["open", "paid", "closed", "expired"], str]
    """Only an `open` session can be paid."""
    amount: int
    """The amount to pay, in francs."""
    amount_source: Union[Literal["merchant", "address", "payer"], str]
    """The source of `amount`: `merchant`, your server, your people or a link of a fixed amount; `address`, the address of a link (`?amount=…`), which anybody can change within its bounds; `payer`, the payer's choice. Compare the last two with your price."""
    currency: str
    """Always `XOF`."""
    description: Union[str, None]
    """The text that the payer reads on the page; null without one."""
    reference: Union[str, None]
    """The reference, from its link or the address of the link (`?ref=…`), which anybody can write. Not unique. Null without one."""
    return_url: Union[str, None]
    """Where the payer goes back to after success; null without one."""
    payment_id: Union[str, None]
    """The payment that paid it; before that the latest attempt, or null. Only `status` says that it is paid."""
    livemode: bool
    """True: real money. False: test mode, in which no money moves."""
    created_at: str
    """When the session was made."""
    expires_at: str
    """When the page takes no payment any more."""


class CheckoutSession(_CheckoutSession, total=False):
    """A page on which one payer pays."""

    url: str
    """The page to hand to the payer. Only in the answer to its creation, never in an event."""
    min_amount: int
    """On a link of a free amount: a bound between which the payer chose, in francs. Absent elsewhere."""
    max_amount: int
    """On a link of a free amount: a bound between which the payer chose, in francs. Absent elsewhere."""
    link_id: str
    """Prefix `lnk_`: the link that its payer came from. Absent when your server made the session."""
    warning: str
    """Only in the answer to its creation, while no operator can collect for you in this mode, or none that can takes the amount."""


class CheckoutSessionExpiredEvent(TypedDict):
    """The time of the page ended without a payment."""

    id: str
    """Prefix `evt_`."""
    object: Literal["event"]
    """Always `event`."""
    type: Literal["checkout_session.expired"]
    """Always `checkout_session.expired`."""
    api_version: str
    """The version of the interface that `data` follows."""
    created_at: str
    """When it happened."""
    livemode: bool
    """True: real money. False: test mode, in which no money moves."""
    data: CheckoutSession


class CheckoutSessionPaidEvent(TypedDict):
    """A payment on the page succeeded: `payment_id` names it."""

    id: str
    """Prefix `evt_`."""
    object: Literal["event"]
    """Always `event`."""
    type: Literal["checkout_session.paid"]
    """Always `checkout_session.paid`."""
    api_version: str
    """The version of the interface that `data` follows."""
    created_at: str
    """When it happened."""
    livemode: bool
    """True: real money. False: test mode, in which no money moves."""
    data: CheckoutSession


class DeliverySummary(TypedDict):
    """The state of the delivery of an event to one endpoint."""

    id: str
    """Prefix `dlv_`."""
    endpoint_id: str
    """Prefix `whe_`."""
    status: Union[Literal["pending", "delivered", "failed", "held"], str]
    """`held`: the endpoint is disabled. `failed`: every attempt of the schedule was made."""
    attempts: int
    """How many attempts were made so far, those before a replay included."""
    last_response_status: Union[int, None]
    """Your server's answer to the last attempt; null when there was none, or no attempt was made."""
    next_attempt_at: Union[str, None]
    """When it is tried next; null when no more attempts are due."""


class EndpointTestEvent(TypedDict):
    """A test of one endpoint, sent to it alone, also if it subscribes to other types only."""

    id: str
    """Prefix `evt_`."""
    object: Literal["event"]
    """Always `event`."""
    type: Literal["endpoint.test"]
    """Always `endpoint.test`."""
    api_version: str
    """The version of the interface that `data` follows."""
    created_at: str
    """When it happened."""
    livemode: bool
    """True: real money. False: test mode, in which no money moves."""
    data: TestedEndpoint


class Event(TypedDict):
    """An event as webhooks have it, with its deliveries."""

    id: str
    """Prefix `evt_`."""
    object: Literal["event"]
    """Always `event`."""
    type: Union[Literal["payment.pending", "payment.succeeded", "payment.failed", "payment.expired", "payment.refunded", "payment.partially_refunded", "payout.processing", "payout.succeeded", "payout.failed", "payout.indeterminate", "payout_request.approved", "payout_request.rejected", "payout_request.expired", "payout_batch.finished", "checkout_session.paid", "checkout_session.expired", "settlement.validated", "settlement.paid", "settlement.rejected", "endpoint.test"], str]
    """The event type."""
    api_version: str
    """The version of the interface that `data` follows."""
    created_at: str
    """When it happened."""
    livemode: bool
    """True: real money. False: test mode, in which no money moves."""
    data: Dict[str, Any]
    """The resource as its GET gave it at that moment, with its new `status`."""
    deliveries: List[DeliverySummary]
    """One for each endpoint that wanted it, in no webhook."""


class EventFeed(TypedDict):
    """A part of the feed, with `after`."""

    object: Literal["feed"]
    """Always `feed`."""
    data: List[FeedEvent]
    """In the order of the feed. Fewer than `limit` when more would exceed 1 MB. Empty when nothing followed in time."""
    next: str
    """The `after` of the next call. Keep it when you have handled `data`."""
    has_more: bool
    """Whether the next call should follow at once."""
    restored_at: Union[str, None]
    """When an older state of the database was restored, told once to a reader who had read events that it does not have. Otherwise null."""


class EventList(TypedDict):
    """A page of events, without `after`."""

    object: Literal["list"]
    """Always `list`."""
    data: List[Event]
    """Newest first. Fewer than `limit` when more would exceed 1 MB."""
    limit: int
    """As it was applied."""
    has_more: bool
    """Whether older events follow this page."""


class FeedEvent(TypedDict):
    """An event as webhooks have it, with its place in the feed."""

    id: str
    """Prefix `evt_`."""
    object: Literal["event"]
    """Always `event`."""
    type: Union[Literal["payment.pending", "payment.succeeded", "payment.failed", "payment.expired", "payment.refunded", "payment.partially_refunded", "payout.processing", "payout.succeeded", "payout.failed", "payout.indeterminate", "payout_request.approved", "payout_request.rejected", "payout_request.expired", "payout_batch.finished", "checkout_session.paid", "checkout_session.expired", "settlement.validated", "settlement.paid", "settlement.rejected", "endpoint.test"], str]
    """The event type."""
    api_version: str
    """The version of the interface that `data` follows."""
    created_at: str
    """When it happened."""
    livemode: bool
    """True: real money. False: test mode, in which no money moves."""
    data: Dict[str, Any]
    """The resource as its GET gave it at that moment, with its new `status`."""
    cursor: str
    """The place of this event in the feed: as `after` it begins behind it. In no webhook."""


class FoundSettlements(TypedDict):
    """A page of settlements."""

    object: Literal["list"]
    """Always `list`."""
    data: List[Settlement]
    """Newest first."""
    limit: int
    """As it was applied."""
    has_more: bool
    """Whether older ones follow this page."""


class ListedBatch(TypedDict):
    """A batch of payouts without its lines."""

    id: str
    """Prefix `pob_`."""
    object: Literal["payout_batch"]
    """Always `payout_batch`."""
    status: Union[Literal["brouillon", "en_attente_validation", "en_cours", "termine", "termine_avec_erreurs", "annule"], str]
    """`brouillon`: a draft that can be executed. `en_attente_validation`: above the cap of 24 hours, waits for approval. `en_cours`: under way. `termine`: every line succeeded. `termine_avec_erreurs`: at least one line did not. `annule`: cancelled."""
    reference: Union[str, None]
    """Your own reference of the batch, as you sent it; null without one."""
    currency: str
    """Always `XOF`."""
    total_amount: int
    """The sum of its lines, in francs, without fees."""
    line_count: int
    """How many lines it has, 1 to 500."""
    livemode: bool
    """True: real money. False: test mode, in which no money moves."""
    created_at: str
    """When the batch was made."""
    executed_at: Union[str, None]
    """When it was executed; null before."""
    finished_at: Union[str, None]
    """When its last line had an outcome; null before."""


class _ListedPaymentNextAction(TypedDict):
    type: Union[Literal["approve_on_phone"], Literal["redirect"], Literal["enter_code"]]
    """`approve_on_phone`: the payer answers a prompt or dials `dial_code`. `redirect`: the payer opens `url`. `enter_code`: the payer types a one-time code."""
    message: str
    """A sentence to show to the payer."""


class ListedPaymentNextAction(_ListedPaymentNextAction, total=False):
    """The payer's next step. Absent when there is none."""

    url: str
    """The page to open. Only for `redirect`."""
    dial_code: str
    """The code that the payer dials. Absent where the operator has none."""
    prompted: Literal[True]
    """A prompt is on the phone; `dial_code` brings it back when it went away."""


class ListedPaymentMetadata(TypedDict, total=False):
    pass


class _ListedPayment(TypedDict):
    id: str
    """Prefix `txn_`."""
    object: Literal["payment"]
    """Always `payment`."""
    amount: int
    """The amount that you asked for, in francs."""
    amount_collected: int
    """The amount that the payer pays, in francs: with `fee_amount` when the payer bears it."""
    fee_amount: int
    """Commission in francs, fixed at creation."""
    net_amount: int
    """The amount that you receive, in francs, credited at confirmation."""
    currency: str
    """Always `XOF`."""
    status: Union[Literal["created", "pending", "succeeded", "failed", "expired", "refunded", "partially_refunded"], str]
    """Only `succeeded` means that the money has arrived. A payment with an uncertain outcome stays `pending`; it never fails because time passed."""
    operator: Union[str, None]
    """The mobile-money operator that collects, such as `orange_ci`. Null until one is chosen."""
    merchant_reference: Union[str, None]
    """Your own reference, as you sent it; null without one."""
    failure_code: Union[str, None]
    """Why the payment failed, from a closed list. Null unless `status` is `failed`."""
    failure_message: Union[str, None]
    """The failure as a sentence for people; null without one. Its words may change: have your code read `failure_code`."""
    livemode: bool
    """True: real money. False: test mode, in which no money moves."""
    created_at: str
    """When the request was accepted."""
    succeeded_at: Union[str, None]
    """When the operator confirmed the payment; null before."""
    failed_at: Union[str, None]
    """When the service established that the payment failed; null unless it did."""
    msisdn: Union[str, None]
    """The number of the payer, masked; null without one."""
    description: Union[str, None]
    """The purpose, as you sent it."""
    reference: Union[str, None]
    """The reference of its payment page, from a link or its address; null without one."""
    amount_source: Union[Union[Literal["merchant", "address", "payer"], str], None]
    """The source of the amount of its payment page: `merchant`, `address` or `payer`, as on the session. Null without a page."""
    metadata: Union[ListedPaymentMetadata, None]
    """As you sent it."""


class ListedPayment(_ListedPayment, total=False):
    """A payment, with what you sent about it."""

    checkout_session_id: str
    """The checkout session, with prefix `cs_`, when the payment was made on the hosted page. Otherwise absent."""
    amount_refunded: int
    """How much of `amount` was refunded, in francs. Absent while nothing was."""
    next_action: ListedPaymentNextAction
    """The payer's next step. Absent when there is none."""


class LoggedCall(TypedDict):
    """A request with a key of yours. Bodies and numbers are not kept."""

    id: str
    """The `Service-Request-Id` of the answer."""
    object: Literal["request"]
    """Always `request`."""
    method: str
    """Such as `POST`."""
    path: str
    """The pattern of the route, without ids and query."""
    status: int
    """The HTTP status of the answer."""
    error_code: Union[str, None]
    """The code of a refusal; null when there was none."""
    duration_ms: int
    """Milliseconds until the answer."""
    created_at: str
    """When the request arrived."""


class Movement(TypedDict):
    """A movement of your available balance."""

    id: str
    """The id of the payment, the refund, the settlement… Unique together with `type`."""
    object: Literal["movement"]
    """Always `movement`."""
    type: Union[Literal["collection", "refund", "refund_returned", "settlement", "settlement_returned", "transfer", "adjustment"], str]
    """The kind of operation that moved the balance."""
    direction: Union[Literal["in", "out"], str]
    """`in`: more is owed to you after it. `out`: less."""
    amount: int
    """In francs, above zero; of a collection the net amount."""
    balance: int
    """The balance owed to you after it, in francs."""
    reference: Union[str, None]
    """The `merchant_reference` of the payment that was collected or refunded; null without one."""
    payment_id: Union[str, None]
    """Prefix `txn_`: the payment that was collected or refunded; null for other movements."""
    created_at: str
    """When it was booked."""


class OperatorCollectionWeatherLast15Minutes(TypedDict):
    """Over the last 15 to 20 minutes. Null: fewer than 20 operations, too few to tell."""

    success_rate: Union[float, None]
    """Share of the operations that succeeded, from 0 to 1."""
    in_doubt_rate: Union[float, None]
    """Share of them of which nobody knows yet what became."""
    median_seconds: Union[float, None]
    """Seconds within which half of those that succeeded were confirmed."""
    p95_seconds: Union[float, None]
    """The same for 95 of 100."""


class OperatorCollectionWeatherLast24Hours(TypedDict):
    """Over the last 24 hours. Null: fewer than 20 operations, too few to tell."""

    success_rate: Union[float, None]
    """Share of the operations that succeeded, from 0 to 1."""
    in_doubt_rate: Union[float, None]
    """Share of them of which nobody knows yet what became."""
    median_seconds: Union[float, None]
    """Seconds within which half of those that succeeded were confirmed."""
    p95_seconds: Union[float, None]
    """The same for 95 of 100."""


class OperatorCollectionWeather(TypedDict):
    """How the operations of all merchants in this mode went with it: those that succeeded, failed by the operator's own failure, or are in doubt. A payer's own failures, such as too little money, do not count."""

    last_15_minutes: OperatorCollectionWeatherLast15Minutes
    """Over the last 15 to 20 minutes. Null: fewer than 20 operations, too few to tell."""
    last_24_hours: OperatorCollectionWeatherLast24Hours
    """Over the last 24 hours. Null: fewer than 20 operations, too few to tell."""


class OperatorCollection(TypedDict):
    """Whether payers can pay you through it."""

    available: bool
    """Whether a payment asked for now is sent to this operator."""
    unavailable_reason: Union[Union[Literal["merchant_inactive", "not_connected", "not_offered", "payouts_stopped", "operator_unavailable"], str], None]
    """Why it is not available; null while it is."""
    amount_max: int
    """Largest payment, in francs, as it is in force for you."""
    weather: OperatorCollectionWeather
    """How the operations of all merchants in this mode went with it: those that succeeded, failed by the operator's own failure, or are in doubt. A payer's own failures, such as too little money, do not count."""


class OperatorPayoutWeatherLast15Minutes(TypedDict):
    """Over the last 15 to 20 minutes. Null: fewer than 20 operations, too few to tell."""

    success_rate: Union[float, None]
    """Share of the operations that succeeded, from 0 to 1."""
    in_doubt_rate: Union[float, None]
    """Share of them of which nobody knows yet what became."""
    median_seconds: Union[float, None]
    """Seconds within which half of those that succeeded were confirmed."""
    p95_seconds: Union[float, None]
    """The same for 95 of 100."""


class OperatorPayoutWeatherLast24Hours(TypedDict):
    """Over the last 24 hours. Null: fewer than 20 operations, too few to tell."""

    success_rate: Union[float, None]
    """Share of the operations that succeeded, from 0 to 1."""
    in_doubt_rate: Union[float, None]
    """Share of them of which nobody knows yet what became."""
    median_seconds: Union[float, None]
    """Seconds within which half of those that succeeded were confirmed."""
    p95_seconds: Union[float, None]
    """The same for 95 of 100."""


class OperatorPayoutWeather(TypedDict):
    """How the operations of all merchants in this mode went with it: those that succeeded, failed by the operator's own failure, or are in doubt. A payer's own failures, such as too little money, do not count."""

    last_15_minutes: OperatorPayoutWeatherLast15Minutes
    """Over the last 15 to 20 minutes. Null: fewer than 20 operations, too few to tell."""
    last_24_hours: OperatorPayoutWeatherLast24Hours
    """Over the last 24 hours. Null: fewer than 20 operations, too few to tell."""


class OperatorPayout(TypedDict):
    """Whether you can send money through it."""

    available: bool
    """Whether a payout accepted now is sent. While `payouts_stopped` or `operator_unavailable`, it is accepted and waits."""
    unavailable_reason: Union[Union[Literal["merchant_inactive", "not_connected", "not_offered", "payouts_stopped", "operator_unavailable"], str], None]
    """Why it is not available; null while it is."""
    cap_operation: int
    """Your cap for one payout in francs: a larger one waits for approval."""
    cap_day: int
    """Your cap for any 24 hours in francs, over all operators: what exceeds it waits for approval."""
    weather: OperatorPayoutWeather
    """How the operations of all merchants in this mode went with it: those that succeeded, failed by the operator's own failure, or are in doubt. A payer's own failures, such as too little money, do not count."""


class OperatorOperatorLimitsCollection(TypedDict):
    min: int
    """Smallest amount, in francs."""
    max: int
    """Largest amount, in francs."""
    step: int
    """Divides every amount."""


class OperatorOperatorLimitsPayout(TypedDict):
    min: int
    """Smallest amount, in francs."""
    max: int
    """Largest amount, in francs."""
    step: int
    """Divides every amount."""


class OperatorOperatorLimits(TypedDict):
    collection: Union[OperatorOperatorLimitsCollection, None]
    """Of this direction; null: not known."""
    payout: Union[OperatorOperatorLimitsPayout, None]
    """Of this direction; null: not known."""


class Operator(TypedDict):
    """An operator of the country, and what can be done through it now."""

    object: Literal["operator"]
    """Always `operator`."""
    code: Union[Literal["orange_ci", "mtn_ci", "moov_ci", "wave_ci"], str]
    """As you name it in `operator`."""
    name: str
    """The name that payers know."""
    livemode: bool
    """True: real money. False: test mode, in which no money moves."""
    collection: OperatorCollection
    """Whether payers can pay you through it."""
    payout: OperatorPayout
    """Whether you can send money through it."""
    refund: Union[Union[Literal["full", "partial", "none"], str], None]
    """The refunds that the operator can make by itself; null: not known."""
    operator_limits: Union[OperatorOperatorLimits, None]
    """The operator's own limits for one operation; null: not known."""


class OperatorList(TypedDict):
    """The operators of the country."""

    object: Literal["list"]
    """Always `list`."""
    data: List[Operator]
    """Every operator of the country, connected or not."""
    as_of: str
    """The moment at which all of it stood so."""


class OperatorPrediction(TypedDict):
    """The operator of a number, as far as the service can tell."""

    object: Literal["operator_prediction"]
    """Always `operator_prediction`."""
    operator: Union[Union[Literal["orange_ci", "mtn_ci", "moov_ci", "wave_ci"], str], None]
    """To propose, and never to refuse by. Null: its range says one that has said that the number is not its own."""
    confidence: Union[Literal["high", "medium", "none"], str]
    """`high`: money moved through this operator last. `medium`: by the prefix, and nothing is known against it. `none`: there is no operator to propose."""
    basis: Union[Literal["prefix", "learned"], str]
    """`learned`: earlier orders to this number ended otherwise than its prefix says. `prefix`: they did not, or there were none."""
    livemode: bool
    """True: real money. False: test mode, in which no money moves."""


class _PaymentNextAction(TypedDict):
    type: Union[Literal["approve_on_phone"], Literal["redirect"], Literal["enter_code"]]
    """`approve_on_phone`: the payer answers a prompt or dials `dial_code`. `redirect`: the payer opens `url`. `enter_code`: the payer types a one-time code."""
    message: str
    """A sentence to show to the payer."""


class PaymentNextAction(_PaymentNextAction, total=False):
    """The payer's next step. Absent when there is none."""

    url: str
    """The page to open. Only for `redirect`."""
    dial_code: str
    """The code that the payer dials. Absent where the operator has none."""
    prompted: Literal[True]
    """A prompt is on the phone; `dial_code` brings it back when it went away."""


class _Payment(TypedDict):
    id: str
    """Prefix `txn_`."""
    object: Literal["payment"]
    """Always `payment`."""
    amount: int
    """The amount that you asked for, in francs."""
    amount_collected: int
    """The amount that the payer pays, in francs: with `fee_amount` when the payer bears it."""
    fee_amount: int
    """Commission in francs, fixed at creation."""
    net_amount: int
    """The amount that you receive, in francs, credited at confirmation."""
    currency: str
    """Always `XOF`."""
    status: Union[Literal["created", "pending", "succeeded", "failed", "expired", "refunded", "partially_refunded"], str]
    """Only `succeeded` means that the money has arrived. A payment with an uncertain outcome stays `pending`; it never fails because time passed."""
    operator: Union[str, None]
    """The mobile-money operator that collects, such as `orange_ci`. Null until one is chosen."""
    merchant_reference: Union[str, None]
    """Your own reference, as you sent it; null without one."""
    failure_code: Union[str, None]
    """Why the payment failed, from a closed list. Null unless `status` is `failed`."""
    failure_message: Union[str, None]
    """The failure as a sentence for people; null without one. Its words may change: have your code read `failure_code`."""
    livemode: bool
    """True: real money. False: test mode, in which no money moves."""
    created_at: str
    """When the request was accepted."""
    succeeded_at: Union[str, None]
    """When the operator confirmed the payment; null before."""
    failed_at: Union[str, None]
    """When the service established that the payment failed; null unless it did."""


class Payment(_Payment, total=False):
    """A payment that you collect."""

    checkout_session_id: str
    """The checkout session, with prefix `cs_`, when the payment was made on the hosted page. Otherwise absent."""
    amount_refunded: int
    """How much of `amount` was refunded, in francs. Absent while nothing was."""
    next_action: PaymentNextAction
    """The payer's next step. Absent when there is none."""


class PaymentExpiredEvent(TypedDict):
    """The payer did not answer in time. A late confirmation is still credited."""

    id: str
    """Prefix `evt_`."""
    object: Literal["event"]
    """Always `event`."""
    type: Literal["payment.expired"]
    """Always `payment.expired`."""
    api_version: str
    """The version of the interface that `data` follows."""
    created_at: str
    """When it happened."""
    livemode: bool
    """True: real money. False: test mode, in which no money moves."""
    data: Payment


class PaymentFailedEvent(TypedDict):
    """The service established that the payment failed: `failure_code` says why."""

    id: str
    """Prefix `evt_`."""
    object: Literal["event"]
    """Always `event`."""
    type: Literal["payment.failed"]
    """Always `payment.failed`."""
    api_version: str
    """The version of the interface that `data` follows."""
    created_at: str
    """When it happened."""
    livemode: bool
    """True: real money. False: test mode, in which no money moves."""
    data: Payment


class PaymentLink(TypedDict):
    """A link that a merchant hands to one payer or to many."""

    id: str
    """Prefix `lnk_`."""
    object: Literal["payment_link"]
    """Always `payment_link`."""
    url: str
    """The page to hand to payers. Anybody who has it can pay."""
    status: Union[Literal["open", "busy", "paid", "closed", "expired"], str]
    """Only an `open` link can be paid. `busy`: somebody is paying it, and it takes one payment. `paid`: it took its only payment."""
    amount: Union[int, None]
    """The amount to pay, in francs; null when the payer chooses."""
    min_amount: Union[int, None]
    """The least that a payer may choose, in francs; null with a fixed `amount`."""
    max_amount: Union[int, None]
    """The most that a payer may choose, in francs; null with a fixed `amount`."""
    currency: str
    """Always `XOF`."""
    description: Union[str, None]
    """The text that payers read on the page; null without one."""
    reference: Union[str, None]
    """Your reference, which each of its sessions gets; null without one."""
    whatsapp: Union[str, None]
    """The number to which a payer may send their receipt by WhatsApp: digits with the code of the country; null without one."""
    reusable: bool
    """True: many payers may pay. False: the first payment ends it."""
    livemode: bool
    """True: real money. False: test mode, in which no money moves."""
    created_at: str
    """When the link was made."""
    expires_at: Union[str, None]
    """When it takes no payment any more; null: never."""


class PaymentLinkList(TypedDict):
    """A page of links."""

    object: Literal["list"]
    """Always `list`."""
    data: List[PaymentLink]
    """Newest first."""
    limit: int
    """As it was applied."""
    has_more: bool
    """Whether older ones follow this page."""


class PaymentList(TypedDict):
    """A page of payments."""

    object: Literal["list"]
    """Always `list`."""
    data: List[ListedPayment]
    """Newest first."""
    limit: int
    """As it was applied."""
    has_more: bool
    """Whether older ones follow this page."""


class PaymentPartiallyRefundedEvent(TypedDict):
    """A part of the payment was refunded: `amount_refunded` is the sum so far."""

    id: str
    """Prefix `evt_`."""
    object: Literal["event"]
    """Always `event`."""
    type: Literal["payment.partially_refunded"]
    """Always `payment.partially_refunded`."""
    api_version: str
    """The version of the interface that `data` follows."""
    created_at: str
    """When it happened."""
    livemode: bool
    """True: real money. False: test mode, in which no money moves."""
    data: Payment


class PaymentPendingEvent(TypedDict):
    """The payment left for its operator. Its outcome is uncertain."""

    id: str
    """Prefix `evt_`."""
    object: Literal["event"]
    """Always `event`."""
    type: Literal["payment.pending"]
    """Always `payment.pending`."""
    api_version: str
    """The version of the interface that `data` follows."""
    created_at: str
    """When it happened."""
    livemode: bool
    """True: real money. False: test mode, in which no money moves."""
    data: Payment


class PaymentRefundedEvent(TypedDict):
    """The whole payment was refunded."""

    id: str
    """Prefix `evt_`."""
    object: Literal["event"]
    """Always `event`."""
    type: Literal["payment.refunded"]
    """Always `payment.refunded`."""
    api_version: str
    """The version of the interface that `data` follows."""
    created_at: str
    """When it happened."""
    livemode: bool
    """True: real money. False: test mode, in which no money moves."""
    data: Payment


class PaymentSucceededEvent(TypedDict):
    """The operator confirmed the payment, and its net amount is credited, also after `expired`."""

    id: str
    """Prefix `evt_`."""
    object: Literal["event"]
    """Always `event`."""
    type: Literal["payment.succeeded"]
    """Always `payment.succeeded`."""
    api_version: str
    """The version of the interface that `data` follows."""
    created_at: str
    """When it happened."""
    livemode: bool
    """True: real money. False: test mode, in which no money moves."""
    data: Payment


class PayoutBeneficiary(TypedDict):
    """Where the money goes."""

    name: Union[str, None]
    """The holder, as written in the request or in the book."""
    label: Union[str, None]
    """Your own label for the entry of the book."""
    msisdn: Union[str, None]
    """The number: in full when the request contained it, masked when it came from the book."""


class Payout(TypedDict):
    """A payout to one number."""

    id: str
    """Prefix `txn_`."""
    object: Literal["payout"]
    """Always `payout`."""
    amount: int
    """The amount that the beneficiary receives, in francs."""
    fee_amount: int
    """Commission in francs, fixed at creation."""
    total_debited: int
    """`amount + fee_amount` in francs, taken from the transfer balance."""
    currency: str
    """Always `XOF`."""
    status: Union[Literal["created", "processing", "succeeded", "failed", "indeterminate"], str]
    """`indeterminate`: the operator has not confirmed the payout. The service keeps asking until it knows. Never send it again yourself."""
    beneficiary: PayoutBeneficiary
    """Where the money goes."""
    reference: Union[str, None]
    """Your own reference, as you sent it; null without one."""
    failure_code: Union[str, None]
    """Why the payout failed, from a closed list. Null unless `status` is `failed`."""
    livemode: bool
    """True: real money. False: test mode, in which no money moves."""
    created_at: str
    """When the request was accepted."""


class PayoutBatchLinesBeneficiary(TypedDict):
    """Where the money goes."""

    name: Union[str, None]
    """The holder, as written in the request or in the book."""
    label: Union[str, None]
    """Your own label for the entry of the book."""
    msisdn: Union[str, None]
    """The number: in full when the request contained it, masked when it came from the book."""


class PayoutBatchLines(TypedDict):
    rank: int
    """From 1, in the order they were sent in."""
    status: Union[Literal["pending", "processing", "succeeded", "failed", "indeterminate", "cancelled"], str]
    """`pending` until the batch is executed or cancelled, then that of its payout."""
    amount: int
    """The amount that the beneficiary receives, in francs."""
    fee_amount: int
    """Commission in francs, fixed when the batch is made."""
    reference: Union[str, None]
    """Your own reference of the line, as you sent it; null without one."""
    beneficiary: PayoutBatchLinesBeneficiary
    """Where the money goes."""
    payout_id: Union[str, None]
    """Prefix `txn_`: the payout that the line became; null until it is sent."""
    failure_code: Union[str, None]
    """Why the line failed, from a closed list, or `insufficient_funds`; null unless it did."""
    failure_message: Union[str, None]
    """Why the line failed, in a sentence for people; null unless it did."""


class PayoutBatch(TypedDict):
    """A batch of payouts with its lines."""

    id: str
    """Prefix `pob_`."""
    object: Literal["payout_batch"]
    """Always `payout_batch`."""
    status: Union[Literal["brouillon", "en_attente_validation", "en_cours", "termine", "termine_avec_erreurs", "annule"], str]
    """`brouillon`: a draft that can be executed. `en_attente_validation`: above the cap of 24 hours, waits for approval. `en_cours`: under way. `termine`: every line succeeded. `termine_avec_erreurs`: at least one line did not. `annule`: cancelled."""
    reference: Union[str, None]
    """Your own reference of the batch, as you sent it; null without one."""
    currency: str
    """Always `XOF`."""
    total_amount: int
    """The sum of its lines, in francs, without fees."""
    line_count: int
    """How many lines it has, 1 to 500."""
    livemode: bool
    """True: real money. False: test mode, in which no money moves."""
    created_at: str
    """When the batch was made."""
    executed_at: Union[str, None]
    """When it was executed; null before."""
    finished_at: Union[str, None]
    """When its last line had an outcome; null before."""
    lines: List[PayoutBatchLines]
    """In the order in which they were sent in."""


class PayoutBatchCheckLines(TypedDict):
    rank: int
    """The rank of the line in its batch."""
    status: Union[Literal["unchecked", "checking", "checked"], str]
    """`checking`: its operator is asked. `checked`: `result` says what came of it."""
    result: Union[Union[Literal["match", "close", "no_match", "unknown"], str], None]
    """As `POST /x/recipients/check` answers it; null until it is checked."""
    operator: Union[str, None]
    """The operator that the line is paid through; null: none follows from its number."""
    checked_at: Union[str, None]
    """When it was checked; null before."""


class PayoutBatchCheck(TypedDict):
    """The check of the names in a batch, line by line."""

    id: str
    """Prefix `pob_`: the batch."""
    object: Literal["payout_batch_check"]
    """Always `payout_batch_check`."""
    livemode: bool
    """True: real money. False: test mode, in which no money moves."""
    lines: List[PayoutBatchCheckLines]
    """In the order of the ranks."""


class PayoutBatchFinishedEvent(TypedDict):
    """Every line of the batch has an outcome: read `status`, then the lines."""

    id: str
    """Prefix `evt_`."""
    object: Literal["event"]
    """Always `event`."""
    type: Literal["payout_batch.finished"]
    """Always `payout_batch.finished`."""
    api_version: str
    """The version of the interface that `data` follows."""
    created_at: str
    """When it happened."""
    livemode: bool
    """True: real money. False: test mode, in which no money moves."""
    data: Union[PayoutBatch, BatchWithoutLines]
    """The batch, without its lines if they make the event longer than 64 000 bytes."""


class PayoutFailedEvent(TypedDict):
    """The payout failed, and its amount and fee are back: `failure_code` says why."""

    id: str
    """Prefix `evt_`."""
    object: Literal["event"]
    """Always `event`."""
    type: Literal["payout.failed"]
    """Always `payout.failed`."""
    api_version: str
    """The version of the interface that `data` follows."""
    created_at: str
    """When it happened."""
    livemode: bool
    """True: real money. False: test mode, in which no money moves."""
    data: Payout


class PayoutIndeterminateEvent(TypedDict):
    """The operator has not confirmed the payout. Never pay again: the beneficiary may have the money."""

    id: str
    """Prefix `evt_`."""
    object: Literal["event"]
    """Always `event`."""
    type: Literal["payout.indeterminate"]
    """Always `payout.indeterminate`."""
    api_version: str
    """The version of the interface that `data` follows."""
    created_at: str
    """When it happened."""
    livemode: bool
    """True: real money. False: test mode, in which no money moves."""
    data: Payout


class PayoutList(TypedDict):
    """A page of payouts."""

    object: Literal["list"]
    """Always `list`."""
    data: List[Payout]
    """Newest first."""
    limit: int
    """As it was applied."""
    has_more: bool
    """Whether older ones follow this page."""


class PayoutProcessingEvent(TypedDict):
    """The payout left for its operator, also one that is a line of a batch."""

    id: str
    """Prefix `evt_`."""
    object: Literal["event"]
    """Always `event`."""
    type: Literal["payout.processing"]
    """Always `payout.processing`."""
    api_version: str
    """The version of the interface that `data` follows."""
    created_at: str
    """When it happened."""
    livemode: bool
    """True: real money. False: test mode, in which no money moves."""
    data: Payout


class PayoutRequestBeneficiary(TypedDict):
    """Where the money goes."""

    name: Union[str, None]
    """The holder, as written in the request or in the book."""
    label: Union[str, None]
    """Your own label for the entry of the book."""
    msisdn: Union[str, None]
    """The number: in full when the request contained it, masked when it came from the book."""


class _PayoutRequest(TypedDict):
    id: str
    """Prefix `por_`."""
    object: Literal["payout_request"]
    """Always `payout_request`."""
    status: Union[Literal["pending_approval", "approved", "rejected", "expired"], str]
    """While `pending_approval` no money has moved: a person of the merchant decides."""
    reason: Union[Literal["plafond_operation", "plafond_24h"], str]
    """The cap that was exceeded: of one payout, or of 24 hours."""
    limit: int
    """The value of the cap that was exceeded, in francs."""
    amount: int
    """The amount that the beneficiary is to receive, in francs."""
    currency: str
    """Always `XOF`."""
    beneficiary: PayoutRequestBeneficiary
    """Where the money goes."""
    reference: Union[str, None]
    """Your own reference, as you sent it; null without one."""
    livemode: bool
    """True: real money. False: test mode, in which no money moves."""
    created_at: str
    """When the request was accepted."""
    decided_at: Union[str, None]
    """When it was approved or rejected, or expired; null while it waits."""


class PayoutRequest(_PayoutRequest, total=False):
    """A payout that a cap holds back until a person of yours decides. No money has moved."""

    payout_id: str
    """Prefix `txn_`: the payout. Absent until it is approved."""


class PayoutRequestApprovedEvent(TypedDict):
    """A person approved the request: `payout_id` is its payout."""

    id: str
    """Prefix `evt_`."""
    object: Literal["event"]
    """Always `event`."""
    type: Literal["payout_request.approved"]
    """Always `payout_request.approved`."""
    api_version: str
    """The version of the interface that `data` follows."""
    created_at: str
    """When it happened."""
    livemode: bool
    """True: real money. False: test mode, in which no money moves."""
    data: PayoutRequest


class PayoutRequestExpiredEvent(TypedDict):
    """Nobody decided the request in time. No money left."""

    id: str
    """Prefix `evt_`."""
    object: Literal["event"]
    """Always `event`."""
    type: Literal["payout_request.expired"]
    """Always `payout_request.expired`."""
    api_version: str
    """The version of the interface that `data` follows."""
    created_at: str
    """When it happened."""
    livemode: bool
    """True: real money. False: test mode, in which no money moves."""
    data: PayoutRequest


class PayoutRequestRejectedEvent(TypedDict):
    """A person rejected the request. No money left."""

    id: str
    """Prefix `evt_`."""
    object: Literal["event"]
    """Always `event`."""
    type: Literal["payout_request.rejected"]
    """Always `payout_request.rejected`."""
    api_version: str
    """The version of the interface that `data` follows."""
    created_at: str
    """When it happened."""
    livemode: bool
    """True: real money. False: test mode, in which no money moves."""
    data: PayoutRequest


class PayoutSucceededEvent(TypedDict):
    """The operator confirmed the payout."""

    id: str
    """Prefix `evt_`."""
    object: Literal["event"]
    """Always `event`."""
    type: Literal["payout.succeeded"]
    """Always `payout.succeeded`."""
    api_version: str
    """The version of the interface that `data` follows."""
    created_at: str
    """When it happened."""
    livemode: bool
    """True: real money. False: test mode, in which no money moves."""
    data: Payout


class RecipientCheck(TypedDict):
    """The answer of an operator about a name and a number."""

    object: Literal["recipient_check"]
    """Always `recipient_check`."""
    result: Union[Literal["match", "close", "no_match", "unknown"], str]
    """`match`: the name is that of the holder. `close`: nearly the same, check it again. `no_match`: another name. `unknown`: the operator cannot tell, or did not answer."""
    operator: Union[str, None]
    """The operator that was asked, by its code. Null when the number has no known operator."""
    livemode: bool
    """True: real money. False: test mode, in which no money moves."""
    checked_at: str
    """When the name was checked."""


class RequestPage(TypedDict):
    """A page of requests."""

    object: Literal["list"]
    """Always `list`."""
    data: List[LoggedCall]
    """Newest first. Fewer than `limit` where a filter matches few."""
    limit: int
    """As it was applied."""
    has_more: bool
    """Whether older ones follow this page."""
    next: Union[str, None]
    """The `starting_after` of the next page; null on the last."""


class SettlementBeneficiary(TypedDict):
    """The destination as it was designated at the request; later changes do not touch it."""

    id: str
    """The entry of the book, a UUID."""
    name: str
    """The holder."""
    account_type: Union[Literal["bank_account", "wallet"], str]
    """A bank account, or a wallet with an operator."""
    operator: Union[str, None]
    """The operator of a wallet, by its code; null for a bank account."""
    last4: str
    """The last four characters of the number or of the IBAN."""


class Settlement(TypedDict):
    """A settlement: what the service owes you, on its way to your designated destination."""

    id: str
    """Prefix `stl_`."""
    object: Literal["settlement"]
    """Always `settlement`."""
    amount: int
    """In francs, taken from the available balance at the request, and paid in full."""
    currency: str
    """Always `XOF`."""
    status: Union[Literal["pending_validation", "validated", "paid", "rejected"], str]
    """The staff validate a request, then pay it; or reject it, and the amount comes back."""
    beneficiary: SettlementBeneficiary
    """The destination as it was designated at the request; later changes do not touch it."""
    bank_reference: Union[str, None]
    """The reference of the transfer; null until it is paid."""
    rejection_reason: Union[str, None]
    """Why it was rejected; null unless it was."""
    livemode: bool
    """True: real money. False: test mode, in which no money moves."""
    created_at: str
    """When the request was accepted."""
    validated_at: Union[str, None]
    """When it was validated; null before."""
    paid_at: Union[str, None]
    """When the transfer was made; null before."""
    rejected_at: Union[str, None]
    """When it was rejected; null unless it was."""


class SettlementList(TypedDict):
    """Your newest settlements."""

    object: Literal["list"]
    """Always `list`."""
    data: List[Settlement]
    """Newest first."""
    total_count: int
    """All your settlements, whatever the list shows."""
    total: int
    """The same as `total_count`."""
    limit: int
    """Always 50."""
    offset: int
    """Always 0."""
    has_more: bool
    """Whether there are older ones."""


class SettlementPaidEvent(TypedDict):
    """The transfer of the settlement was made."""

    id: str
    """Prefix `evt_`."""
    object: Literal["event"]
    """Always `event`."""
    type: Literal["settlement.paid"]
    """Always `settlement.paid`."""
    api_version: str
    """The version of the interface that `data` follows."""
    created_at: str
    """When it happened."""
    livemode: bool
    """True: real money. False: test mode, in which no money moves."""
    data: Settlement


class SettlementRejectedEvent(TypedDict):
    """The staff rejected the settlement, and its amount is back: `rejection_reason` says why."""

    id: str
    """Prefix `evt_`."""
    object: Literal["event"]
    """Always `event`."""
    type: Literal["settlement.rejected"]
    """Always `settlement.rejected`."""
    api_version: str
    """The version of the interface that `data` follows."""
    created_at: str
    """When it happened."""
    livemode: bool
    """True: real money. False: test mode, in which no money moves."""
    data: Settlement


class SettlementValidatedEvent(TypedDict):
    """The staff validated the settlement."""

    id: str
    """Prefix `evt_`."""
    object: Literal["event"]
    """Always `event`."""
    type: Literal["settlement.validated"]
    """Always `settlement.validated`."""
    api_version: str
    """The version of the interface that `data` follows."""
    created_at: str
    """When it happened."""
    livemode: bool
    """True: real money. False: test mode, in which no money moves."""
    data: Settlement


_Statement = TypedDict(
    "_Statement",
    {
        "object": "Literal['statement']",
        "from": "str",
        "to": "str",
        "currency": "str",
        "livemode": "bool",
        "opening_balance": "int",
        "total_in": "int",
        "total_out": "int",
        "closing_balance": "int",
        "data": "List[Movement]",
        "total_count": "int",
        "limit": "int",
        "offset": "int",
        "has_more": "bool",
    },
)


class Statement(_Statement, total=False):
    pass


class TestedEndpoint(TypedDict):
    """The endpoint that gets the event, without its URL."""

    id: str
    """Prefix `whe_`."""
    object: Literal["endpoint"]
    """Always `endpoint`."""
    status: Literal["enabled"]
    """Always `enabled`: a disabled endpoint gets nothing."""
    event_types: List[Union[Literal["payment.pending", "payment.succeeded", "payment.failed", "payment.expired", "payment.refunded", "payment.partially_refunded", "payout.processing", "payout.succeeded", "payout.failed", "payout.indeterminate", "payout_request.approved", "payout_request.rejected", "payout_request.expired", "payout_batch.finished", "checkout_session.paid", "checkout_session.expired", "settlement.validated", "settlement.paid", "settlement.rejected", "endpoint.test"], str]]
    """Those it subscribes to. Empty: all."""
    livemode: bool
    """True: real money. False: test mode, in which no money moves."""


WebhookEvent = Union[
    PaymentPendingEvent,
    PaymentSucceededEvent,
    PaymentFailedEvent,
    PaymentExpiredEvent,
    PaymentRefundedEvent,
    PaymentPartiallyRefundedEvent,
    PayoutProcessingEvent,
    PayoutSucceededEvent,
    PayoutFailedEvent,
    PayoutIndeterminateEvent,
    PayoutRequestApprovedEvent,
    PayoutRequestRejectedEvent,
    PayoutRequestExpiredEvent,
    PayoutBatchFinishedEvent,
    CheckoutSessionPaidEvent,
    CheckoutSessionExpiredEvent,
    SettlementValidatedEvent,
    SettlementPaidEvent,
    SettlementRejectedEvent,
    EndpointTestEvent,
]


class CreatePaymentCounterparty(TypedDict):
    msisdn: str
    """Ten digits, or the international form with `+225`."""


class CreatePaymentMetadata(TypedDict, total=False):
    pass


class _CreatePayment(TypedDict):
    amount: int
    """Whole francs (XOF)."""


class CreatePayment(_CreatePayment, total=False):
    currency: Union[str, None]
    """Only XOF."""
    operator: Union[Literal["orange_ci", "mtn_ci", "moov_ci", "wave_ci"], None]
    """When absent, the operator follows from the number's prefix."""
    counterparty: Union[CreatePaymentCounterparty, None]
    """The payer. Without one the payment fails, unless its operator collects through a link."""
    merchant_reference: Union[str, None]
    """Unique per merchant and mode."""
    description: Union[str, None]
    """The purpose of the payment. 1 000 characters at most."""
    metadata: Union[CreatePaymentMetadata, None]
    """Free keys, 16 384 characters of JSON at most."""
    simulate: Any
    """`succeed`: concludes at once, in test mode. Ignored in live mode."""


class _CreateCheckoutSession(TypedDict):
    amount: int
    """Whole francs (XOF)."""


class CreateCheckoutSession(_CreateCheckoutSession, total=False):
    currency: Union[str, None]
    """Only XOF."""
    description: Union[str, None]
    """The text that the payer reads on the page."""
    return_url: Union[str, None]
    """Where the payer goes back to after success. HTTPS."""


class _CreatePayoutBeneficiary(TypedDict):
    msisdn: str
    """Ten digits, or international form starting `+225`."""
    name: str
    """The holder, 1 to 200 characters."""


class CreatePayoutBeneficiary(_CreatePayoutBeneficiary, total=False):
    operator: Union[Literal["orange_ci", "mtn_ci", "moov_ci", "wave_ci"], None]
    """When absent, the operator follows from the number's prefix."""


class _CreatePayout(TypedDict):
    amount: int
    """Whole francs (XOF)."""


class CreatePayout(_CreatePayout, total=False):
    currency: Union[str, None]
    """Only XOF."""
    beneficiary_id: Union[str, None]
    """An entry of the book."""
    beneficiary: Union[CreatePayoutBeneficiary, None]
    """A destination written in the request. It is saved to the book."""
    reference: Union[str, None]
    """Returned as given."""


class CreatePayoutBatch(TypedDict, total=False):
    reference: Union[str, None]
    """Your own reference of the batch, returned as given."""
    currency: Union[str, None]
    """Only XOF."""
    lines: Any
    """Required. An array of 1 to 500 objects: amount (integer), beneficiary_id or beneficiary (msisdn, operator, name), reference."""


class ListBeneficiariesQuery(TypedDict, total=False):
    active: Literal["true", "false"]
    """`true`: only active entries; `false`: only archived ones."""
    limit: Union[int, str]
    """50 when absent, 100 at most."""
    offset: Union[int, str]
    """Entries to pass over, 10000 at most. Beyond that send `starting_after`."""
    starting_after: Union[int, str]
    """The id of the last entry of the page before. As quick at any depth."""


class AddBeneficiaryBeneficiary(TypedDict):
    msisdn: str
    """Ten digits, or the international form with `+225`."""
    operator: Literal["orange_ci", "mtn_ci", "moov_ci", "wave_ci"]
    """The network of the destination."""
    name: str
    """Your own label, 2 to 200 characters; not verified with the operator."""


class AddBeneficiary(TypedDict, total=False):
    beneficiary: Union[AddBeneficiaryBeneficiary, None]
    """The same three fields, if you prefer them in an object of their own."""
    msisdn: Union[str, None]
    """Ten digits, or the international form with `+225`."""
    operator: Union[Literal["orange_ci", "mtn_ci", "moov_ci", "wave_ci"], None]
    """The network of the destination."""
    name: Union[str, None]
    """Your own label, 2 to 200 characters; not verified with the operator."""


class CreateSettlement(TypedDict):
    amount: int
    """Whole francs (XOF)."""
    beneficiary: str
    """The settlement destination that is designated: the id that `bandama destination create` printed."""


_GetStatementQuery = TypedDict(
    "_GetStatementQuery",
    {
        "from": "str",
        "to": "str",
    },
)


class GetStatementQuery(_GetStatementQuery, total=False):
    limit: Union[int, str]
    """100 when absent, 500 at most."""
    offset: Union[int, str]
    """Movements to pass over."""


class SubmitPaymentCode(TypedDict):
    code: str
    """The digits that the payer received, 4 to 10."""


class CreatePaymentLink(TypedDict, total=False):
    amount: Union[int, None]
    """The amount to pay, in francs. Without it payers choose between the bounds."""
    min_amount: Union[int, None]
    """The least that a payer may choose, in francs: 100 when absent. Not with `amount`."""
    max_amount: Union[int, None]
    """The most that a payer may choose, in francs: your limit for one payment when absent. Not with `amount`."""
    currency: Union[str, None]
    """Only XOF."""
    description: Union[str, None]
    """The text that payers read on the page, in one line."""
    reference: Union[str, None]
    """Your own label, such as an order number; not unique."""
    whatsapp: Union[str, None]
    """The number to which payers may send their receipt by WhatsApp: ten digits, or with `+` and the code of its country."""
    reusable: Union[bool, None]
    """True: many payers may pay. False: the first payment ends the link."""
    expires_at: Union[str, None]
    """The moment after which nobody can pay, in the future. Absent: the link does not expire."""


class ListPaymentLinksQuery(TypedDict, total=False):
    status: Literal["open", "busy", "paid", "closed", "expired"]
    """Only those in this state."""
    day: str
    """Only those created on this day of UTC, which is the time of Abidjan."""
    limit: Union[int, str]
    """20 when absent, 100 at most."""
    starting_after: str
    """The id of the last one of the page before."""


class _CheckRecipientBeneficiary(TypedDict):
    msisdn: str
    """Ten digits, or international form starting `+225`."""
    name: str
    """The holder, 1 to 200 characters."""


class CheckRecipientBeneficiary(_CheckRecipientBeneficiary, total=False):
    operator: Union[Literal["orange_ci", "mtn_ci", "moov_ci", "wave_ci"], None]
    """When absent, the operator follows from the number's prefix."""


class CheckRecipient(TypedDict, total=False):
    beneficiary_id: Union[str, None]
    """An entry of the book."""
    beneficiary: Union[CheckRecipientBeneficiary, None]
    """A destination written in the request. It is saved to the book."""


class PredictOperator(TypedDict):
    msisdn: str
    """Ten digits, or the international form with `+225`."""


class ListPaymentsQuery(TypedDict, total=False):
    status: Literal["created", "pending", "succeeded", "failed", "expired", "refunded", "partially_refunded"]
    """Only those in this state."""
    day: str
    """Only those created on this day of UTC, which is the time of Abidjan."""
    reference: str
    """Only those with this reference of yours, exactly as you sent it."""
    limit: Union[int, str]
    """20 when absent, 100 at most."""
    starting_after: str
    """The id of the last one of the page before."""
    operator: Literal["orange_ci", "mtn_ci", "moov_ci", "wave_ci"]
    """Only those of this operator."""


class ListPayoutsQuery(TypedDict, total=False):
    status: Literal["created", "processing", "succeeded", "failed", "indeterminate"]
    """Only those in this state."""
    day: str
    """Only those created on this day of UTC, which is the time of Abidjan."""
    reference: str
    """Only those with this reference of yours, exactly as you sent it."""
    limit: Union[int, str]
    """20 when absent, 100 at most."""
    starting_after: str
    """The id of the last one of the page before."""
    operator: Literal["orange_ci", "mtn_ci", "moov_ci", "wave_ci"]
    """Only those of this operator."""


class ListBatchesQuery(TypedDict, total=False):
    status: Literal["brouillon", "en_attente_validation", "en_cours", "termine", "termine_avec_erreurs", "annule"]
    """Only those in this state."""
    day: str
    """Only those created on this day of UTC, which is the time of Abidjan."""
    reference: str
    """Only those with this reference of yours, exactly as you sent it."""
    limit: Union[int, str]
    """20 when absent, 100 at most."""
    starting_after: str
    """The id of the last one of the page before."""


class FindSettlementsQuery(TypedDict, total=False):
    status: Literal["pending_validation", "validated", "paid", "rejected"]
    """Only those in this state."""
    day: str
    """Only those created on this day of UTC, which is the time of Abidjan."""
    reference: str
    """Only the one with this reference of the bank's transfer."""
    limit: Union[int, str]
    """20 when absent, 100 at most."""
    starting_after: str
    """The id of the last one of the page before."""
    operator: Literal["orange_ci", "mtn_ci", "moov_ci", "wave_ci"]
    """Only those of this operator."""


class ListEventsQuery(TypedDict, total=False):
    type: Literal["payment.pending", "payment.succeeded", "payment.failed", "payment.expired", "payment.refunded", "payment.partially_refunded", "payout.processing", "payout.succeeded", "payout.failed", "payout.indeterminate", "payout_request.approved", "payout_request.rejected", "payout_request.expired", "payout_batch.finished", "checkout_session.paid", "checkout_session.expired", "settlement.validated", "settlement.paid", "settlement.rejected", "endpoint.test"]
    """Only events of this kind."""
    subject_id: Union[int, str]
    """Only events about this resource, by its id."""
    limit: Union[int, str]
    """20 when absent, 100 at most."""
    starting_after: str
    """The id of the last event of the page before."""
    after: str
    """Asks for the feed behind this place: a cursor, `begin` for the oldest event that is kept, `now`, or a moment, from which the feed begins up to ten minutes early. Not with `starting_after`."""
    wait: Union[int, str]
    """Seconds to wait for an event when there is none, 0 when absent, 25 at most. Only with `after`."""


class ListRequestsQuery(TypedDict, total=False):
    status: Literal["2xx", "4xx", "5xx"]
    """Only answers of this class."""
    limit: Union[int, str]
    """20 when absent, 100 at most."""
    starting_after: str
    """The `next` of the page before."""
