<?php

declare(strict_types=1);

namespace Bandama\WooCommerce;

/** Amounts are integers of francs, and are never a float on the way. */
final class Amount
{
    /** Reads a total as WooCommerce writes it, `12500` or `12500.00`. Null: no whole number of francs above zero. */
    public static function of_total(string $total): ?int
    {
        if (preg_match('/^0*(\d{1,12})(?:\.0+)?$/D', $total, $found) !== 1 || (int) $found[1] === 0) {
            return null;
        }
        return (int) $found[1];
    }

    /** The francs that an order costs. Null: it has another currency, or cents. */
    public static function of(\WC_Order $order): ?int
    {
        return $order->get_currency() === 'XOF' ? self::of_total((string) $order->get_total('edit')) : null;
    }
}
