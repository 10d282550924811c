<?php

declare(strict_types=1);

namespace Bandama\WooCommerce;

/** Shows the money that the service gave back. The shop cannot give back by itself: people of the company do. */
final class Refunds
{
    private const SUM = '_bandama_refunded_in_all';

    /** Adds the part that the order does not show yet. Never stock: people say if goods go back on the shelf. */
    public static function show(\WC_Order $order, object $payment): void
    {
        if ($order->get_transaction_id() !== $payment->id) {
            return;
        }
        $sum = (int) $payment->amount_refunded;
        $shown = 0;
        foreach ($order->get_refunds() as $refund) {
            $shown = max($shown, (int) $refund->get_meta(self::SUM));
        }
        if ($sum <= $shown) {
            return;
        }
        $text = Words::of_shop('refunded', ['id' => $payment->id, 'amount' => $sum - $shown]);
        // The shop's people may have noted it by hand.
        $left = (int) Amount::of_total((string) $order->get_remaining_refund_amount());
        $amount = min($sum - $shown, $left);
        if ($amount < 1) {
            if (Store::is_new("refunded:{$payment->id}:{$sum}")) {
                $order->add_order_note($text);
            }
            return;
        }
        $keep = static fn (\WC_Order_Refund $refund) => $refund->update_meta_data(self::SUM, (string) $sum);
        add_action('woocommerce_create_refund', $keep);
        try {
            $made = wc_create_refund([
                'amount' => (string) $amount,
                'reason' => $text,
                'order_id' => $order->get_id(),
                'refund_payment' => false,
                'restock_items' => false,
            ]);
        } finally {
            remove_action('woocommerce_create_refund', $keep);
        }
        if (is_wp_error($made)) {
            throw new \RuntimeException("Order {$order->get_id()}: {$made->get_error_message()}");
        }
        $order->add_order_note($text);
    }
}
