<?php

declare(strict_types=1);

namespace Bandama\WooCommerce;

use Bandama\Testing;

/** The button in the settings: a test payment, and whether its webhook came. */
final class Check
{
    private const OPTION = 'bandama_check';
    private const AMOUNT = 100;

    public static function run(): void
    {
        if (!current_user_can('manage_woocommerce') || check_admin_referer('bandama_check') === false) {
            wp_die('', '', 403);
        }
        update_option(self::OPTION, self::begin(), false);
        wp_safe_redirect(admin_url('admin.php?page=wc-settings&tab=checkout&section=' . Gateway::ID));
        exit;
    }

    /** The result of the last trial until now. Empty: there was none. */
    public static function result(): string
    {
        $last = (string) get_option(self::OPTION, '');
        if (strncmp($last, 'txn_', 4) !== 0) {
            return $last;
        }
        return Words::say(Store::has_event_of($last) ? 'check_ok' : 'check_waits');
    }

    /** Returns the id of the payment, or why there is none. */
    private static function begin(): string
    {
        if (!Settings::is_complete() || Settings::is_live()) {
            return Words::say('check_live');
        }
        try {
            $client = Settings::client(0);
            $body = ['amount' => self::AMOUNT, 'counterparty' => ['msisdn' => Testing::PAID], 'merchant_reference' => 'wc-check-' . wp_generate_uuid4()];
            $payment = $client->payments->wait($client->payments->create($body)->id, ['timeout_ms' => 10_000]);
            // A webhook takes a moment.
            for ($left = 10; $left > 0 && !Store::has_event_of($payment->id); $left -= 1) {
                sleep(1);
            }
            return $payment->id;
        } catch (\Throwable $error) {
            return Words::say('check_failed', ['why' => $error->getMessage()]);
        }
    }
}
