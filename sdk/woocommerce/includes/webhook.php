<?php

declare(strict_types=1);

namespace Bandama\WooCommerce;

use Bandama\BandamaError;
use Bandama\SignatureError;
use Bandama\Webhooks;

/** Takes webhooks: proven, noted, answered. The work is done by Action Scheduler, later, and by cron when that never comes. */
final class Webhook
{
    public const ACTION = 'bandama_settle';
    private const LATER_S = 300;

    public static function register(): void
    {
        register_rest_route('bandama/v1', '/webhook', [
            'methods' => 'POST',
            'callback' => static function (\WP_REST_Request $request): \WP_REST_Response {
                [$status, $text] = self::take($request->get_body());
                return new \WP_REST_Response($text === '' ? null : ['message' => $text], $status);
            },
            // Its signature is the permission.
            'permission_callback' => '__return_true',
        ]);
    }

    /** For shops whose REST API is closed: `?wc-api=bandama`. */
    public static function answer(): void
    {
        [$status, $text] = self::take((string) file_get_contents('php://input'));
        status_header($status);
        header('Content-Type: text/plain; charset=utf-8');
        echo esc_html($text);
        exit;
    }

    /** Work of Action Scheduler. A failure is shown among its failures, and is tried again. */
    public static function settle(string $payment_id): void
    {
        try {
            Settle::payment($payment_id);
        } catch (\Throwable $error) {
            self::later($payment_id, $error);
            throw $error;
        }
    }

    /** Plans another look at a payment that could not be settled. Cron looks only at open pages, so a refund or a second payment needs this. */
    public static function later(string $payment_id, \Throwable $error): void
    {
        // No payment of this key: its mode was changed.
        if ($error instanceof BandamaError && $error->status === 404) {
            return;
        }
        $planned = ['hook' => self::ACTION, 'args' => [$payment_id], 'group' => 'bandama', 'status' => 'pending', 'per_page' => 1];
        if (as_get_scheduled_actions($planned, 'ids') === []) {
            as_schedule_single_action(time() + self::LATER_S, self::ACTION, [$payment_id], 'bandama');
        }
    }

    /** @return array{int, string} */
    private static function take(string $body): array
    {
        if (Settings::secret() === '') {
            return [500, 'The plugin has no webhook secret yet.'];
        }
        try {
            $event = Webhooks::verify($body, Settings::secret());
        } catch (SignatureError $error) {
            return [400, $error->getMessage()];
        }
        $data = $event->data ?? null;
        $id = $event->id ?? null;
        if (!is_string($id) || strlen($id) > 190) {
            return [400, 'This event has no id.'];
        }
        $payment_id = Settle::noted($event);
        $named = is_object($data) && is_string($data->id ?? null) ? $data->id : null;
        if (Store::is_new($id, $payment_id ?? $named) && $payment_id !== null) {
            as_enqueue_async_action(self::ACTION, [$payment_id], 'bandama');
        }
        return [204, ''];
    }
}
