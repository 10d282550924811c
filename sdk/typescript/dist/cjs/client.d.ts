import type { WebhookEvent } from './events.js';
import type { Call, Items, Keyed, Options, R } from './options.js';
import type * as T from './types.js';
/** How long `wait` waits, 120 000 ms when absent: no call that it makes lasts longer. */
export type Waiting = {
    timeoutMs?: number;
    signal?: AbortSignal;
};
/**
 * Where a follower begins: a cursor that you kept, `begin`, a moment, or `now`: when the service first answers. `types`: only events of these kinds.
 */
export type Following = {
    after: string;
    types?: readonly string[];
    signal?: AbortSignal;
};
/** A client of an instance. Its key stays inside, and decides the mode. */
export declare class Bandama {
    #private;
    /** The mode of the key: `test` moves no money. */
    readonly mode: 'test' | 'live';
    /** @throws TypeError when the key or the address cannot be used */
    constructor(options: Options);
    readonly payments: {
        /** Asks a payer for money. A 201 is no money yet: `wait`, or wait for the webhook. With `merchant_reference` a repeated call asks once. */
        create: (body: T.CreatePayment, call?: Call) => R<T.Payment>;
        get: (id: string, call?: Call) => R<T.Payment>;
        list: (query?: T.ListPaymentsQuery, call?: Call) => Items<T.ListedPayment>;
        cancel: (id: string, call?: Call) => R<T.Payment>;
        /** Passes on the one-time code that the payer typed. Not repeated after a lost answer: read the payment. */
        submitCode: (id: string, code: string, call?: Call) => R<T.Payment>;
        /** Reads until the money has moved or will not, or until the time is up: then the payment is as it was last. */
        wait: (id: string, options?: Waiting) => R<T.Payment>;
    };
    readonly checkout: {
        /** Makes a page where a payer pays. */
        create: (body: T.CreateCheckoutSession, call?: Call) => R<T.CheckoutSession>;
    };
    readonly links: {
        /** Makes an address that a customer, or many, can pay at. */
        create: (body: T.CreatePaymentLink, call?: Call) => R<T.PaymentLink>;
        get: (id: string, call?: Call) => R<T.PaymentLink>;
        list: (query?: T.ListPaymentLinksQuery, call?: Call) => Items<T.PaymentLink>;
        close: (id: string, call?: Call) => R<T.PaymentLink>;
    };
    readonly payouts: {
        /** Sends money out. A `payout_request` in place of a `payout`: a person must approve it first, and nothing has left. */
        create: (body: T.CreatePayout, call: Keyed) => R<T.Payout | T.PayoutRequest>;
        get: (id: string, call?: Call) => R<T.Payout | T.PayoutRequest>;
        list: (query?: T.ListPayoutsQuery, call?: Call) => Items<T.Payout>;
        cancel: (id: string, call?: Call) => R<T.Payout>;
        wait: (id: string, options?: Waiting) => R<T.Payout | T.PayoutRequest>;
    };
    readonly batches: {
        /** Prepares up to 500 payouts. Nothing leaves before `execute`. */
        create: (body: T.CreatePayoutBatch, call: Keyed) => R<T.PayoutBatch>;
        get: (id: string, call?: Call) => R<T.PayoutBatch>;
        list: (query?: T.ListBatchesQuery, call?: Call) => Items<T.ListedBatch>;
        execute: (id: string, call?: Call) => R<T.PayoutBatch>;
        cancel: (id: string, call?: Call) => R<T.PayoutBatch>;
        /** Begins to compare the names of its lines with those of the numbers' holders. */
        check: (id: string, call?: Call) => R<T.PayoutBatchCheck>;
        getCheck: (id: string, call?: Call) => R<T.PayoutBatchCheck>;
    };
    readonly settlements: {
        /** Asks for the available balance. A 202 is no money yet. */
        create: (body: T.CreateSettlement, call: Keyed) => R<T.Settlement>;
        get: (id: string, call?: Call) => R<T.Settlement>;
        list: (query?: T.FindSettlementsQuery, call?: Call) => Items<T.Settlement>;
    };
    readonly beneficiaries: {
        /** Adds a destination. The same number again gives the same entry, so it is repeated without a key. */
        create: (body: T.AddBeneficiary, call?: Call) => R<T.Beneficiary>;
        get: (id: string, call?: Call) => R<T.Beneficiary>;
        list: (query?: T.ListBeneficiariesQuery, call?: Call) => Items<T.Beneficiary>;
    };
    readonly statements: {
        get: (query: T.GetStatementQuery, call?: Call) => R<T.Statement>;
        /** Every movement of a period, in order. */
        movements: (query: Pick<T.GetStatementQuery, 'from' | 'to'>, call?: Call) => Items<T.Movement>;
    };
    readonly operators: {
        list: (call?: Call) => R<T.OperatorList>;
        /** Proposes the operator of a number. */
        predict: (msisdn: string, call?: Call) => R<T.OperatorPrediction>;
    };
    readonly recipients: {
        /** Asks whether a name is that of a number's holder. Not repeated after a lost answer, because checks are counted. */
        check: (body: T.CheckRecipient, call?: Call) => R<T.RecipientCheck>;
    };
    readonly events: {
        get: (id: string, call?: Call) => R<T.Event>;
        list: (query?: Omit<T.ListEventsQuery, 'after' | 'wait'>, call?: Call) => Items<T.Event>;
        /** Has an event sent again to your endpoints. Not repeated after a lost answer. */
        replay: (id: string, call?: Call) => R<T.Event>;
        /**
         * Gives every event once, in order, for ever, over silence, restarts and restores. Keep `cursor` when you have handled its event, and go on
         * from it after a crash. Ends when your signal does. @throws BandamaError when the service refuses
         */
        follow: (options: Following) => AsyncGenerator<{
            event: WebhookEvent;
            cursor: string;
        }, void, undefined>;
    };
    /** Reads the balances of the merchant in this mode, in francs. */
    balances(call?: Call): R<T.Balances>;
}
