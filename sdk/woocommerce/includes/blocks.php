<?php

declare(strict_types=1);

namespace Bandama\WooCommerce;

use Automattic\WooCommerce\Blocks\Payments\Integrations\AbstractPaymentMethodType;

/** The means of payment in the checkout that is made of blocks. */
final class Blocks extends AbstractPaymentMethodType
{
    /** @var string */
    protected $name = Gateway::ID;
    private string $file;

    public function __construct(string $file)
    {
        $this->file = $file;
    }

    public function initialize(): void
    {
        $this->settings = get_option(Settings::OPTION, []);
    }

    public function is_active(): bool
    {
        return Plugin::gateway()->is_available();
    }

    /** @return string[] */
    public function get_payment_method_script_handles(): array
    {
        $needs = ['wc-blocks-registry', 'wc-settings', 'wp-element', 'wp-html-entities'];
        wp_register_script('bandama-blocks', plugins_url('assets/blocks.js', $this->file), $needs, Home::VERSION, true);
        return ['bandama-blocks'];
    }

    /** @return array<string, mixed> */
    public function get_payment_method_data(): array
    {
        $gateway = Plugin::gateway();
        return ['title' => $gateway->get_title(), 'description' => $gateway->get_description(), 'supports' => $gateway->supports];
    }
}
