<?php
// A double of WordPress and WooCommerce, after their public signatures, for the decisions of the plugin. tests/shop has the real ones.
// `php shop.php PLUGIN_FOLDER`: reads one JSON of what to do from the standard input, and prints what became of it.

declare(strict_types=1);

define('ABSPATH', '/');
define('DB_NAME', 'shop');
define('DAY_IN_SECONDS', 86_400);
define('MINUTE_IN_SECONDS', 60);

$mails = [];
$options = ['blogname' => 'Boutique', 'admin_email' => 'awa@example.ci'];

function get_option(string $name, $default = false)
{
    return $GLOBALS['options'][$name] ?? $default;
}
function wp_mail(string $to, string $subject, string $text): bool
{
    $GLOBALS['mails'][] = $text;
    return true;
}
function get_locale(): string
{
    return $GLOBALS['options']['locale'] ?? 'en_US';
}
function determine_locale(): string
{
    return get_locale();
}
function home_url(): string
{
    return 'https://boutique.example.ci';
}
function wp_json_encode($value): string
{
    return json_encode($value);
}
function wp_specialchars_decode(string $text, int $flags): string
{
    return $text;
}
function clean_post_cache(int $id): void
{
}
function wc_get_logger(): object
{
    return new class {
        public function log(): void
        {
        }
    };
}
function wc_get_order($id)
{
    return $GLOBALS['order'] ?? false;
}
function add_action(string $name, callable $work): void
{
    $GLOBALS['hooks'][$name] = $work;
}
function remove_action(string $name): void
{
    unset($GLOBALS['hooks'][$name]);
}
function is_wp_error($made): bool
{
    return false;
}
function wc_create_refund(array $facts): object
{
    global $order, $hooks;
    $refund = new WC_Order_Refund((int) $facts['amount']);
    ($hooks['woocommerce_create_refund'])($refund);
    $order->refunds[] = $refund;
    $order->given_back[] = [$facts['amount'], $facts['refund_payment'], $facts['restock_items']];
    return $refund;
}
function as_get_scheduled_actions(array $wanted): array
{
    return in_array($wanted['args'], $GLOBALS['planned'], true) ? [1] : [];
}
function as_schedule_single_action(int $at, string $name, array $words): void
{
    $GLOBALS['planned'][] = $words;
}
function current_user_can(): bool
{
    return $GLOBALS['asked']['may'] ?? true;
}
function check_admin_referer(): bool
{
    return current_user_can() || wp_die();
}
function wp_die(): void
{
    throw new Exception('refused');
}
function update_option(string $name, $value): void
{
    $GLOBALS['options'][$name] = $value;
}
function admin_url(string $path): string
{
    return $path;
}
function wp_generate_uuid4(): string
{
    return '00000000-0000-4000-8000-000000000001';
}
function wp_safe_redirect(): void
{
    throw new Exception('done');
}
foreach (['add_filter', 'register_activation_hook', 'register_deactivation_hook'] as $name) {
    eval("function {$name}(...\$words) {}");
}

class WC_Payment_Gateway
{
    public string $id = 'bandama';
}

final class WC_Order_Refund
{
    public int $amount;
    /** @var array<string, string> */
    private array $meta = [];

    public function __construct(int $amount)
    {
        $this->amount = $amount;
    }

    public function update_meta_data(string $name, string $value): void
    {
        $this->meta[$name] = $value;
    }

    public function get_meta(string $name): string
    {
        return $this->meta[$name] ?? '';
    }
}

final class WC_Order
{
    public string $status = 'pending';
    public string $total = '12500';
    public string $currency = 'XOF';
    public string $transaction_id = '';
    public int $completed = 0;
    /** @var string[] */
    public array $notes = [];
    /** @var WC_Order_Refund[] */
    public array $refunds = [];
    /** @var array<int, array<int, mixed>> */
    public array $given_back = [];

    public function __construct(array $facts)
    {
        foreach ($facts as $name => $value) {
            $this->$name = $value;
        }
        // What the shop's people noted by hand.
        $this->refunds = array_map(static fn (int $amount) => new WC_Order_Refund($amount), $this->refunds);
    }

    public function __call(string $name, array $words)
    {
        if (strncmp($name, 'get_', 4) === 0) {
            $facts = ['id' => 7, 'order_number' => '7', 'edit_order_url' => '', 'checkout_order_received_url' => 'https://boutique.example.ci/merci'];
            return $facts[substr($name, 4)] ?? $this->{substr($name, 4)};
        }
        if (strncmp($name, 'set_', 4) === 0) {
            $this->{substr($name, 4)} = $words[0];
        }
    }

    public function get_remaining_refund_amount(): string
    {
        return number_format((int) $this->total - array_sum(array_column($this->refunds, 'amount')), 2, '.', '');
    }

    public function add_order_note(string $note): void
    {
        $this->notes[] = $note;
    }

    public function has_status(string $status): bool
    {
        return $this->status === $status;
    }

    public function is_paid(): bool
    {
        return in_array($this->status, ['processing', 'completed'], true);
    }

    public function needs_payment(): bool
    {
        return in_array($this->status, ['pending', 'failed'], true);
    }

    public function payment_complete(string $transaction_id): bool
    {
        $this->completed += 1;
        $this->transaction_id = $transaction_id;
        $this->status = 'processing';
        return true;
    }
}

/** The rows of the plugin, without a database. */
final class Rows
{
    public string $prefix = 'wp_';
    public string $last_error = '';
    /** @var array<string, array<string, mixed>> */
    public array $sessions = [];
    /** @var array<string, string> */
    private array $events = [];

    public function prepare(string $query, ...$words): string
    {
        return $query . "\0" . implode("\0", $words);
    }

    public function get_row(string $query): ?object
    {
        $word = explode("\0", $query)[1];
        if (strpos($query, 'WHERE session_id') !== false) {
            return isset($this->sessions[$word]) ? (object) $this->sessions[$word] : null;
        }
        return $this->sessions === [] ? null : (object) end($this->sessions);
    }

    public function get_var(string $query)
    {
        $word = explode("\0", $query)[1];
        if (strpos($query, 'GET_LOCK') !== false) {
            return '1';
        }
        return (string) count(array_keys($this->events, $word, true));
    }

    public function query(string $query): int
    {
        if (strpos($query, 'INSERT IGNORE') === false) {
            return 1;
        }
        [, $id, $payment_id] = explode("\0", $query);
        $is_new = !isset($this->events[$id]);
        $this->events[$id] = $payment_id;
        return (int) $is_new;
    }

    public function insert(string $table, array $row): int
    {
        $this->sessions[$row['session_id']] = $row + ['status' => 'open', 'payment_id' => null, 'payment_status' => null];
        return 1;
    }

    public function update(string $table, array $values, array $where): int
    {
        $this->sessions[$where['session_id']] = $values + $this->sessions[$where['session_id']];
        return 1;
    }
}

$asked = json_decode((string) stream_get_contents(STDIN), true);
$options = ($asked['options'] ?? []) + $options + ['woocommerce_bandama_settings' => ['key' => 'bdm_sk_test_abcdef_ghijkl', 'secret' => 'whsec_0123456789']];
$wpdb = new Rows();
$order = ($asked['order'] ?? null) === null ? null : new WC_Order($asked['order']);
require "{$argv[1]}/bandama.php";
if (isset($asked['row'])) {
    $wpdb->insert('', $asked['row']);
}
$addresses = [];
$planned = [];
foreach (['refunds', 'gateway', 'check'] as $part) {
    require "{$argv[1]}/includes/{$part}.php";
}
if ($asked['check'] ?? false) {
    Bandama\WooCommerce\Store::is_new('evt_1', 'txn_1');
    try {
        Bandama\WooCommerce\Check::run();
    } catch (Exception $error) {
        $addresses[] = $error->getMessage();
    }
    $addresses[] = Bandama\WooCommerce\Check::result();
}
if (isset($asked['settings'])) {
    $response = new class ($asked['settings']) {
        private array $data;

        public function __construct(array $settings)
        {
            $this->data = ['settings' => $settings];
        }

        public function get_data(): array
        {
            return $this->data;
        }

        public function set_data(array $data): void
        {
            $this->data = $data;
        }
    };
    $shown = Bandama\WooCommerce\Plugin::hide($response, new WC_Payment_Gateway())->get_data();
}
foreach ($asked['settle'] ?? [] as $payment_id) {
    try {
        Bandama\WooCommerce\Webhook::settle($payment_id);
    } catch (Throwable $error) {
        $addresses[] = get_class($error);
    }
}
foreach ($asked['pay'] ?? [] as $total) {
    $order->total = $total;
    try {
        $addresses[] = Bandama\WooCommerce\Sessions::address_for($order);
    } catch (Exception $error) {
        $addresses[] = $error->getMessage();
    }
}
foreach ($asked['events'] ?? [] as $event) {
    $payment_id = Bandama\WooCommerce\Settle::noted(json_decode(json_encode($event)));
    if ($payment_id !== null) {
        Bandama\WooCommerce\Settle::payment($payment_id, 0);
    }
}
$more = ['planned' => $planned, 'given_back' => $order->given_back ?? [], 'shown' => $shown ?? null];
$became = $more + ['status' => $order->status ?? null, 'completed' => $order->completed ?? 0, 'notes' => count($order->notes ?? []), 'mails' => count($mails)];
echo json_encode($became + ['page' => end($wpdb->sessions)['status'] ?? null, 'addresses' => $addresses, 'texts' => $mails]);
