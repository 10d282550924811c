<?php

declare(strict_types=1);

namespace Bandama\WooCommerce;

use Bandama\Bandama;
use Bandama\BandamaError;

/** Reads the feed of events by cron: a lost webhook is late, and no more. */
final class Follow
{
    public const HOOK = 'bandama_follow';
    /** Seconds since 1970: up to here every event was read. */
    public const DONE = 'bandama_followed';
    private const PLACE = 'bandama_place_';
    /** Twice within the five minutes that a shop may take to know of a payment. */
    private const EVERY_S = 120;
    /** How long a call waits for an event, and how long a run takes at most. */
    private const WAIT_MS = 2_000;
    private const RUN_S = 50;
    private const CHECKED = 50;
    private const TYPES = [
        'payment.pending', 'payment.succeeded', 'payment.failed', 'payment.expired', 'payment.refunded',
        'payment.partially_refunded', 'checkout_session.paid', 'checkout_session.expired',
    ];

    /** @param array<string, array<string, mixed>> $schedules @return array<string, array<string, mixed>> */
    public static function schedules(array $schedules): array
    {
        return $schedules + [self::HOOK => ['interval' => self::EVERY_S, 'display' => 'Bandama']];
    }

    public static function schedule(): void
    {
        if (wp_next_scheduled(self::HOOK) === false) {
            wp_schedule_event(time(), self::HOOK, self::HOOK);
        }
    }

    public static function unschedule(): void
    {
        wp_clear_scheduled_hook(self::HOOK);
    }

    public static function run(): void
    {
        if (!Settings::is_complete()) {
            return;
        }
        Store::alone('follow', static function (): void {
            $until = time() + self::RUN_S;
            if (function_exists('set_time_limit')) {
                @set_time_limit(self::RUN_S + 60);
            }
            try {
                self::read_on(Settings::client(), $until);
            } catch (\Throwable $error) {
                Alarm::log('error', "feed: {$error->getMessage()}");
            }
            self::look_again($until);
            Store::forget_old_events();
        }, 0);
    }

    /** Reads from the kept place to the end, or until the time is up. */
    private static function read_on(Bandama $client, int $until): void
    {
        $option = self::PLACE . $client->mode;
        $place = (string) get_option($option, '');
        do {
            $began = time();
            $count = 0;
            try {
                $follow = ['after' => $place !== '' ? $place : self::beginning(), 'types' => self::TYPES, 'timeout_ms' => self::WAIT_MS];
                $events = $client->events->follow($follow);
                foreach ($events as $cursor => $event) {
                    self::take($event);
                    update_option($option, $cursor, false);
                    $count += 1;
                }
            } catch (BandamaError $error) {
                if (self::is_off($error)) {
                    update_option(self::DONE, $began, false);
                    return;
                }
                if ($error->kind !== 'refused' || $place === '' || !in_array($error->status, [400, 409], true)) {
                    throw $error;
                }
                // Another merchant's key, or a place that is too old.
                Alarm::log('warning', "feed: {$error->getMessage()}");
                update_option($option, $place = '', false);
                $count = 1;
                continue;
            }
            $next = $events->getReturn();
            $has_moved = $next !== $place;
            update_option($option, $place = $next, false);
        } while (($count > 0 || $has_moved) && time() < $until);
        if ($count === 0) {
            update_option(self::DONE, $began, false);
        }
    }

    /** Without a place: from the oldest page that may still be paid. */
    private static function beginning(): string
    {
        $oldest = Store::oldest_open(Settings::is_live());
        return gmdate('Y-m-d\TH:i:s\Z', $oldest === null ? time() : (int) strtotime("{$oldest} UTC"));
    }

    /** An instance that turned its extensions off has no feed. Webhooks are all that is left. */
    private static function is_off(BandamaError $error): bool
    {
        return $error->status === 404;
    }

    /** The payment is known before its order is settled, so an order that fails holds no other up: it is looked at again. */
    private static function take(object $event): void
    {
        $payment_id = Settle::noted($event);
        if ($payment_id === null) {
            return;
        }
        try {
            Settle::payment($payment_id);
        } catch (\Throwable $error) {
            Webhook::later($payment_id, $error);
            Alarm::log('error', "{$payment_id}: {$error->getMessage()}");
        }
    }

    private static function look_again(int $until): void
    {
        foreach (Store::to_check(Settings::is_live(), self::CHECKED) as $row) {
            if (time() >= $until) {
                return;
            }
            try {
                Store::set($row->session_id, ['checked_at' => Store::now()]);
                Settle::payment($row->payment_id, 0);
            } catch (\Throwable $error) {
                Alarm::log('error', "{$row->payment_id}: {$error->getMessage()}");
            }
        }
    }
}
