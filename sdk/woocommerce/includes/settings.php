<?php

declare(strict_types=1);

namespace Bandama\WooCommerce;

use Bandama\Bandama;

/** The settings of the shop. `BANDAMA_KEY` and `BANDAMA_WEBHOOK_SECRET` in wp-config.php come before the settings. */
final class Settings
{
    public const OPTION = 'woocommerce_bandama_settings';

    public static function key(): string
    {
        return defined('BANDAMA_KEY') ? (string) constant('BANDAMA_KEY') : self::read('key');
    }

    public static function secret(): string
    {
        return defined('BANDAMA_WEBHOOK_SECRET') ? (string) constant('BANDAMA_WEBHOOK_SECRET') : self::read('secret');
    }

    public static function is_complete(): bool
    {
        return self::is_key(self::key()) && self::secret() !== '';
    }

    public static function is_key(string $text): bool
    {
        return preg_match('/^[a-z]{2,8}_sk_(test|live)_\w+$/D', $text) === 1;
    }

    /** Whether the key moves money. */
    public static function is_live(): bool
    {
        return strpos(self::key(), '_sk_live_') !== false;
    }

    /** @param int $retries attempts after the first: few while somebody waits */
    public static function client(int $retries = 2): Bandama
    {
        $options = ['key' => self::key(), 'url' => Home::URL, 'timeout_ms' => 15_000, 'retries' => $retries];
        return new Bandama($options);
    }

    private static function read(string $name): string
    {
        $settings = get_option(self::OPTION, []);
        return is_array($settings) ? trim((string) ($settings[$name] ?? '')) : '';
    }
}
