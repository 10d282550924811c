/** A value of a list that may grow. The editor proposes the known ones, and a program must expect others. */
export type Open<T extends string> = T | (string & {});
/** Your balances at one moment, in francs. */
export type Balances = {
    /** Always `balances`. */
    object: 'balances';
    /** The balance that the service owes you, in francs. It is the closing balance of today’s statement. */
    available: number;
    /** The balance that payouts are paid from, in francs. */
    transfer: number;
    /** Taken for payouts that have no outcome yet, fees included, in francs. */
    payouts_in_flight: number;
    /** Taken for settlements that are neither paid nor rejected, in francs. */
    settlements_in_flight: number;
    /** Always `XOF`. */
    currency: string;
    /** True: real money. False: test mode, in which no money moves. */
    livemode: boolean;
    /** The moment at which the four balances were read. */
    as_of: string;
};
/** A page of batches. */
export type BatchList = {
    /** Always `list`. */
    object: 'list';
    /** Newest first. */
    data: Array<ListedBatch>;
    /** As it was applied. */
    limit: number;
    /** Whether older ones follow this page. */
    has_more: boolean;
};
/** A batch of payouts whose lines make the event longer than 64 000 bytes. */
export type BatchWithoutLines = {
    /** Prefix `pob_`. */
    id: string;
    /** Always `payout_batch`. */
    object: 'payout_batch';
    /** `brouillon`: a draft that can be executed. `en_attente_validation`: above the cap of 24 hours, waits for approval. `en_cours`: under way. `termine`: every line succeeded. `termine_avec_erreurs`: at least one line did not. `annule`: cancelled. */
    status: Open<'brouillon' | 'en_attente_validation' | 'en_cours' | 'termine' | 'termine_avec_erreurs' | 'annule'>;
    /** Your own reference of the batch, as you sent it; null without one. */
    reference: string | null;
    /** Always `XOF`. */
    currency: string;
    /** The sum of its lines, in francs, without fees. */
    total_amount: number;
    /** How many lines it has, 1 to 500. */
    line_count: number;
    /** True: real money. False: test mode, in which no money moves. */
    livemode: boolean;
    /** When the batch was made. */
    created_at: string;
    /** When it was executed; null before. */
    executed_at: string | null;
    /** When its last line had an outcome; null before. */
    finished_at: string | null;
    /** The event has no room for the lines: read them with `GET /v1-payout-batches/{batch_id}`. */
    lines_omitted: true;
};
/** An entry of your book of beneficiaries. */
export type Beneficiary = {
    /** Names the entry in `beneficiary_id`. */
    id: string;
    /** Always `beneficiary`. */
    object: 'beneficiary';
    /** The money that may be sent there. */
    kind: Open<'payout' | 'settlement'>;
    /** The merchant's own words for it. */
    label: string | null;
    /** The holder, not verified with the operator. */
    name: string;
    /** The network of the number; null for a bank account. */
    operator: string | null;
    /** The end of the number or of the IBAN. */
    last4: string;
    /** False: archived. */
    active: boolean;
    /** True: real money. False: test mode, in which no money moves. */
    livemode: boolean;
    /** When the entry was made. */
    created_at: string;
    /** When it was archived; null while it is active. */
    archived_at: string | null;
};
/** A page of your book of beneficiaries. */
export type BeneficiaryList = {
    /** Always `list`. */
    object: 'list';
    /** Oldest first. */
    data: Array<Beneficiary>;
    /** Entries of the whole list, whatever the page. */
    total_count: number;
    /** The same as `total_count`. */
    total: number;
    /** As it was applied. */
    limit: number;
    /** How many entries were passed over. */
    offset: number;
    /** Whether entries follow this page. */
    has_more: boolean;
};
/** A page on which one payer pays. */
export type CheckoutSession = {
    /** Prefix `cs_`. */
    id: string;
    /** Always `checkout_session`. */
    object: 'checkout_session';
    /** Only an `open` session can be paid. */
    status: Open<'open' | 'paid' | 'closed' | 'expired'>;
    /** The page to hand to the payer. Only in the answer to its creation, never in an event. */
    url?: string;
    /** The amount to pay, in francs. */
    amount: number;
    /** The source of `amount`: `merchant`, your server, your people or a link of a fixed amount; `address`, the address of a link (`?amount=…`), which anybody can change within its bounds; `payer`, the payer's choice. Compare the last two with your price. */
    amount_source: Open<'merchant' | 'address' | 'payer'>;
    /** On a link of a free amount: a bound between which the payer chose, in francs. Absent elsewhere. */
    min_amount?: number;
    /** On a link of a free amount: a bound between which the payer chose, in francs. Absent elsewhere. */
    max_amount?: number;
    /** Always `XOF`. */
    currency: string;
    /** The text that the payer reads on the page; null without one. */
    description: string | null;
    /** The reference, from its link or the address of the link (`?ref=…`), which anybody can write. Not unique. Null without one. */
    reference: string | null;
    /** Where the payer goes back to after success; null without one. */
    return_url: string | null;
    /** The payment that paid it; before that the latest attempt, or null. Only `status` says that it is paid. */
    payment_id: string | null;
    /** Prefix `lnk_`: the link that its payer came from. Absent when your server made the session. */
    link_id?: string;
    /** True: real money. False: test mode, in which no money moves. */
    livemode: boolean;
    /** When the session was made. */
    created_at: string;
    /** When the page takes no payment any more. */
    expires_at: string;
    /** Only in the answer to its creation, while no operator can collect for you in this mode, or none that can takes the amount. */
    warning?: string;
};
/** The time of the page ended without a payment. */
export type CheckoutSessionExpiredEvent = {
    /** Prefix `evt_`. */
    id: string;
    /** Always `event`. */
    object: 'event';
    /** Always `checkout_session.expired`. */
    type: 'checkout_session.expired';
    /** The version of the interface that `data` follows. */
    api_version: string;
    /** When it happened. */
    created_at: string;
    /** True: real money. False: test mode, in which no money moves. */
    livemode: boolean;
    data: CheckoutSession;
};
/** A payment on the page succeeded: `payment_id` names it. */
export type CheckoutSessionPaidEvent = {
    /** Prefix `evt_`. */
    id: string;
    /** Always `event`. */
    object: 'event';
    /** Always `checkout_session.paid`. */
    type: 'checkout_session.paid';
    /** The version of the interface that `data` follows. */
    api_version: string;
    /** When it happened. */
    created_at: string;
    /** True: real money. False: test mode, in which no money moves. */
    livemode: boolean;
    data: CheckoutSession;
};
/** The state of the delivery of an event to one endpoint. */
export type DeliverySummary = {
    /** Prefix `dlv_`. */
    id: string;
    /** Prefix `whe_`. */
    endpoint_id: string;
    /** `held`: the endpoint is disabled. `failed`: every attempt of the schedule was made. */
    status: Open<'pending' | 'delivered' | 'failed' | 'held'>;
    /** How many attempts were made so far, those before a replay included. */
    attempts: number;
    /** Your server's answer to the last attempt; null when there was none, or no attempt was made. */
    last_response_status: number | null;
    /** When it is tried next; null when no more attempts are due. */
    next_attempt_at: string | null;
};
/** A test of one endpoint, sent to it alone, also if it subscribes to other types only. */
export type EndpointTestEvent = {
    /** Prefix `evt_`. */
    id: string;
    /** Always `event`. */
    object: 'event';
    /** Always `endpoint.test`. */
    type: 'endpoint.test';
    /** The version of the interface that `data` follows. */
    api_version: string;
    /** When it happened. */
    created_at: string;
    /** True: real money. False: test mode, in which no money moves. */
    livemode: boolean;
    data: TestedEndpoint;
};
/** An event as webhooks have it, with its deliveries. */
export type Event = {
    /** Prefix `evt_`. */
    id: string;
    /** Always `event`. */
    object: 'event';
    /** The event type. */
    type: Open<'payment.pending' | 'payment.succeeded' | 'payment.failed' | 'payment.expired' | 'payment.refunded' | 'payment.partially_refunded' | 'payout.processing' | 'payout.succeeded' | 'payout.failed' | 'payout.indeterminate' | 'payout_request.approved' | 'payout_request.rejected' | 'payout_request.expired' | 'payout_batch.finished' | 'checkout_session.paid' | 'checkout_session.expired' | 'settlement.validated' | 'settlement.paid' | 'settlement.rejected' | 'endpoint.test'>;
    /** The version of the interface that `data` follows. */
    api_version: string;
    /** When it happened. */
    created_at: string;
    /** True: real money. False: test mode, in which no money moves. */
    livemode: boolean;
    /** The resource as its GET gave it at that moment, with its new `status`. */
    data: Record<string, unknown>;
    /** One for each endpoint that wanted it, in no webhook. */
    deliveries: Array<DeliverySummary>;
};
/** A part of the feed, with `after`. */
export type EventFeed = {
    /** Always `feed`. */
    object: 'feed';
    /** In the order of the feed. Fewer than `limit` when more would exceed 1 MB. Empty when nothing followed in time. */
    data: Array<FeedEvent>;
    /** The `after` of the next call. Keep it when you have handled `data`. */
    next: string;
    /** Whether the next call should follow at once. */
    has_more: boolean;
    /** When an older state of the database was restored, told once to a reader who had read events that it does not have. Otherwise null. */
    restored_at: string | null;
};
/** A page of events, without `after`. */
export type EventList = {
    /** Always `list`. */
    object: 'list';
    /** Newest first. Fewer than `limit` when more would exceed 1 MB. */
    data: Array<Event>;
    /** As it was applied. */
    limit: number;
    /** Whether older events follow this page. */
    has_more: boolean;
};
/** An event as webhooks have it, with its place in the feed. */
export type FeedEvent = {
    /** Prefix `evt_`. */
    id: string;
    /** Always `event`. */
    object: 'event';
    /** The event type. */
    type: Open<'payment.pending' | 'payment.succeeded' | 'payment.failed' | 'payment.expired' | 'payment.refunded' | 'payment.partially_refunded' | 'payout.processing' | 'payout.succeeded' | 'payout.failed' | 'payout.indeterminate' | 'payout_request.approved' | 'payout_request.rejected' | 'payout_request.expired' | 'payout_batch.finished' | 'checkout_session.paid' | 'checkout_session.expired' | 'settlement.validated' | 'settlement.paid' | 'settlement.rejected' | 'endpoint.test'>;
    /** The version of the interface that `data` follows. */
    api_version: string;
    /** When it happened. */
    created_at: string;
    /** True: real money. False: test mode, in which no money moves. */
    livemode: boolean;
    /** The resource as its GET gave it at that moment, with its new `status`. */
    data: Record<string, unknown>;
    /** The place of this event in the feed: as `after` it begins behind it. In no webhook. */
    cursor: string;
};
/** A page of settlements. */
export type FoundSettlements = {
    /** Always `list`. */
    object: 'list';
    /** Newest first. */
    data: Array<Settlement>;
    /** As it was applied. */
    limit: number;
    /** Whether older ones follow this page. */
    has_more: boolean;
};
/** A batch of payouts without its lines. */
export type ListedBatch = {
    /** Prefix `pob_`. */
    id: string;
    /** Always `payout_batch`. */
    object: 'payout_batch';
    /** `brouillon`: a draft that can be executed. `en_attente_validation`: above the cap of 24 hours, waits for approval. `en_cours`: under way. `termine`: every line succeeded. `termine_avec_erreurs`: at least one line did not. `annule`: cancelled. */
    status: Open<'brouillon' | 'en_attente_validation' | 'en_cours' | 'termine' | 'termine_avec_erreurs' | 'annule'>;
    /** Your own reference of the batch, as you sent it; null without one. */
    reference: string | null;
    /** Always `XOF`. */
    currency: string;
    /** The sum of its lines, in francs, without fees. */
    total_amount: number;
    /** How many lines it has, 1 to 500. */
    line_count: number;
    /** True: real money. False: test mode, in which no money moves. */
    livemode: boolean;
    /** When the batch was made. */
    created_at: string;
    /** When it was executed; null before. */
    executed_at: string | null;
    /** When its last line had an outcome; null before. */
    finished_at: string | null;
};
/** A payment, with what you sent about it. */
export type ListedPayment = {
    /** Prefix `txn_`. */
    id: string;
    /** Always `payment`. */
    object: 'payment';
    /** The amount that you asked for, in francs. */
    amount: number;
    /** The amount that the payer pays, in francs: with `fee_amount` when the payer bears it. */
    amount_collected: number;
    /** Commission in francs, fixed at creation. */
    fee_amount: number;
    /** The amount that you receive, in francs, credited at confirmation. */
    net_amount: number;
    /** Always `XOF`. */
    currency: string;
    /** Only `succeeded` means that the money has arrived. A payment with an uncertain outcome stays `pending`; it never fails because time passed. */
    status: Open<'created' | 'pending' | 'succeeded' | 'failed' | 'expired' | 'refunded' | 'partially_refunded'>;
    /** The mobile-money operator that collects, such as `orange_ci`. Null until one is chosen. */
    operator: string | null;
    /** Your own reference, as you sent it; null without one. */
    merchant_reference: string | null;
    /** Why the payment failed, from a closed list. Null unless `status` is `failed`. */
    failure_code: string | null;
    /** The failure as a sentence for people; null without one. Its words may change: have your code read `failure_code`. */
    failure_message: string | null;
    /** True: real money. False: test mode, in which no money moves. */
    livemode: boolean;
    /** When the request was accepted. */
    created_at: string;
    /** When the operator confirmed the payment; null before. */
    succeeded_at: string | null;
    /** When the service established that the payment failed; null unless it did. */
    failed_at: string | null;
    /** The checkout session, with prefix `cs_`, when the payment was made on the hosted page. Otherwise absent. */
    checkout_session_id?: string;
    /** How much of `amount` was refunded, in francs. Absent while nothing was. */
    amount_refunded?: number;
    /** The payer's next step. Absent when there is none. */
    next_action?: {
        /** `approve_on_phone`: the payer answers a prompt or dials `dial_code`. `redirect`: the payer opens `url`. `enter_code`: the payer types a one-time code. */
        type: 'approve_on_phone' | 'redirect' | 'enter_code';
        /** The page to open. Only for `redirect`. */
        url?: string;
        /** The code that the payer dials. Absent where the operator has none. */
        dial_code?: string;
        /** A prompt is on the phone; `dial_code` brings it back when it went away. */
        prompted?: true;
        /** A sentence to show to the payer. */
        message: string;
    };
    /** The number of the payer, masked; null without one. */
    msisdn: string | null;
    /** The purpose, as you sent it. */
    description: string | null;
    /** The reference of its payment page, from a link or its address; null without one. */
    reference: string | null;
    /** The source of the amount of its payment page: `merchant`, `address` or `payer`, as on the session. Null without a page. */
    amount_source: Open<'merchant' | 'address' | 'payer'> | null;
    /** As you sent it. */
    metadata: Record<string, unknown> | null;
};
/** A request with a key of yours. Bodies and numbers are not kept. */
export type LoggedCall = {
    /** The `Service-Request-Id` of the answer. */
    id: string;
    /** Always `request`. */
    object: 'request';
    /** Such as `POST`. */
    method: string;
    /** The pattern of the route, without ids and query. */
    path: string;
    /** The HTTP status of the answer. */
    status: number;
    /** The code of a refusal; null when there was none. */
    error_code: string | null;
    /** Milliseconds until the answer. */
    duration_ms: number;
    /** When the request arrived. */
    created_at: string;
};
/** A movement of your available balance. */
export type Movement = {
    /** The id of the payment, the refund, the settlement… Unique together with `type`. */
    id: string;
    /** Always `movement`. */
    object: 'movement';
    /** The kind of operation that moved the balance. */
    type: Open<'collection' | 'refund' | 'refund_returned' | 'settlement' | 'settlement_returned' | 'transfer' | 'adjustment'>;
    /** `in`: more is owed to you after it. `out`: less. */
    direction: Open<'in' | 'out'>;
    /** In francs, above zero; of a collection the net amount. */
    amount: number;
    /** The balance owed to you after it, in francs. */
    balance: number;
    /** The `merchant_reference` of the payment that was collected or refunded; null without one. */
    reference: string | null;
    /** Prefix `txn_`: the payment that was collected or refunded; null for other movements. */
    payment_id: string | null;
    /** When it was booked. */
    created_at: string;
};
/** An operator of the country, and what can be done through it now. */
export type Operator = {
    /** Always `operator`. */
    object: 'operator';
    /** As you name it in `operator`. */
    code: Open<'orange_ci' | 'mtn_ci' | 'moov_ci' | 'wave_ci'>;
    /** The name that payers know. */
    name: string;
    /** True: real money. False: test mode, in which no money moves. */
    livemode: boolean;
    /** Whether payers can pay you through it. */
    collection: {
        /** Whether a payment asked for now is sent to this operator. */
        available: boolean;
        /** Why it is not available; null while it is. */
        unavailable_reason: Open<'merchant_inactive' | 'not_connected' | 'not_offered' | 'payouts_stopped' | 'operator_unavailable'> | null;
        /** Largest payment, in francs, as it is in force for you. */
        amount_max: number;
        /** How the operations of all merchants in this mode went with it: those that succeeded, failed by the operator's own failure, or are in doubt. A payer's own failures, such as too little money, do not count. */
        weather: {
            /** Over the last 15 to 20 minutes. Null: fewer than 20 operations, too few to tell. */
            last_15_minutes: {
                /** Share of the operations that succeeded, from 0 to 1. */
                success_rate: number | null;
                /** Share of them of which nobody knows yet what became. */
                in_doubt_rate: number | null;
                /** Seconds within which half of those that succeeded were confirmed. */
                median_seconds: number | null;
                /** The same for 95 of 100. */
                p95_seconds: number | null;
            };
            /** Over the last 24 hours. Null: fewer than 20 operations, too few to tell. */
            last_24_hours: {
                /** Share of the operations that succeeded, from 0 to 1. */
                success_rate: number | null;
                /** Share of them of which nobody knows yet what became. */
                in_doubt_rate: number | null;
                /** Seconds within which half of those that succeeded were confirmed. */
                median_seconds: number | null;
                /** The same for 95 of 100. */
                p95_seconds: number | null;
            };
        };
    };
    /** Whether you can send money through it. */
    payout: {
        /** Whether a payout accepted now is sent. While `payouts_stopped` or `operator_unavailable`, it is accepted and waits. */
        available: boolean;
        /** Why it is not available; null while it is. */
        unavailable_reason: Open<'merchant_inactive' | 'not_connected' | 'not_offered' | 'payouts_stopped' | 'operator_unavailable'> | null;
        /** Your cap for one payout in francs: a larger one waits for approval. */
        cap_operation: number;
        /** Your cap for any 24 hours in francs, over all operators: what exceeds it waits for approval. */
        cap_day: number;
        /** How the operations of all merchants in this mode went with it: those that succeeded, failed by the operator's own failure, or are in doubt. A payer's own failures, such as too little money, do not count. */
        weather: {
            /** Over the last 15 to 20 minutes. Null: fewer than 20 operations, too few to tell. */
            last_15_minutes: {
                /** Share of the operations that succeeded, from 0 to 1. */
                success_rate: number | null;
                /** Share of them of which nobody knows yet what became. */
                in_doubt_rate: number | null;
                /** Seconds within which half of those that succeeded were confirmed. */
                median_seconds: number | null;
                /** The same for 95 of 100. */
                p95_seconds: number | null;
            };
            /** Over the last 24 hours. Null: fewer than 20 operations, too few to tell. */
            last_24_hours: {
                /** Share of the operations that succeeded, from 0 to 1. */
                success_rate: number | null;
                /** Share of them of which nobody knows yet what became. */
                in_doubt_rate: number | null;
                /** Seconds within which half of those that succeeded were confirmed. */
                median_seconds: number | null;
                /** The same for 95 of 100. */
                p95_seconds: number | null;
            };
        };
    };
    /** The refunds that the operator can make by itself; null: not known. */
    refund: Open<'full' | 'partial' | 'none'> | null;
    /** The operator's own limits for one operation; null: not known. */
    operator_limits: {
        /** Of this direction; null: not known. */
        collection: {
            /** Smallest amount, in francs. */
            min: number;
            /** Largest amount, in francs. */
            max: number;
            /** Divides every amount. */
            step: number;
        } | null;
        /** Of this direction; null: not known. */
        payout: {
            /** Smallest amount, in francs. */
            min: number;
            /** Largest amount, in francs. */
            max: number;
            /** Divides every amount. */
            step: number;
        } | null;
    } | null;
};
/** The operators of the country. */
export type OperatorList = {
    /** Always `list`. */
    object: 'list';
    /** Every operator of the country, connected or not. */
    data: Array<Operator>;
    /** The moment at which all of it stood so. */
    as_of: string;
};
/** The operator of a number, as far as the service can tell. */
export type OperatorPrediction = {
    /** Always `operator_prediction`. */
    object: 'operator_prediction';
    /** To propose, and never to refuse by. Null: its range says one that has said that the number is not its own. */
    operator: Open<'orange_ci' | 'mtn_ci' | 'moov_ci' | 'wave_ci'> | null;
    /** `high`: money moved through this operator last. `medium`: by the prefix, and nothing is known against it. `none`: there is no operator to propose. */
    confidence: Open<'high' | 'medium' | 'none'>;
    /** `learned`: earlier orders to this number ended otherwise than its prefix says. `prefix`: they did not, or there were none. */
    basis: Open<'prefix' | 'learned'>;
    /** True: real money. False: test mode, in which no money moves. */
    livemode: boolean;
};
/** A payment that you collect. */
export type Payment = {
    /** Prefix `txn_`. */
    id: string;
    /** Always `payment`. */
    object: 'payment';
    /** The amount that you asked for, in francs. */
    amount: number;
    /** The amount that the payer pays, in francs: with `fee_amount` when the payer bears it. */
    amount_collected: number;
    /** Commission in francs, fixed at creation. */
    fee_amount: number;
    /** The amount that you receive, in francs, credited at confirmation. */
    net_amount: number;
    /** Always `XOF`. */
    currency: string;
    /** Only `succeeded` means that the money has arrived. A payment with an uncertain outcome stays `pending`; it never fails because time passed. */
    status: Open<'created' | 'pending' | 'succeeded' | 'failed' | 'expired' | 'refunded' | 'partially_refunded'>;
    /** The mobile-money operator that collects, such as `orange_ci`. Null until one is chosen. */
    operator: string | null;
    /** Your own reference, as you sent it; null without one. */
    merchant_reference: string | null;
    /** Why the payment failed, from a closed list. Null unless `status` is `failed`. */
    failure_code: string | null;
    /** The failure as a sentence for people; null without one. Its words may change: have your code read `failure_code`. */
    failure_message: string | null;
    /** True: real money. False: test mode, in which no money moves. */
    livemode: boolean;
    /** When the request was accepted. */
    created_at: string;
    /** When the operator confirmed the payment; null before. */
    succeeded_at: string | null;
    /** When the service established that the payment failed; null unless it did. */
    failed_at: string | null;
    /** The checkout session, with prefix `cs_`, when the payment was made on the hosted page. Otherwise absent. */
    checkout_session_id?: string;
    /** How much of `amount` was refunded, in francs. Absent while nothing was. */
    amount_refunded?: number;
    /** The payer's next step. Absent when there is none. */
    next_action?: {
        /** `approve_on_phone`: the payer answers a prompt or dials `dial_code`. `redirect`: the payer opens `url`. `enter_code`: the payer types a one-time code. */
        type: 'approve_on_phone' | 'redirect' | 'enter_code';
        /** The page to open. Only for `redirect`. */
        url?: string;
        /** The code that the payer dials. Absent where the operator has none. */
        dial_code?: string;
        /** A prompt is on the phone; `dial_code` brings it back when it went away. */
        prompted?: true;
        /** A sentence to show to the payer. */
        message: string;
    };
};
/** The payer did not answer in time. A late confirmation is still credited. */
export type PaymentExpiredEvent = {
    /** Prefix `evt_`. */
    id: string;
    /** Always `event`. */
    object: 'event';
    /** Always `payment.expired`. */
    type: 'payment.expired';
    /** The version of the interface that `data` follows. */
    api_version: string;
    /** When it happened. */
    created_at: string;
    /** True: real money. False: test mode, in which no money moves. */
    livemode: boolean;
    data: Payment;
};
/** The service established that the payment failed: `failure_code` says why. */
export type PaymentFailedEvent = {
    /** Prefix `evt_`. */
    id: string;
    /** Always `event`. */
    object: 'event';
    /** Always `payment.failed`. */
    type: 'payment.failed';
    /** The version of the interface that `data` follows. */
    api_version: string;
    /** When it happened. */
    created_at: string;
    /** True: real money. False: test mode, in which no money moves. */
    livemode: boolean;
    data: Payment;
};
/** A link that a merchant hands to one payer or to many. */
export type PaymentLink = {
    /** Prefix `lnk_`. */
    id: string;
    /** Always `payment_link`. */
    object: 'payment_link';
    /** The page to hand to payers. Anybody who has it can pay. */
    url: string;
    /** Only an `open` link can be paid. `busy`: somebody is paying it, and it takes one payment. `paid`: it took its only payment. */
    status: Open<'open' | 'busy' | 'paid' | 'closed' | 'expired'>;
    /** The amount to pay, in francs; null when the payer chooses. */
    amount: number | null;
    /** The least that a payer may choose, in francs; null with a fixed `amount`. */
    min_amount: number | null;
    /** The most that a payer may choose, in francs; null with a fixed `amount`. */
    max_amount: number | null;
    /** Always `XOF`. */
    currency: string;
    /** The text that payers read on the page; null without one. */
    description: string | null;
    /** Your reference, which each of its sessions gets; null without one. */
    reference: string | null;
    /** The number to which a payer may send their receipt by WhatsApp: digits with the code of the country; null without one. */
    whatsapp: string | null;
    /** True: many payers may pay. False: the first payment ends it. */
    reusable: boolean;
    /** True: real money. False: test mode, in which no money moves. */
    livemode: boolean;
    /** When the link was made. */
    created_at: string;
    /** When it takes no payment any more; null: never. */
    expires_at: string | null;
};
/** A page of links. */
export type PaymentLinkList = {
    /** Always `list`. */
    object: 'list';
    /** Newest first. */
    data: Array<PaymentLink>;
    /** As it was applied. */
    limit: number;
    /** Whether older ones follow this page. */
    has_more: boolean;
};
/** A page of payments. */
export type PaymentList = {
    /** Always `list`. */
    object: 'list';
    /** Newest first. */
    data: Array<ListedPayment>;
    /** As it was applied. */
    limit: number;
    /** Whether older ones follow this page. */
    has_more: boolean;
};
/** A part of the payment was refunded: `amount_refunded` is the sum so far. */
export type PaymentPartiallyRefundedEvent = {
    /** Prefix `evt_`. */
    id: string;
    /** Always `event`. */
    object: 'event';
    /** Always `payment.partially_refunded`. */
    type: 'payment.partially_refunded';
    /** The version of the interface that `data` follows. */
    api_version: string;
    /** When it happened. */
    created_at: string;
    /** True: real money. False: test mode, in which no money moves. */
    livemode: boolean;
    data: Payment;
};
/** The payment left for its operator. Its outcome is uncertain. */
export type PaymentPendingEvent = {
    /** Prefix `evt_`. */
    id: string;
    /** Always `event`. */
    object: 'event';
    /** Always `payment.pending`. */
    type: 'payment.pending';
    /** The version of the interface that `data` follows. */
    api_version: string;
    /** When it happened. */
    created_at: string;
    /** True: real money. False: test mode, in which no money moves. */
    livemode: boolean;
    data: Payment;
};
/** The whole payment was refunded. */
export type PaymentRefundedEvent = {
    /** Prefix `evt_`. */
    id: string;
    /** Always `event`. */
    object: 'event';
    /** Always `payment.refunded`. */
    type: 'payment.refunded';
    /** The version of the interface that `data` follows. */
    api_version: string;
    /** When it happened. */
    created_at: string;
    /** True: real money. False: test mode, in which no money moves. */
    livemode: boolean;
    data: Payment;
};
/** The operator confirmed the payment, and its net amount is credited, also after `expired`. */
export type PaymentSucceededEvent = {
    /** Prefix `evt_`. */
    id: string;
    /** Always `event`. */
    object: 'event';
    /** Always `payment.succeeded`. */
    type: 'payment.succeeded';
    /** The version of the interface that `data` follows. */
    api_version: string;
    /** When it happened. */
    created_at: string;
    /** True: real money. False: test mode, in which no money moves. */
    livemode: boolean;
    data: Payment;
};
/** A payout to one number. */
export type Payout = {
    /** Prefix `txn_`. */
    id: string;
    /** Always `payout`. */
    object: 'payout';
    /** The amount that the beneficiary receives, in francs. */
    amount: number;
    /** Commission in francs, fixed at creation. */
    fee_amount: number;
    /** `amount + fee_amount` in francs, taken from the transfer balance. */
    total_debited: number;
    /** Always `XOF`. */
    currency: string;
    /** `indeterminate`: the operator has not confirmed the payout. The service keeps asking until it knows. Never send it again yourself. */
    status: Open<'created' | 'processing' | 'succeeded' | 'failed' | 'indeterminate'>;
    /** Where the money goes. */
    beneficiary: {
        /** The holder, as written in the request or in the book. */
        name: string | null;
        /** Your own label for the entry of the book. */
        label: string | null;
        /** The number: in full when the request contained it, masked when it came from the book. */
        msisdn: string | null;
    };
    /** Your own reference, as you sent it; null without one. */
    reference: string | null;
    /** Why the payout failed, from a closed list. Null unless `status` is `failed`. */
    failure_code: string | null;
    /** True: real money. False: test mode, in which no money moves. */
    livemode: boolean;
    /** When the request was accepted. */
    created_at: string;
};
/** A batch of payouts with its lines. */
export type PayoutBatch = {
    /** Prefix `pob_`. */
    id: string;
    /** Always `payout_batch`. */
    object: 'payout_batch';
    /** `brouillon`: a draft that can be executed. `en_attente_validation`: above the cap of 24 hours, waits for approval. `en_cours`: under way. `termine`: every line succeeded. `termine_avec_erreurs`: at least one line did not. `annule`: cancelled. */
    status: Open<'brouillon' | 'en_attente_validation' | 'en_cours' | 'termine' | 'termine_avec_erreurs' | 'annule'>;
    /** Your own reference of the batch, as you sent it; null without one. */
    reference: string | null;
    /** Always `XOF`. */
    currency: string;
    /** The sum of its lines, in francs, without fees. */
    total_amount: number;
    /** How many lines it has, 1 to 500. */
    line_count: number;
    /** True: real money. False: test mode, in which no money moves. */
    livemode: boolean;
    /** When the batch was made. */
    created_at: string;
    /** When it was executed; null before. */
    executed_at: string | null;
    /** When its last line had an outcome; null before. */
    finished_at: string | null;
    /** In the order in which they were sent in. */
    lines: Array<{
        /** From 1, in the order they were sent in. */
        rank: number;
        /** `pending` until the batch is executed or cancelled, then that of its payout. */
        status: Open<'pending' | 'processing' | 'succeeded' | 'failed' | 'indeterminate' | 'cancelled'>;
        /** The amount that the beneficiary receives, in francs. */
        amount: number;
        /** Commission in francs, fixed when the batch is made. */
        fee_amount: number;
        /** Your own reference of the line, as you sent it; null without one. */
        reference: string | null;
        /** Where the money goes. */
        beneficiary: {
            /** The holder, as written in the request or in the book. */
            name: string | null;
            /** Your own label for the entry of the book. */
            label: string | null;
            /** The number: in full when the request contained it, masked when it came from the book. */
            msisdn: string | null;
        };
        /** Prefix `txn_`: the payout that the line became; null until it is sent. */
        payout_id: string | null;
        /** Why the line failed, from a closed list, or `insufficient_funds`; null unless it did. */
        failure_code: string | null;
        /** Why the line failed, in a sentence for people; null unless it did. */
        failure_message: string | null;
    }>;
};
/** The check of the names in a batch, line by line. */
export type PayoutBatchCheck = {
    /** Prefix `pob_`: the batch. */
    id: string;
    /** Always `payout_batch_check`. */
    object: 'payout_batch_check';
    /** True: real money. False: test mode, in which no money moves. */
    livemode: boolean;
    /** In the order of the ranks. */
    lines: Array<{
        /** The rank of the line in its batch. */
        rank: number;
        /** `checking`: its operator is asked. `checked`: `result` says what came of it. */
        status: Open<'unchecked' | 'checking' | 'checked'>;
        /** As `POST /x/recipients/check` answers it; null until it is checked. */
        result: Open<'match' | 'close' | 'no_match' | 'unknown'> | null;
        /** The operator that the line is paid through; null: none follows from its number. */
        operator: string | null;
        /** When it was checked; null before. */
        checked_at: string | null;
    }>;
};
/** Every line of the batch has an outcome: read `status`, then the lines. */
export type PayoutBatchFinishedEvent = {
    /** Prefix `evt_`. */
    id: string;
    /** Always `event`. */
    object: 'event';
    /** Always `payout_batch.finished`. */
    type: 'payout_batch.finished';
    /** The version of the interface that `data` follows. */
    api_version: string;
    /** When it happened. */
    created_at: string;
    /** True: real money. False: test mode, in which no money moves. */
    livemode: boolean;
    /** The batch, without its lines if they make the event longer than 64 000 bytes. */
    data: PayoutBatch | BatchWithoutLines;
};
/** The payout failed, and its amount and fee are back: `failure_code` says why. */
export type PayoutFailedEvent = {
    /** Prefix `evt_`. */
    id: string;
    /** Always `event`. */
    object: 'event';
    /** Always `payout.failed`. */
    type: 'payout.failed';
    /** The version of the interface that `data` follows. */
    api_version: string;
    /** When it happened. */
    created_at: string;
    /** True: real money. False: test mode, in which no money moves. */
    livemode: boolean;
    data: Payout;
};
/** The operator has not confirmed the payout. Never pay again: the beneficiary may have the money. */
export type PayoutIndeterminateEvent = {
    /** Prefix `evt_`. */
    id: string;
    /** Always `event`. */
    object: 'event';
    /** Always `payout.indeterminate`. */
    type: 'payout.indeterminate';
    /** The version of the interface that `data` follows. */
    api_version: string;
    /** When it happened. */
    created_at: string;
    /** True: real money. False: test mode, in which no money moves. */
    livemode: boolean;
    data: Payout;
};
/** A page of payouts. */
export type PayoutList = {
    /** Always `list`. */
    object: 'list';
    /** Newest first. */
    data: Array<Payout>;
    /** As it was applied. */
    limit: number;
    /** Whether older ones follow this page. */
    has_more: boolean;
};
/** The payout left for its operator, also one that is a line of a batch. */
export type PayoutProcessingEvent = {
    /** Prefix `evt_`. */
    id: string;
    /** Always `event`. */
    object: 'event';
    /** Always `payout.processing`. */
    type: 'payout.processing';
    /** The version of the interface that `data` follows. */
    api_version: string;
    /** When it happened. */
    created_at: string;
    /** True: real money. False: test mode, in which no money moves. */
    livemode: boolean;
    data: Payout;
};
/** A payout that a cap holds back until a person of yours decides. No money has moved. */
export type PayoutRequest = {
    /** Prefix `por_`. */
    id: string;
    /** Always `payout_request`. */
    object: 'payout_request';
    /** While `pending_approval` no money has moved: a person of the merchant decides. */
    status: Open<'pending_approval' | 'approved' | 'rejected' | 'expired'>;
    /** The cap that was exceeded: of one payout, or of 24 hours. */
    reason: Open<'plafond_operation' | 'plafond_24h'>;
    /** The value of the cap that was exceeded, in francs. */
    limit: number;
    /** The amount that the beneficiary is to receive, in francs. */
    amount: number;
    /** Always `XOF`. */
    currency: string;
    /** Where the money goes. */
    beneficiary: {
        /** The holder, as written in the request or in the book. */
        name: string | null;
        /** Your own label for the entry of the book. */
        label: string | null;
        /** The number: in full when the request contained it, masked when it came from the book. */
        msisdn: string | null;
    };
    /** Your own reference, as you sent it; null without one. */
    reference: string | null;
    /** Prefix `txn_`: the payout. Absent until it is approved. */
    payout_id?: string;
    /** True: real money. False: test mode, in which no money moves. */
    livemode: boolean;
    /** When the request was accepted. */
    created_at: string;
    /** When it was approved or rejected, or expired; null while it waits. */
    decided_at: string | null;
};
/** A person approved the request: `payout_id` is its payout. */
export type PayoutRequestApprovedEvent = {
    /** Prefix `evt_`. */
    id: string;
    /** Always `event`. */
    object: 'event';
    /** Always `payout_request.approved`. */
    type: 'payout_request.approved';
    /** The version of the interface that `data` follows. */
    api_version: string;
    /** When it happened. */
    created_at: string;
    /** True: real money. False: test mode, in which no money moves. */
    livemode: boolean;
    data: PayoutRequest;
};
/** Nobody decided the request in time. No money left. */
export type PayoutRequestExpiredEvent = {
    /** Prefix `evt_`. */
    id: string;
    /** Always `event`. */
    object: 'event';
    /** Always `payout_request.expired`. */
    type: 'payout_request.expired';
    /** The version of the interface that `data` follows. */
    api_version: string;
    /** When it happened. */
    created_at: string;
    /** True: real money. False: test mode, in which no money moves. */
    livemode: boolean;
    data: PayoutRequest;
};
/** A person rejected the request. No money left. */
export type PayoutRequestRejectedEvent = {
    /** Prefix `evt_`. */
    id: string;
    /** Always `event`. */
    object: 'event';
    /** Always `payout_request.rejected`. */
    type: 'payout_request.rejected';
    /** The version of the interface that `data` follows. */
    api_version: string;
    /** When it happened. */
    created_at: string;
    /** True: real money. False: test mode, in which no money moves. */
    livemode: boolean;
    data: PayoutRequest;
};
/** The operator confirmed the payout. */
export type PayoutSucceededEvent = {
    /** Prefix `evt_`. */
    id: string;
    /** Always `event`. */
    object: 'event';
    /** Always `payout.succeeded`. */
    type: 'payout.succeeded';
    /** The version of the interface that `data` follows. */
    api_version: string;
    /** When it happened. */
    created_at: string;
    /** True: real money. False: test mode, in which no money moves. */
    livemode: boolean;
    data: Payout;
};
/** The answer of an operator about a name and a number. */
export type RecipientCheck = {
    /** Always `recipient_check`. */
    object: 'recipient_check';
    /** `match`: the name is that of the holder. `close`: nearly the same, check it again. `no_match`: another name. `unknown`: the operator cannot tell, or did not answer. */
    result: Open<'match' | 'close' | 'no_match' | 'unknown'>;
    /** The operator that was asked, by its code. Null when the number has no known operator. */
    operator: string | null;
    /** True: real money. False: test mode, in which no money moves. */
    livemode: boolean;
    /** When the name was checked. */
    checked_at: string;
};
/** A page of requests. */
export type RequestPage = {
    /** Always `list`. */
    object: 'list';
    /** Newest first. Fewer than `limit` where a filter matches few. */
    data: Array<LoggedCall>;
    /** As it was applied. */
    limit: number;
    /** Whether older ones follow this page. */
    has_more: boolean;
    /** The `starting_after` of the next page; null on the last. */
    next: string | null;
};
/** A settlement: what the service owes you, on its way to your designated destination. */
export type Settlement = {
    /** Prefix `stl_`. */
    id: string;
    /** Always `settlement`. */
    object: 'settlement';
    /** In francs, taken from the available balance at the request, and paid in full. */
    amount: number;
    /** Always `XOF`. */
    currency: string;
    /** The staff validate a request, then pay it; or reject it, and the amount comes back. */
    status: Open<'pending_validation' | 'validated' | 'paid' | 'rejected'>;
    /** The destination as it was designated at the request; later changes do not touch it. */
    beneficiary: {
        /** The entry of the book, a UUID. */
        id: string;
        /** The holder. */
        name: string;
        /** A bank account, or a wallet with an operator. */
        account_type: Open<'bank_account' | 'wallet'>;
        /** The operator of a wallet, by its code; null for a bank account. */
        operator: string | null;
        /** The last four characters of the number or of the IBAN. */
        last4: string;
    };
    /** The reference of the transfer; null until it is paid. */
    bank_reference: string | null;
    /** Why it was rejected; null unless it was. */
    rejection_reason: string | null;
    /** True: real money. False: test mode, in which no money moves. */
    livemode: boolean;
    /** When the request was accepted. */
    created_at: string;
    /** When it was validated; null before. */
    validated_at: string | null;
    /** When the transfer was made; null before. */
    paid_at: string | null;
    /** When it was rejected; null unless it was. */
    rejected_at: string | null;
};
/** Your newest settlements. */
export type SettlementList = {
    /** Always `list`. */
    object: 'list';
    /** Newest first. */
    data: Array<Settlement>;
    /** All your settlements, whatever the list shows. */
    total_count: number;
    /** The same as `total_count`. */
    total: number;
    /** Always 50. */
    limit: number;
    /** Always 0. */
    offset: number;
    /** Whether there are older ones. */
    has_more: boolean;
};
/** The transfer of the settlement was made. */
export type SettlementPaidEvent = {
    /** Prefix `evt_`. */
    id: string;
    /** Always `event`. */
    object: 'event';
    /** Always `settlement.paid`. */
    type: 'settlement.paid';
    /** The version of the interface that `data` follows. */
    api_version: string;
    /** When it happened. */
    created_at: string;
    /** True: real money. False: test mode, in which no money moves. */
    livemode: boolean;
    data: Settlement;
};
/** The staff rejected the settlement, and its amount is back: `rejection_reason` says why. */
export type SettlementRejectedEvent = {
    /** Prefix `evt_`. */
    id: string;
    /** Always `event`. */
    object: 'event';
    /** Always `settlement.rejected`. */
    type: 'settlement.rejected';
    /** The version of the interface that `data` follows. */
    api_version: string;
    /** When it happened. */
    created_at: string;
    /** True: real money. False: test mode, in which no money moves. */
    livemode: boolean;
    data: Settlement;
};
/** The staff validated the settlement. */
export type SettlementValidatedEvent = {
    /** Prefix `evt_`. */
    id: string;
    /** Always `event`. */
    object: 'event';
    /** Always `settlement.validated`. */
    type: 'settlement.validated';
    /** The version of the interface that `data` follows. */
    api_version: string;
    /** When it happened. */
    created_at: string;
    /** True: real money. False: test mode, in which no money moves. */
    livemode: boolean;
    data: Settlement;
};
/** A page of the statement of your available balance over a period. */
export type Statement = {
    /** Always `statement`. */
    object: 'statement';
    /** First day, included. Days are those of UTC. */
    from: string;
    /** Last day, included in full. */
    to: string;
    /** Always `XOF`. */
    currency: string;
    /** True: real money. False: test mode, in which no money moves. */
    livemode: boolean;
    /** The balance owed to you when the period began, in francs. */
    opening_balance: number;
    /** The sum of the movements in, over the whole period, in francs. */
    total_in: number;
    /** The sum of the movements out, over the whole period, in francs. */
    total_out: number;
    /** `opening_balance + total_in - total_out` in francs; the available balance when the period ends today. */
    closing_balance: number;
    /** The movements of the period, oldest first. */
    data: Array<Movement>;
    /** Movements of the whole period, whatever the page. */
    total_count: number;
    /** As it was applied. */
    limit: number;
    /** How many movements were passed over. */
    offset: number;
    /** Whether movements follow this page. */
    has_more: boolean;
};
/** The endpoint that gets the event, without its URL. */
export type TestedEndpoint = {
    /** Prefix `whe_`. */
    id: string;
    /** Always `endpoint`. */
    object: 'endpoint';
    /** Always `enabled`: a disabled endpoint gets nothing. */
    status: 'enabled';
    /** Those it subscribes to. Empty: all. */
    event_types: Array<Open<'payment.pending' | 'payment.succeeded' | 'payment.failed' | 'payment.expired' | 'payment.refunded' | 'payment.partially_refunded' | 'payout.processing' | 'payout.succeeded' | 'payout.failed' | 'payout.indeterminate' | 'payout_request.approved' | 'payout_request.rejected' | 'payout_request.expired' | 'payout_batch.finished' | 'checkout_session.paid' | 'checkout_session.expired' | 'settlement.validated' | 'settlement.paid' | 'settlement.rejected' | 'endpoint.test'>>;
    /** True: real money. False: test mode, in which no money moves. */
    livemode: boolean;
};
/** Each kind of event, with the event that a webhook brings. */
export type EventsByType = {
    'payment.pending': PaymentPendingEvent;
    'payment.succeeded': PaymentSucceededEvent;
    'payment.failed': PaymentFailedEvent;
    'payment.expired': PaymentExpiredEvent;
    'payment.refunded': PaymentRefundedEvent;
    'payment.partially_refunded': PaymentPartiallyRefundedEvent;
    'payout.processing': PayoutProcessingEvent;
    'payout.succeeded': PayoutSucceededEvent;
    'payout.failed': PayoutFailedEvent;
    'payout.indeterminate': PayoutIndeterminateEvent;
    'payout_request.approved': PayoutRequestApprovedEvent;
    'payout_request.rejected': PayoutRequestRejectedEvent;
    'payout_request.expired': PayoutRequestExpiredEvent;
    'payout_batch.finished': PayoutBatchFinishedEvent;
    'checkout_session.paid': CheckoutSessionPaidEvent;
    'checkout_session.expired': CheckoutSessionExpiredEvent;
    'settlement.validated': SettlementValidatedEvent;
    'settlement.paid': SettlementPaidEvent;
    'settlement.rejected': SettlementRejectedEvent;
    'endpoint.test': EndpointTestEvent;
};
export type CreatePayment = {
    /** Whole francs (XOF). */
    amount: number;
    /** Only XOF. */
    currency?: string | null;
    /** When absent, the operator follows from the number's prefix. */
    operator?: 'orange_ci' | 'mtn_ci' | 'moov_ci' | 'wave_ci' | null;
    /** The payer. Without one the payment fails, unless its operator collects through a link. */
    counterparty?: {
        /** Ten digits, or the international form with `+225`. */
        msisdn: string;
    } | null;
    /** Unique per merchant and mode. */
    merchant_reference?: string | null;
    /** The purpose of the payment. 1 000 characters at most. */
    description?: string | null;
    /** Free keys, 16 384 characters of JSON at most. */
    metadata?: Record<string, unknown> | null;
    /** `succeed`: concludes at once, in test mode. Ignored in live mode. */
    simulate?: unknown;
};
export type CreateCheckoutSession = {
    /** Whole francs (XOF). */
    amount: number;
    /** Only XOF. */
    currency?: string | null;
    /** The text that the payer reads on the page. */
    description?: string | null;
    /** Where the payer goes back to after success. HTTPS. */
    return_url?: string | null;
};
export type CreatePayout = {
    /** Whole francs (XOF). */
    amount: number;
    /** Only XOF. */
    currency?: string | null;
    /** An entry of the book. */
    beneficiary_id?: string | null;
    /** A destination written in the request. It is saved to the book. */
    beneficiary?: {
        /** Ten digits, or international form starting `+225`. */
        msisdn: string;
        /** When absent, the operator follows from the number's prefix. */
        operator?: 'orange_ci' | 'mtn_ci' | 'moov_ci' | 'wave_ci' | null;
        /** The holder, 1 to 200 characters. */
        name: string;
    } | null;
    /** Returned as given. */
    reference?: string | null;
};
export type CreatePayoutBatch = {
    /** Your own reference of the batch, returned as given. */
    reference?: string | null;
    /** Only XOF. */
    currency?: string | null;
    /** Required. An array of 1 to 500 objects: amount (integer), beneficiary_id or beneficiary (msisdn, operator, name), reference. */
    lines?: unknown;
};
export type ListBeneficiariesQuery = {
    /** `true`: only active entries; `false`: only archived ones. */
    active?: 'true' | 'false';
    /** 50 when absent, 100 at most. */
    limit?: number | string;
    /** Entries to pass over, 10000 at most. Beyond that send `starting_after`. */
    offset?: number | string;
    /** The id of the last entry of the page before. As quick at any depth. */
    starting_after?: number | string;
};
export type AddBeneficiary = {
    /** The same three fields, if you prefer them in an object of their own. */
    beneficiary?: {
        /** Ten digits, or the international form with `+225`. */
        msisdn: string;
        /** The network of the destination. */
        operator: 'orange_ci' | 'mtn_ci' | 'moov_ci' | 'wave_ci';
        /** Your own label, 2 to 200 characters; not verified with the operator. */
        name: string;
    } | null;
    /** Ten digits, or the international form with `+225`. */
    msisdn?: string | null;
    /** The network of the destination. */
    operator?: 'orange_ci' | 'mtn_ci' | 'moov_ci' | 'wave_ci' | null;
    /** Your own label, 2 to 200 characters; not verified with the operator. */
    name?: string | null;
};
export type CreateSettlement = {
    /** Whole francs (XOF). */
    amount: number;
    /** The settlement destination that is designated: the id that `bandama destination create` printed. */
    beneficiary: string;
};
export type GetStatementQuery = {
    /** First day, included. Days are those of UTC, which is the time of Abidjan. */
    from: string;
    /** Last day, included in full. */
    to: string;
    /** 100 when absent, 500 at most. */
    limit?: number | string;
    /** Movements to pass over. */
    offset?: number | string;
};
export type SubmitPaymentCode = {
    /** The digits that the payer received, 4 to 10. */
    code: string;
};
export type CreatePaymentLink = {
    /** The amount to pay, in francs. Without it payers choose between the bounds. */
    amount?: number | null;
    /** The least that a payer may choose, in francs: 100 when absent. Not with `amount`. */
    min_amount?: number | null;
    /** The most that a payer may choose, in francs: your limit for one payment when absent. Not with `amount`. */
    max_amount?: number | null;
    /** Only XOF. */
    currency?: string | null;
    /** The text that payers read on the page, in one line. */
    description?: string | null;
    /** Your own label, such as an order number; not unique. */
    reference?: string | null;
    /** The number to which payers may send their receipt by WhatsApp: ten digits, or with `+` and the code of its country. */
    whatsapp?: string | null;
    /** True: many payers may pay. False: the first payment ends the link. */
    reusable?: boolean | null;
    /** The moment after which nobody can pay, in the future. Absent: the link does not expire. */
    expires_at?: string | null;
};
export type ListPaymentLinksQuery = {
    /** Only those in this state. */
    status?: 'open' | 'busy' | 'paid' | 'closed' | 'expired';
    /** Only those created on this day of UTC, which is the time of Abidjan. */
    day?: string;
    /** 20 when absent, 100 at most. */
    limit?: number | string;
    /** The id of the last one of the page before. */
    starting_after?: string;
};
export type CheckRecipient = {
    /** An entry of the book. */
    beneficiary_id?: string | null;
    /** A destination written in the request. It is saved to the book. */
    beneficiary?: {
        /** Ten digits, or international form starting `+225`. */
        msisdn: string;
        /** When absent, the operator follows from the number's prefix. */
        operator?: 'orange_ci' | 'mtn_ci' | 'moov_ci' | 'wave_ci' | null;
        /** The holder, 1 to 200 characters. */
        name: string;
    } | null;
};
export type PredictOperator = {
    /** Ten digits, or the international form with `+225`. */
    msisdn: string;
};
export type ListPaymentsQuery = {
    /** Only those in this state. */
    status?: 'created' | 'pending' | 'succeeded' | 'failed' | 'expired' | 'refunded' | 'partially_refunded';
    /** Only those created on this day of UTC, which is the time of Abidjan. */
    day?: string;
    /** Only those with this reference of yours, exactly as you sent it. */
    reference?: string;
    /** 20 when absent, 100 at most. */
    limit?: number | string;
    /** The id of the last one of the page before. */
    starting_after?: string;
    /** Only those of this operator. */
    operator?: 'orange_ci' | 'mtn_ci' | 'moov_ci' | 'wave_ci';
};
export type ListPayoutsQuery = {
    /** Only those in this state. */
    status?: 'created' | 'processing' | 'succeeded' | 'failed' | 'indeterminate';
    /** Only those created on this day of UTC, which is the time of Abidjan. */
    day?: string;
    /** Only those with this reference of yours, exactly as you sent it. */
    reference?: string;
    /** 20 when absent, 100 at most. */
    limit?: number | string;
    /** The id of the last one of the page before. */
    starting_after?: string;
    /** Only those of this operator. */
    operator?: 'orange_ci' | 'mtn_ci' | 'moov_ci' | 'wave_ci';
};
export type ListBatchesQuery = {
    /** Only those in this state. */
    status?: 'brouillon' | 'en_attente_validation' | 'en_cours' | 'termine' | 'termine_avec_erreurs' | 'annule';
    /** Only those created on this day of UTC, which is the time of Abidjan. */
    day?: string;
    /** Only those with this reference of yours, exactly as you sent it. */
    reference?: string;
    /** 20 when absent, 100 at most. */
    limit?: number | string;
    /** The id of the last one of the page before. */
    starting_after?: string;
};
export type FindSettlementsQuery = {
    /** Only those in this state. */
    status?: 'pending_validation' | 'validated' | 'paid' | 'rejected';
    /** Only those created on this day of UTC, which is the time of Abidjan. */
    day?: string;
    /** Only the one with this reference of the bank's transfer. */
    reference?: string;
    /** 20 when absent, 100 at most. */
    limit?: number | string;
    /** The id of the last one of the page before. */
    starting_after?: string;
    /** Only those of this operator. */
    operator?: 'orange_ci' | 'mtn_ci' | 'moov_ci' | 'wave_ci';
};
export type ListEventsQuery = {
    /** Only events of this kind. */
    type?: 'payment.pending' | 'payment.succeeded' | 'payment.failed' | 'payment.expired' | 'payment.refunded' | 'payment.partially_refunded' | 'payout.processing' | 'payout.succeeded' | 'payout.failed' | 'payout.indeterminate' | 'payout_request.approved' | 'payout_request.rejected' | 'payout_request.expired' | 'payout_batch.finished' | 'checkout_session.paid' | 'checkout_session.expired' | 'settlement.validated' | 'settlement.paid' | 'settlement.rejected' | 'endpoint.test';
    /** Only events about this resource, by its id. */
    subject_id?: number | string;
    /** 20 when absent, 100 at most. */
    limit?: number | string;
    /** The id of the last event of the page before. */
    starting_after?: string;
    /** Asks for the feed behind this place: a cursor, `begin` for the oldest event that is kept, `now`, or a moment, from which the feed begins up to ten minutes early. Not with `starting_after`. */
    after?: string;
    /** Seconds to wait for an event when there is none, 0 when absent, 25 at most. Only with `after`. */
    wait?: number | string;
};
export type ListRequestsQuery = {
    /** Only answers of this class. */
    status?: '2xx' | '4xx' | '5xx';
    /** 20 when absent, 100 at most. */
    limit?: number | string;
    /** The `next` of the page before. */
    starting_after?: string;
};
