/** The end of the money of a resource, as far as it is known. `unknown`: keep waiting, and never deliver or pay again because of it. */
export type Outcome = 'waiting' | 'waiting_for_approval' | 'paid' | 'not_paid' | 'returned' | 'unknown';
/**
 * Says what became of the money of a resource. `paid` only for states that are known to mean it, and `not_paid` only for those that can never be
 * paid later. `unknown` are an `expired` payment and an `expired` or `closed` session, because a late confirmation pays them, an `indeterminate`
 * payout, a batch with errors, and every state or resource that is newer than this package.
 */
export declare function outcomeOf(resource: {
    object?: string;
    status?: string;
} | null | undefined): Outcome;
/** Whether waiting longer can change nothing that a program may act on. */
export declare function isSettled(resource: {
    object?: string;
    status?: string;
}): boolean;
