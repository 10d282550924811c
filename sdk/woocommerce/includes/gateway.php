<?php

declare(strict_types=1);

namespace Bandama\WooCommerce;

/** The means of payment, and its settings. */
final class Gateway extends \WC_Payment_Gateway
{
    public const ID = 'bandama';

    public function __construct()
    {
        $this->id = self::ID;
        $this->has_fields = false;
        $this->supports = ['products'];
        $this->method_title = Words::say('method');
        $this->method_description = Words::say('method_about');
        $this->init_form_fields();
        $this->init_settings();
        $this->title = (string) $this->get_option('title');
        $this->description = (string) $this->get_option('description');
        add_action("woocommerce_update_options_payment_gateways_{$this->id}", [$this, 'process_admin_options']);
    }

    public function init_form_fields(): void
    {
        $addresses = ['address' => rest_url('bandama/v1/webhook'), 'other' => home_url('/?wc-api=bandama')];
        $this->form_fields = [
            'enabled' => ['title' => Words::say('enabled'), 'type' => 'checkbox', 'label' => Words::say('enabled_about'), 'default' => 'no'],
            'title' => ['title' => Words::say('shown_title'), 'type' => 'text', 'default' => Words::say('title')],
            'description' => ['title' => Words::say('shown_about'), 'type' => 'text', 'default' => Words::say('about')],
            'key' => ['title' => Words::say('key'), 'type' => 'secret', 'description' => Words::say('key_about')],
            'secret' => ['title' => Words::say('secret'), 'type' => 'secret', 'description' => Words::say('secret_about', $addresses)],
            'check' => ['title' => Words::say('check'), 'type' => 'check', 'description' => Words::say('check_about')],
        ];
    }

    public function is_available(): bool
    {
        return parent::is_available() && Settings::is_complete() && get_woocommerce_currency() === 'XOF';
    }

    /** @param int $order_id @return array<string, string> @throws \Exception with a sentence for the customer */
    public function process_payment($order_id): array
    {
        return ['result' => 'success', 'redirect' => Sessions::address_for(wc_get_order($order_id))];
    }

    /** A secret is written, and never shown again. @param string $key @param array<string, mixed> $data */
    public function generate_secret_html($key, $data): string
    {
        $name = $this->get_field_key($key);
        $is_kept = (string) $this->get_option($key) !== '';
        $input = sprintf(
            '<input class="input-text regular-input" type="password" autocomplete="new-password" id="%1$s" name="%1$s" value="" placeholder="%2$s">',
            esc_attr($name),
            esc_attr($is_kept ? Words::say('kept') : '')
        );
        return $this->row($name, $data, $input);
    }

    /** An empty field leaves the secret as it is. @param string $key @param ?string $value */
    public function validate_secret_field($key, $value): string
    {
        $value = trim((string) $value);
        $kept = (string) $this->get_option($key);
        if ($value === '') {
            return $kept;
        }
        if ($key === 'key' && !Settings::is_key($value)) {
            \WC_Admin_Settings::add_error(Words::say('bad_key'));
            return $kept;
        }
        return $value;
    }

    /** @param string $key @param array<string, mixed> $data */
    public function generate_check_html($key, $data): string
    {
        $address = wp_nonce_url(admin_url('admin-post.php?action=bandama_check'), 'bandama_check');
        $when = (int) get_option(Follow::DONE);
        $input = '<a class="button" href="' . esc_url($address) . '">' . esc_html(Words::say('check')) . '</a> '
            . '<strong>' . esc_html(Check::result()) . '</strong><p>'
            . esc_html(Words::say('last_follow', ['when' => $when > 0 ? wp_date('Y-m-d H:i:s', $when) : Words::say('never')])) . '</p>';
        return $this->row($this->get_field_key($key), $data, $input);
    }

    /** The button is no setting. @param string $key @param mixed $value */
    public function validate_check_field($key, $value): string
    {
        return '';
    }

    /** @param array<string, mixed> $data @param string $input HTML */
    private function row(string $name, array $data, string $input): string
    {
        return '<tr valign="top"><th scope="row" class="titledesc"><label for="' . esc_attr($name) . '">' . esc_html((string) $data['title'])
            . '</label></th><td class="forminp">' . $input . '<p class="description">' . esc_html((string) $data['description']) . '</p></td></tr>';
    }
}
