# Derived from _resources.py by `npm run derive`. Do not edit.
from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, AsyncIterator, Awaitable, Literal, Optional, Sequence, TypeVar, Union, cast

from . import _keys
from ._calls import Followed, act, at, follow, get, is_cancelled, items, movements, post, wait
from ._run import AsyncRunner
from ._send import Settings

if TYPE_CHECKING:
    from . import types as t

Self = TypeVar("Self", bound="AsyncResources")


class AsyncResources:
    """What a client offers, by resource."""

    mode: Literal["test", "live"]
    """The mode of the key: `test` moves no money."""

    def _use(self, settings: Settings) -> None:
        self._settings = settings
        self.mode = "live" if "_sk_live_" in settings.key else "test"
        run = self._run = AsyncRunner(settings)
        self.payments = Payments(run)
        self.checkout = Checkout(run)
        self.links = Links(run)
        self.payouts = Payouts(run)
        self.batches = Batches(run)
        self.settlements = Settlements(run)
        self.beneficiaries = Beneficiaries(run)
        self.statements = Statements(run)
        self.operators = Operators(run)
        self.recipients = Recipients(run)
        self.events = Events(run)

    def with_options(self: Self, *, timeout: Optional[float] = None, retries: Optional[int] = None) -> Self:
        """Returns the same client with other times or retries, for some of your calls."""
        other = cast(Self, object.__new__(type(self)))
        old = self._settings
        time_limit = old.timeout if timeout is None else timeout
        other._use(replace(old, timeout=time_limit, retries=old.retries if retries is None else retries))
        return other

    def balances(self) -> Awaitable[t.Balances]:
        """Reads the balances of the merchant in this mode, in francs."""
        return self._run.one(get("/x/balances"))


class _Resource:
    def __init__(self, run: AsyncRunner) -> None:
        self._run = run


class Payments(_Resource):
    def create(self, body: t.CreatePayment, *, idempotency_key: Optional[str] = None) -> Awaitable[t.Payment]:
        """Asks a payer for money. A 201 is no money yet: `wait`, or wait for the webhook. With `merchant_reference` a repeated call asks once."""
        key = _keys.of_payment(idempotency_key, body.get("merchant_reference"))
        return self._run.one(post("/v1-payments", body, key))

    def get(self, id: str) -> Awaitable[t.Payment]:
        return self._run.one(get(at("/v1-payments", id)))

    def list(self, query: Optional[t.ListPaymentsQuery] = None) -> AsyncIterator[t.ListedPayment]:
        return self._run.many(items("/x/payments", query))

    def cancel(self, id: str) -> Awaitable[t.Payment]:
        return self._run.one(act(at("/x/payments", id), "cancel", is_cancelled))

    def submit_code(self, id: str, code: str) -> Awaitable[t.Payment]:
        """Passes on the one-time code that the payer typed. Not repeated after a lost answer: read the payment."""
        return self._run.one(post(at("/x/payments", id) + "/code", {"code": code}))

    def wait(self, id: str, *, timeout: float = 120.0) -> Awaitable[t.Payment]:
        """Reads until the money has moved or will not, or until the time is up: then the payment is as it was last."""
        return self._run.one(wait(at("/v1-payments", id), timeout))


class Checkout(_Resource):
    def create(self, body: t.CreateCheckoutSession, *, idempotency_key: Optional[str] = None) -> Awaitable[t.CheckoutSession]:
        """Makes a page where a payer pays."""
        return self._run.one(post("/v1-checkout", body, _keys.or_new(idempotency_key)))


class Links(_Resource):
    def create(self, body: t.CreatePaymentLink, *, idempotency_key: Optional[str] = None) -> Awaitable[t.PaymentLink]:
        """Makes an address that a customer, or many, can pay at."""
        return self._run.one(post("/x/links", body, _keys.or_new(idempotency_key)))

    def get(self, id: str) -> Awaitable[t.PaymentLink]:
        return self._run.one(get(at("/x/links", id)))

    def list(self, query: Optional[t.ListPaymentLinksQuery] = None) -> AsyncIterator[t.PaymentLink]:
        return self._run.many(items("/x/links", query))

    def close(self, id: str) -> Awaitable[t.PaymentLink]:
        return self._run.one(act(at("/x/links", id), "close", lambda read: read["status"] == "closed"))


class Payouts(_Resource):
    def create(self, body: t.CreatePayout, *, idempotency_key: str) -> Awaitable[Union[t.Payout, t.PayoutRequest]]:
        """Sends money out. A `payout_request` in place of a `payout`: a person must approve it first, and nothing has left.

        Store `idempotency_key` with your order before this call.
        """
        return self._run.one(post("/v1-payouts", body, _keys.checked(idempotency_key)))

    def get(self, id: str) -> Awaitable[Union[t.Payout, t.PayoutRequest]]:
        return self._run.one(get(at("/v1-payouts", id)))

    def list(self, query: Optional[t.ListPayoutsQuery] = None) -> AsyncIterator[t.Payout]:
        return self._run.many(items("/x/payouts", query))

    def cancel(self, id: str) -> Awaitable[t.Payout]:
        return self._run.one(act(at("/x/payouts", id), "cancel", is_cancelled))

    def wait(self, id: str, *, timeout: float = 120.0) -> Awaitable[Union[t.Payout, t.PayoutRequest]]:
        return self._run.one(wait(at("/v1-payouts", id), timeout))


class Batches(_Resource):
    def create(self, body: t.CreatePayoutBatch, *, idempotency_key: str) -> Awaitable[t.PayoutBatch]:
        """Prepares up to 500 payouts. Nothing leaves before `execute`."""
        return self._run.one(post("/v1-payout-batches", body, _keys.checked(idempotency_key)))

    def get(self, id: str) -> Awaitable[t.PayoutBatch]:
        return self._run.one(get(at("/v1-payout-batches", id)))

    def list(self, query: Optional[t.ListBatchesQuery] = None) -> AsyncIterator[t.ListedBatch]:
        return self._run.many(items("/x/batches", query))

    def execute(self, id: str) -> Awaitable[t.PayoutBatch]:
        begun = ("en_cours", "termine", "termine_avec_erreurs")
        return self._run.one(act(at("/v1-payout-batches", id), "execute", lambda read: read["status"] in begun))

    def cancel(self, id: str) -> Awaitable[t.PayoutBatch]:
        return self._run.one(act(at("/v1-payout-batches", id), "cancel", lambda read: read["status"] == "annule"))

    def check(self, id: str) -> Awaitable[t.PayoutBatchCheck]:
        """Begins to compare the names of its lines with those of the numbers' holders."""
        return self._run.one(post(at("/x/payout-batches", id) + "/check"))

    def get_check(self, id: str) -> Awaitable[t.PayoutBatchCheck]:
        return self._run.one(get(at("/x/payout-batches", id) + "/check"))


class Settlements(_Resource):
    def create(self, body: t.CreateSettlement, *, idempotency_key: str) -> Awaitable[t.Settlement]:
        """Asks for the available balance. A 202 is no money yet."""
        return self._run.one(post("/v1-settlements", body, _keys.checked(idempotency_key)))

    def get(self, id: str) -> Awaitable[t.Settlement]:
        return self._run.one(get(at("/v1-settlements", id)))

    def list(self, query: Optional[t.FindSettlementsQuery] = None) -> AsyncIterator[t.Settlement]:
        return self._run.many(items("/x/settlements", query))


class Beneficiaries(_Resource):
    def create(self, body: t.AddBeneficiary) -> Awaitable[t.Beneficiary]:
        """Adds a destination. The same number again gives the same entry, so it is repeated without a key."""
        return self._run.one(post("/v1-beneficiaries", body, repeatable=True))

    def get(self, id: str) -> Awaitable[t.Beneficiary]:
        return self._run.one(get(at("/v1-beneficiaries", id)))

    def list(self, query: Optional[t.ListBeneficiariesQuery] = None) -> AsyncIterator[t.Beneficiary]:
        return self._run.many(items("/v1-beneficiaries", query))


class Statements(_Resource):
    def get(self, query: t.GetStatementQuery) -> Awaitable[t.Statement]:
        return self._run.one(get("/v1-statements", query))

    def movements(self, query: t.GetStatementQuery) -> AsyncIterator[t.Movement]:
        """Every movement of a period, in order."""
        return self._run.many(movements(query))


class Operators(_Resource):
    def list(self) -> Awaitable[t.OperatorList]:
        return self._run.one(get("/x/operators"))

    def predict(self, msisdn: str) -> Awaitable[t.OperatorPrediction]:
        """Proposes the operator of a number."""
        return self._run.one(post("/x/operators/predict", {"msisdn": msisdn}, repeatable=True))


class Recipients(_Resource):
    def check(self, body: t.CheckRecipient) -> Awaitable[t.RecipientCheck]:
        """Asks whether a name is that of a number's holder. Not repeated after a lost answer, because checks are counted."""
        return self._run.one(post("/x/recipients/check", body))


class Events(_Resource):
    def get(self, id: str) -> Awaitable[t.Event]:
        return self._run.one(get(at("/x/events", id)))

    def list(self, query: Optional[t.ListEventsQuery] = None) -> AsyncIterator[t.Event]:
        return self._run.many(items("/x/events", query))

    def replay(self, id: str) -> Awaitable[t.Event]:
        """Has an event sent again to your endpoints. Not repeated after a lost answer."""
        return self._run.one(post(at("/x/events", id) + "/replay"))

    def follow(self, *, after: str, types: Optional[Sequence[str]] = None) -> AsyncIterator[Followed]:
        """Gives every event once, in order, for ever, over silence, restarts and restores.

        `after`: a cursor that you kept, `begin`, a moment, or `now`: when the service first answers. `types`: only events of these kinds. Keep
        `cursor` when you have handled its event, and go on from it after a crash. Raises BandamaError when the service refuses.
        """
        return self._run.many(follow(after, types))
