<?php

declare(strict_types=1);

namespace Bandama;

/** The end of the money of a resource, as far as it is known. */
final class Outcome
{
    public const WAITING = 'waiting';
    public const WAITING_FOR_APPROVAL = 'waiting_for_approval';
    public const PAID = 'paid';
    public const NOT_PAID = 'not_paid';
    public const RETURNED = 'returned';
    /** Keep waiting, and never deliver or pay again because of it. */
    public const UNKNOWN = 'unknown';

    private const OF = [
        'payment' => [
            'created' => self::WAITING,
            'pending' => self::WAITING,
            'succeeded' => self::PAID,
            'partially_refunded' => self::PAID,
            'failed' => self::NOT_PAID,
            'refunded' => self::RETURNED,
        ],
        'payout' => [
            'created' => self::WAITING,
            'processing' => self::WAITING,
            'succeeded' => self::PAID,
            'failed' => self::NOT_PAID,
        ],
        'payout_request' => [
            'pending_approval' => self::WAITING_FOR_APPROVAL,
            'approved' => self::WAITING,
            'rejected' => self::NOT_PAID,
            'expired' => self::NOT_PAID,
        ],
        'payout_batch' => [
            'brouillon' => self::WAITING,
            'en_attente_validation' => self::WAITING_FOR_APPROVAL,
            'en_cours' => self::WAITING,
            'termine' => self::PAID,
            'annule' => self::NOT_PAID,
        ],
        'settlement' => [
            'pending_validation' => self::WAITING_FOR_APPROVAL,
            'validated' => self::WAITING,
            'paid' => self::PAID,
            'rejected' => self::NOT_PAID,
        ],
        'checkout_session' => ['open' => self::WAITING, 'paid' => self::PAID],
    ];

    /**
     * Says what became of the money of a resource. `paid` only for states that are known to mean it, and `not_paid` only for those that can never
     * be paid later. `unknown` are an `expired` payment and an `expired` or `closed` session, because a late confirmation pays them, an
     * `indeterminate` payout, a batch with errors, and every state or resource that is newer than this package.
     */
    public static function of(?object $resource): string
    {
        $object = $resource->object ?? null;
        $status = $resource->status ?? null;
        $isKnown = is_string($object) && is_string($status);
        return $isKnown ? self::OF[$object][$status] ?? self::UNKNOWN : self::UNKNOWN;
    }

    /** @internal Whether waiting longer can change nothing that a program may act on. */
    public static function is_settled(object $resource): bool
    {
        return !in_array(self::of($resource), [self::WAITING, self::UNKNOWN], true);
    }
}
