<?php

declare(strict_types=1);

namespace Bandama\WooCommerce;

use Automattic\WooCommerce\Utilities\FeaturesUtil;

/** Where the parts meet WordPress and WooCommerce. */
final class Plugin
{
    private static ?Gateway $gateway = null;

    public static function start(string $file): void
    {
        add_action('before_woocommerce_init', static function () use ($file): void {
            if (class_exists(FeaturesUtil::class)) {
                FeaturesUtil::declare_compatibility('custom_order_tables', $file, true);
                FeaturesUtil::declare_compatibility('cart_checkout_blocks', $file, true);
            }
        });
        add_action('plugins_loaded', static fn () => self::begin($file));
    }

    /** The one gateway of this request. */
    public static function gateway(): Gateway
    {
        return self::$gateway ??= new Gateway();
    }

    private static function begin(string $file): void
    {
        if (!class_exists('WC_Payment_Gateway') || !function_exists('as_enqueue_async_action')) {
            add_action('admin_notices', static function (): void {
                echo '<div class="notice notice-error"><p>' . esc_html(Words::say('no_woo')) . '</p></div>';
            });
            return;
        }
        foreach (['refunds', 'gateway', 'check'] as $part) {
            require_once __DIR__ . "/{$part}.php";
        }
        add_filter('woocommerce_payment_gateways', static function (array $gateways): array {
            $gateways[] = self::gateway();
            return $gateways;
        });
        add_action('woocommerce_blocks_payment_method_type_registration', static function ($registry) use ($file): void {
            require_once __DIR__ . '/blocks.php';
            $registry->register(new Blocks($file));
        });
        add_action('rest_api_init', [Webhook::class, 'register']);
        add_filter('woocommerce_rest_prepare_payment_gateway', [self::class, 'hide'], 10, 2);
        add_action('woocommerce_api_' . Gateway::ID, [Webhook::class, 'answer']);
        add_action(Webhook::ACTION, [Webhook::class, 'settle']);
        add_filter('cron_schedules', [Follow::class, 'schedules']);
        add_action(Follow::HOOK, [Follow::class, 'run']);
        add_action('init', static function (): void {
            Store::keep_up();
            Follow::schedule();
        });
        add_action('admin_post_bandama_check', [Check::class, 'run']);
        add_filter('woocommerce_cancel_unpaid_order', [self::class, 'may_cancel'], 10, 2);
        add_action('woocommerce_thankyou_' . Gateway::ID, [self::class, 'thank']);
    }

    /**
     * WooCommerce's own REST API gives every setting of a means of payment to whoever may read them: secrets stay here.
     * @param \WP_REST_Response $response @param \WC_Payment_Gateway $gateway
     */
    public static function hide($response, $gateway)
    {
        if ($gateway->id !== Gateway::ID) {
            return $response;
        }
        $data = $response->get_data();
        foreach (['key', 'secret'] as $name) {
            if (isset($data['settings'][$name])) {
                $data['settings'][$name]['value'] = '';
            }
        }
        $response->set_data($data);
        return $response;
    }

    /** An order whose money may be on its way keeps its place: WooCommerce asks again at its next round. @param bool $may @param \WC_Order $order */
    public static function may_cancel($may, $order): bool
    {
        if (!$may || !$order instanceof \WC_Order || $order->get_payment_method() !== Gateway::ID) {
            return (bool) $may;
        }
        $last = Store::newest($order->get_id());
        return $last === null || !Sessions::may_be_paid($last);
    }

    /** The page that the customer comes back to only reads. @param int $order_id */
    public static function thank($order_id): void
    {
        $order = wc_get_order($order_id);
        if ($order instanceof \WC_Order && $order->needs_payment()) {
            echo '<p class="woocommerce-info">' . esc_html(Words::say('confirming')) . '</p>';
        }
    }
}
