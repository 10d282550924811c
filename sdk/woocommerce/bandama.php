<?php
/**
 * Plugin Name: Bandama for WooCommerce
 * Description: Paiement par mobile money. Mobile money payments.
 * Version: 0.1.0
 * Requires at least: 6.1
 * Requires PHP: 7.4
 * Requires Plugins: woocommerce
 * WC requires at least: 7.9
 * WC tested up to: 7.9
 * License: Apache-2.0
 * License URI: https://www.apache.org/licenses/LICENSE-2.0
 */

declare(strict_types=1);

namespace Bandama\WooCommerce;

if (!defined('ABSPATH')) {
    exit;
}
// Another shop plugin may have brought the same library. Its address does not matter: this one always says its own.
if (!class_exists('Bandama\Bandama')) {
    require __DIR__ . '/lib/bandama.php';
}
foreach (['home', 'words', 'settings', 'store', 'alarm', 'amount', 'sessions', 'settle', 'follow', 'webhook', 'plugin'] as $part) {
    require __DIR__ . "/includes/{$part}.php";
}

register_activation_hook(__FILE__, [Store::class, 'install']);
register_deactivation_hook(__FILE__, [Follow::class, 'unschedule']);
Plugin::start(__FILE__);
