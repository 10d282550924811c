<?php

declare(strict_types=1);

namespace Bandama\WooCommerce;

/** Tells people: in the log, on the order, and by mail where somebody must decide. */
final class Alarm
{
    private const SOURCE = ['source' => 'bandama'];

    public static function log(string $level, string $text): void
    {
        wc_get_logger()->log($level, $text, self::SOURCE);
    }

    /** Notes it, and sends a mail to the shop. Once for each key. */
    public static function raise(string $key, string $text, ?\WC_Order $order = null): void
    {
        if (!Store::is_new("alarm:{$key}")) {
            return;
        }
        self::log('critical', $text);
        if ($order !== null) {
            $order->add_order_note($text);
            $text .= "\n\n" . $order->get_edit_order_url();
        }
        $shop = wp_specialchars_decode((string) get_option('blogname'), ENT_QUOTES);
        wp_mail((string) get_option('admin_email'), Words::of_shop('alarm', ['shop' => $shop]), $text);
    }
}
