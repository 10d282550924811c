<?php
// Programs inside a shop of the tests: `php shop.php SITE ADDRESS NAME WORDS…`, each word as JSON. The server of PHP uses it as its router.

declare(strict_types=1);

if (PHP_SAPI === 'cli-server') {
    $path = (string) parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
    if ($path !== '/' && is_file($_SERVER['DOCUMENT_ROOT'] . $path)) {
        return false;
    }
    require $_SERVER['DOCUMENT_ROOT'] . '/index.php';
    return true;
}

[, $site, $address, $name] = $argv;
$words = array_map(static fn (string $word) => json_decode($word, true), array_slice($argv, 4));
$_SERVER['HTTP_HOST'] = substr($address, 7);
$_SERVER['REQUEST_URI'] = '/';
$_SERVER['SERVER_PROTOCOL'] = 'HTTP/1.1';
if ($name === 'install') {
    define('WP_INSTALLING', true);
}
require "{$site}/wp-load.php";

$programs = [
    'install' => static function () use ($address) {
        require_once ABSPATH . 'wp-admin/includes/upgrade.php';
        add_filter('pre_wp_mail', '__return_true');
        wp_install('Boutique « Awa »', 'admin', 'awa@example.ci', true, '', wp_generate_password(), 'en_US');
        update_option('siteurl', $address);
        update_option('home', $address);
        return true;
    },
    'activate' => static function () {
        require_once ABSPATH . 'wp-admin/includes/plugin.php';
        update_option('woocommerce_currency', 'XOF');
        update_option('woocommerce_price_num_decimals', '0');
        update_option('woocommerce_default_country', 'CI');
        update_option('woocommerce_coming_soon', 'no');
        $plugins = array_keys(get_plugins());
        $ours = array_values(preg_grep('/-woocommerce\/bandama\.php$/', $plugins));
        foreach (['woocommerce/woocommerce.php', $ours[0]] as $plugin) {
            $failed = activate_plugin($plugin);
            if (is_wp_error($failed)) {
                throw new RuntimeException($failed->get_error_message());
            }
        }
        return $ours[0];
    },
    // The settings, as the form saves them.
    'set' => static function (array $values) {
        $gateway = WC()->payment_gateways()->payment_gateways()['bandama'];
        $fields = ['enabled' => '1', 'title' => 'Mobile money', 'description' => 'Payez.'] + $values;
        foreach ($fields as $field => $value) {
            $_POST[$gateway->get_field_key($field)] = $value;
        }
        $gateway->process_admin_options();
        return ['form' => $gateway->generate_settings_html([], false), 'available' => (new Bandama\WooCommerce\Gateway())->is_available()];
    },
    'orders_in_tables' => static function () {
        $sync = 'Automattic\WooCommerce\Internal\DataStores\Orders\DataSynchronizer';
        $controller = wc_get_container()->get($sync);
        if (!$controller->check_orders_table_exists()) {
            $controller->create_database_tables();
        }
        update_option('woocommerce_feature_custom_order_tables_enabled', 'yes');
        update_option('woocommerce_custom_orders_table_enabled', 'yes');
        return true;
    },
    'product' => static function (int $price, int $stock) {
        $product = new WC_Product_Simple();
        $product->set_props(['name' => 'Robe wax', 'regular_price' => (string) $price, 'manage_stock' => true, 'stock_quantity' => $stock]);
        return $product->save();
    },
    'stock' => static fn (int $product_id) => (int) wc_get_product($product_id)->get_stock_quantity(),
    // Orders with a page to pay on, as the checkout makes them.
    'orders' => static function (int $product_id, int $count) {
        add_filter('pre_wp_mail', '__return_true');
        $gateway = WC()->payment_gateways()->payment_gateways()['bandama'];
        $made = [];
        for ($at = 0; $at < $count; $at += 1) {
            $order = wc_create_order(['status' => 'pending']);
            $order->add_product(wc_get_product($product_id), 1);
            $order->set_payment_method($gateway);
            $order->set_billing_email('client@example.ci');
            $order->calculate_totals();
            $order->save();
            $made[] = ['id' => $order->get_id(), 'url' => $gateway->process_payment($order->get_id())['redirect']];
        }
        return $made;
    },
    'decimals' => static fn (int $count) => update_option('woocommerce_price_num_decimals', (string) $count),
    'pay_again' => static function (int $order_id) {
        try {
            return WC()->payment_gateways()->payment_gateways()['bandama']->process_payment($order_id)['redirect'];
        } catch (Exception $error) {
            return $error->getMessage();
        }
    },
    'change' => static function (int $order_id, array $what) {
        add_filter('pre_wp_mail', '__return_true');
        $order = wc_get_order($order_id);
        foreach ($what as $name => $value) {
            $order->{"set_{$name}"}($value);
        }
        return $order->save();
    },
    'states' => static function (array $ids) {
        $states = [];
        foreach ($ids as $id) {
            $order = wc_get_order($id);
            $states[$id] = ['status' => $order->get_status(), 'payment' => $order->get_transaction_id(), 'reduced' => $order->get_data_store()->get_stock_reduced($id)];
        }
        return $states;
    },
    'notes' => static fn (int $id) => array_map(static fn ($note) => $note->content, wc_get_order_notes(['order_id' => $id])),
    'refunds' => static fn (int $id) => array_map(static fn ($refund) => $refund->get_amount(), wc_get_order($id)->get_refunds()),
    'may_cancel' => static fn (int $id) => apply_filters('woocommerce_cancel_unpaid_order', true, wc_get_order($id)),
    // What a clock would bring: the end of a page.
    'page_ends' => static function (int $order_id) {
        global $wpdb;
        return $wpdb->update("{$wpdb->prefix}bandama_sessions", ['expires_at' => '2020-01-01 00:00:00'], ['order_id' => $order_id]);
    },
    'follow' => static function () {
        add_filter('pre_wp_mail', '__return_true');
        do_action('bandama_follow');
        return (int) get_option('bandama_followed');
    },
    'settle' => static function (string $payment_id) {
        add_filter('pre_wp_mail', '__return_true');
        do_action('bandama_settle', $payment_id);
        return true;
    },
    'mails' => static function (string $payment_id) {
        $mails = [];
        add_filter('pre_wp_mail', static function ($null, array $mail) use (&$mails) {
            $mails[] = $mail['subject'];
            return true;
        }, 10, 2);
        do_action('bandama_settle', $payment_id);
        return $mails;
    },
];
$result = $programs[$name](...$words);
echo "\nRESULT " . json_encode($result, JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR) . "\n";
