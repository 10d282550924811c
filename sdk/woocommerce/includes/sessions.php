<?php

declare(strict_types=1);

namespace Bandama\WooCommerce;

use Bandama\BandamaError;

/** The payment pages of an order: one at a time, so that two tabs lead to one payment. */
final class Sessions
{
    /** A page that ends sooner is not given to a customer any more. */
    private const LEFT_S = 120;

    /**
     * The address where the customer pays, or that of the order when it is paid meanwhile.
     * @throws \Exception with a sentence for the customer
     */
    public static function address_for(\WC_Order $order): string
    {
        $amount = Amount::of($order);
        if ($amount === null) {
            throw new \Exception(Words::say('not_whole'));
        }
        $address = Store::alone("order-{$order->get_id()}", static fn () => self::open($order, $amount));
        if ($address === null) {
            throw new \Exception(Words::say('try_again'));
        }
        return $address;
    }

    /** Whether money may still come by this page without a new act of the customer, or with the page that is still open. */
    public static function may_be_paid(object $row): bool
    {
        if (in_array($row->payment_status, ['created', 'pending'], true)) {
            return true;
        }
        // Past its end, what happened until then must have been read.
        $end = strtotime("{$row->expires_at} UTC");
        return $row->status === 'open' && min(time(), (int) get_option(Follow::DONE)) <= $end + self::LEFT_S;
    }

    private static function open(\WC_Order $order, int $amount): string
    {
        $last = Store::newest($order->get_id());
        if ($last !== null && (bool) $last->livemode === Settings::is_live()) {
            if ($last->payment_id !== null && $last->status !== 'paid') {
                self::look_again($last->payment_id);
                $last = Store::newest($order->get_id());
                $order = wc_get_order($order->get_id());
            }
            if ($order->is_paid()) {
                return $order->get_checkout_order_received_url();
            }
            $is_usable = $last->status === 'open' && strtotime("{$last->expires_at} UTC") > time() + self::LEFT_S;
            if ($is_usable && (int) $last->amount === $amount) {
                return $last->url;
            }
            if (in_array($last->payment_status, ['created', 'pending'], true)) {
                throw new \Exception(Words::say('uncertain'));
            }
        }
        return self::create($order, $amount, $last === null ? 1 : (int) $last->attempt + 1);
    }

    private static function look_again(string $payment_id): void
    {
        try {
            Settle::payment($payment_id, 1);
        } catch (\Throwable $error) {
            Alarm::log('warning', "{$payment_id}: {$error->getMessage()}");
        }
    }

    private static function create(\WC_Order $order, int $amount, int $attempt): string
    {
        $back = $order->get_checkout_order_received_url();
        $shop = wp_specialchars_decode((string) get_option('blogname'), ENT_QUOTES);
        $about = ['number' => $order->get_order_number(), 'shop' => $shop];
        $body = ['amount' => $amount, 'description' => Words::of_shop('order', $about)];
        // A shop without TLS is one on the machine of its programmer.
        if (strncmp($back, 'https://', 8) === 0) {
            $body['return_url'] = $back;
        }
        try {
            $session = self::send($order->get_id(), $attempt, $body);
        } catch (BandamaError $error) {
            Alarm::log('error', "order {$order->get_id()}: {$error->code}: {$error->getMessage()} ({$error->request_id})");
            throw new \Exception(Words::say('try_again'));
        }
        // Before the customer sees the page: no payment comes for a page that the shop does not know.
        Store::add_session([
            'session_id' => $session->id,
            'order_id' => $order->get_id(),
            'attempt' => $attempt,
            'amount' => $amount,
            'livemode' => (int) $session->livemode,
            'url' => $session->url,
            'expires_at' => gmdate('Y-m-d H:i:s', (int) strtotime($session->expires_at)),
        ]);
        $order->add_order_note(Words::of_shop('opened', ['id' => $session->id, 'amount' => $amount]));
        return $session->url;
    }

    /** One key for one attempt of one order of one shop: a repeated request, and a second tab, get the same page. @param array<string, mixed> $body */
    private static function send(int $order_id, int $attempt, array $body): object
    {
        // A change between two requests, such as of the shop's name, makes another key and not a refusal.
        $site = substr(hash('sha256', home_url() . DB_NAME . $GLOBALS['wpdb']->prefix), 0, 8);
        $words = substr(hash('sha256', (string) wp_json_encode($body)), 0, 8);
        $key = "wc-{$site}-{$order_id}-{$attempt}-{$body['amount']}-{$words}";
        return Settings::client(1)->checkout->create($body, ['idempotency_key' => $key]);
    }
}
