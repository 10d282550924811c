<?php

declare(strict_types=1);

namespace Bandama\WooCommerce;

use Bandama\Outcome;

/** Brings an order to what is true of its payment. An event is only a reason to read the payment again. */
final class Settle
{
    /** Pages about which nothing is left to decide. */
    private const DONE = ['paid', 'held'];

    /** Notes an event of the service at its page. Returns the payment to read again, or null when there is none for this shop. */
    public static function noted(object $event): ?string
    {
        $data = $event->data ?? null;
        $type = (string) ($event->type ?? '');
        $is_session = strncmp($type, 'checkout_session.', 17) === 0;
        if (!is_object($data) || (!$is_session && strncmp($type, 'payment.', 8) !== 0)) {
            return null;
        }
        $session_id = $is_session ? $data->id ?? null : $data->checkout_session_id ?? null;
        $payment_id = $is_session ? $data->payment_id ?? null : $data->id ?? null;
        $row = is_string($session_id) ? Store::session($session_id) : null;
        if ($row === null) {
            return null;
        }
        if ($type === 'checkout_session.expired' && $row->status === 'open') {
            Store::set($session_id, ['status' => 'expired']);
        }
        if (!is_string($payment_id)) {
            return null;
        }
        // Known from here on, whatever becomes of this request: cron looks at it until it is settled. The state itself is read.
        // Ids grow with time, so an event that comes late does not hide a newer attempt.
        if (!in_array($row->status, self::DONE, true) && strcmp($payment_id, (string) $row->payment_id) > 0) {
            Store::set($session_id, ['payment_id' => $payment_id, 'payment_status' => 'pending', 'checked_at' => null]);
        }
        return $payment_id;
    }

    /**
     * Reads a payment again, and settles its order.
     * @throws \Bandama\BandamaError when the service does not answer
     * @throws \RuntimeException when the shop's database fails, or another request holds the order
     */
    public static function payment(string $payment_id, int $retries = 2): void
    {
        $payment = Settings::client($retries)->payments->get($payment_id);
        $session_id = $payment->checkout_session_id ?? null;
        $row = is_string($session_id) ? Store::session($session_id) : null;
        if ($row === null) {
            return;
        }
        $done = Store::alone("order-{$row->order_id}", static function () use ($payment, $session_id): bool {
            self::settle($payment, Store::session($session_id));
            return true;
        });
        if ($done === null) {
            throw new \RuntimeException("Order {$row->order_id} is held by another request.");
        }
    }

    /** Under the lock of the order, with the page as it is now. */
    private static function settle(object $payment, object $row): void
    {
        $is_first = !in_array($row->status, self::DONE, true);
        $outcome = Outcome::of($payment);
        $has_money = $outcome === Outcome::PAID || $outcome === Outcome::RETURNED;
        if ($is_first && ($has_money || strcmp($payment->id, (string) $row->payment_id) >= 0)) {
            $seen = ['payment_id' => $payment->id, 'payment_status' => $payment->status, 'checked_at' => Store::now()];
            Store::set($row->session_id, $seen);
        }
        $order = self::fresh((int) $row->order_id);
        if ($has_money) {
            if ($order === null) {
                $with = ['id' => $payment->id, 'amount' => $payment->amount, 'number' => $row->order_id];
                Alarm::raise("gone:{$payment->id}", Words::of_shop('no_order', $with));
                Store::set($row->session_id, ['status' => 'held']);
                return;
            }
            if ($is_first) {
                Store::set($row->session_id, ['status' => self::pay($order, $payment, $row)]);
            } elseif ($row->payment_id !== $payment->id) {
                self::tell('twice', $order, $payment);
            }
            if (($payment->amount_refunded ?? 0) > 0) {
                Refunds::show($order, $payment);
            }
        } elseif ($is_first && $outcome === Outcome::NOT_PAID && $order !== null && !$order->is_paid()) {
            if (Store::is_new("failed:{$payment->id}")) {
                $order->add_order_note(Words::of_shop('failed', ['id' => $payment->id, 'why' => (string) $payment->failure_message]));
            }
        }
    }

    /** Marks the order. Returns the new state of the page. WooCommerce alone decides between its states and over the stock. */
    private static function pay(\WC_Order $order, object $payment, object $row): string
    {
        if ($order->get_transaction_id() === $payment->id) {
            // A request died between the order and this row.
            return $order->is_paid() ? 'paid' : 'held';
        }
        $why = self::difference($order, $payment, $row);
        if ($order->is_paid() || $order->has_status('refunded')) {
            self::tell('twice', $order, $payment);
            return 'held';
        }
        $is_late = !$order->needs_payment() && !$order->has_status('on-hold');
        if ($why !== null || $is_late) {
            $order->set_transaction_id($payment->id);
            $order->set_status('on-hold');
            $order->save();
            self::tell($why !== null ? 'differs' : 'late', $order, $payment, ['why' => $why ?? '']);
            return 'held';
        }
        if (!$order->payment_complete($payment->id)) {
            throw new \RuntimeException("WooCommerce could not mark order {$order->get_id()} as paid.");
        }
        $with = ['id' => $payment->id, 'amount' => $payment->amount, 'operator' => (string) $payment->operator];
        $order->add_order_note(Words::of_shop('paid', $with));
        return 'paid';
    }

    /** The difference between a payment and its order. Null: none. */
    private static function difference(\WC_Order $order, object $payment, object $row): ?string
    {
        if ($payment->currency !== 'XOF' || $order->get_currency() !== 'XOF') {
            return Words::of_shop('why_currency');
        }
        if ($payment->livemode !== (bool) $row->livemode) {
            return Words::of_shop('why_mode');
        }
        $is_same = $payment->amount === (int) $row->amount && $payment->amount === Amount::of($order);
        return $is_same ? null : Words::of_shop('why_amount');
    }

    /** @param array<string, string> $more */
    private static function tell(string $what, \WC_Order $order, object $payment, array $more = []): void
    {
        $with = ['id' => $payment->id, 'amount' => $payment->amount] + $more;
        Alarm::raise("{$what}:{$payment->id}", Words::of_shop($what, $with), $order);
    }

    /** The order as it is in the database, whatever this request read of it before. */
    private static function fresh(int $order_id): ?\WC_Order
    {
        clean_post_cache($order_id);
        $cache = 'Automattic\WooCommerce\Caches\OrderCache';
        if (class_exists($cache)) {
            wc_get_container()->get($cache)->remove($order_id);
        }
        $order = wc_get_order($order_id);
        return $order instanceof \WC_Order && $order->get_status() !== 'trash' ? $order : null;
    }
}
