<?php

declare(strict_types=1);

namespace Bandama\WooCommerce;

/**
 * Two tables of the shop's database: the payment pages of each order, and the ids of events that came. A table and not fields of orders, because
 * orders lie in one of two places, and an id is found there by reading them all.
 */
final class Store
{
    private const FORM = '1';
    private const LOCK_S = 20;
    private const EVENT_DAYS = 30;
    /** How long a payment that expired is asked about; after that its event alone says that it came all the same. */
    private const LATE_DAYS = 7;

    /** Makes the tables, or brings them to this form. */
    public static function install(): void
    {
        global $wpdb;
        require_once ABSPATH . 'wp-admin/includes/upgrade.php';
        $charset = $wpdb->get_charset_collate();
        dbDelta('CREATE TABLE ' . self::sessions() . " (
  session_id varchar(64) NOT NULL,
  order_id bigint(20) unsigned NOT NULL,
  attempt int(10) unsigned NOT NULL,
  amount bigint(20) unsigned NOT NULL,
  livemode tinyint(1) NOT NULL,
  url text NOT NULL,
  expires_at datetime NOT NULL,
  created_at datetime NOT NULL,
  status varchar(20) NOT NULL DEFAULT 'open',
  payment_id varchar(64) DEFAULT NULL,
  payment_status varchar(32) DEFAULT NULL,
  checked_at datetime DEFAULT NULL,
  PRIMARY KEY  (session_id),
  UNIQUE KEY of_order (order_id,attempt),
  KEY to_check (status,checked_at)
) {$charset};");
        dbDelta('CREATE TABLE ' . self::events() . " (
  event_id varchar(190) NOT NULL,
  payment_id varchar(64) DEFAULT NULL,
  received_at datetime NOT NULL,
  PRIMARY KEY  (event_id),
  KEY of_payment (payment_id)
) {$charset};");
        update_option('bandama_tables', self::FORM);
    }

    /** An upgrade of the files does not activate the plugin again. */
    public static function keep_up(): void
    {
        if (get_option('bandama_tables') !== self::FORM) {
            self::install();
        }
    }

    /** @param array<string, mixed> $row */
    public static function add_session(array $row): void
    {
        global $wpdb;
        self::must($wpdb->insert(self::sessions(), $row + ['created_at' => self::now()]));
    }

    public static function session(string $session_id): ?object
    {
        global $wpdb;
        $found = $wpdb->get_row($wpdb->prepare('SELECT * FROM ' . self::sessions() . ' WHERE session_id = %s', $session_id));
        self::must($wpdb->last_error === '' ? 1 : false);
        return $found;
    }

    /** The newest payment page of an order. */
    public static function newest(int $order_id): ?object
    {
        global $wpdb;
        $query = 'SELECT * FROM ' . self::sessions() . ' WHERE order_id = %d ORDER BY attempt DESC LIMIT 1';
        return $wpdb->get_row($wpdb->prepare($query, $order_id));
    }

    /** Pages whose payment is known and not settled yet, those first that were looked at longest ago. @return object[] */
    public static function to_check(bool $livemode, int $limit): array
    {
        global $wpdb;
        $query = 'SELECT * FROM ' . self::sessions() . " WHERE livemode = %d AND status IN ('open', 'expired') AND payment_id IS NOT NULL"
            . " AND (payment_status IN ('created', 'pending') OR (payment_status <> 'failed' AND created_at > %s))"
            . ' AND (checked_at IS NULL OR checked_at < %s) ORDER BY checked_at LIMIT %d';
        $late = gmdate('Y-m-d H:i:s', time() - self::LATE_DAYS * DAY_IN_SECONDS);
        $before = gmdate('Y-m-d H:i:s', time() - MINUTE_IN_SECONDS);
        return $wpdb->get_results($wpdb->prepare($query, (int) $livemode, $late, $before, $limit));
    }

    /** When the oldest page was made that may still be paid. Null: there is none. */
    public static function oldest_open(bool $livemode): ?string
    {
        global $wpdb;
        $query = 'SELECT min(created_at) FROM ' . self::sessions() . " WHERE livemode = %d AND status = 'open'";
        return $wpdb->get_var($wpdb->prepare($query, (int) $livemode));
    }

    /** @param array<string, mixed> $values */
    public static function set(string $session_id, array $values): void
    {
        global $wpdb;
        self::must($wpdb->update(self::sessions(), $values, ['session_id' => $session_id]));
    }

    /** Notes an event that came, or an alarm that was given. False: it is there already. */
    public static function is_new(string $event_id, ?string $payment_id = null): bool
    {
        global $wpdb;
        $query = 'INSERT IGNORE INTO ' . self::events() . ' (event_id, payment_id, received_at) VALUES (%s, %s, %s)';
        return self::must($wpdb->query($wpdb->prepare($query, $event_id, (string) $payment_id, self::now()))) === 1;
    }

    public static function has_event_of(string $payment_id): bool
    {
        global $wpdb;
        $query = 'SELECT count(*) FROM ' . self::events() . ' WHERE payment_id = %s';
        return (int) $wpdb->get_var($wpdb->prepare($query, $payment_id)) > 0;
    }

    /** The service sends an event for three days, and the feed goes on from its place. */
    public static function forget_old_events(): void
    {
        global $wpdb;
        $before = gmdate('Y-m-d H:i:s', time() - self::EVENT_DAYS * DAY_IN_SECONDS);
        $wpdb->query($wpdb->prepare('DELETE FROM ' . self::events() . " WHERE received_at < %s AND event_id LIKE 'evt\\_%%'", $before));
    }

    /**
     * Does something while no other request of this shop does the same. The database lets go of the lock when a request dies.
     * @template T
     * @param callable(): T $work
     * @return T|null null: another holds it still
     */
    public static function alone(string $name, callable $work, int $wait_s = self::LOCK_S)
    {
        global $wpdb;
        $lock = 'bandama_' . substr(hash('sha256', DB_NAME . $wpdb->prefix . $name), 0, 32);
        if ((int) $wpdb->get_var($wpdb->prepare('SELECT GET_LOCK(%s, %d)', $lock, $wait_s)) !== 1) {
            return null;
        }
        try {
            return $work();
        } finally {
            $wpdb->query($wpdb->prepare('DO RELEASE_LOCK(%s)', $lock));
        }
    }

    public static function now(): string
    {
        return gmdate('Y-m-d H:i:s');
    }

    private static function sessions(): string
    {
        global $wpdb;
        return $wpdb->prefix . 'bandama_sessions';
    }

    private static function events(): string
    {
        global $wpdb;
        return $wpdb->prefix . 'bandama_events';
    }

    /** @param mixed $result @return mixed @throws \RuntimeException when the database did not do it: then nothing goes on as if it had */
    private static function must($result)
    {
        global $wpdb;
        if ($result === false) {
            throw new \RuntimeException("The database of the shop failed: {$wpdb->last_error}");
        }
        return $result;
    }
}
