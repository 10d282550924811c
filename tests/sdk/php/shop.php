<?php
// A double of WordPress and WooCommerce, after their public signatures, for the decisions of the plugin. tests/shop has the real ones.
// `php shop.php PLUGIN_FOLDER`: reads one JSON {order, row, payment_id, again} from the standard input, and prints what became of it.

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
foreach (['add_action', 'add_filter', 'register_activation_hook', 'register_deactivation_hook'] as $name) {
    eval("function {$name}(...\$words) {}");
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

    public function __construct(array $facts)
    {
        foreach ($facts as $name => $value) {
            $this->$name = $value;
        }
    }

    public function __call(string $name, array $words)
    {
        if (strncmp($name, 'get_', 4) === 0) {
            $facts = ['id' => 7, 'order_number' => '7', 'refunds' => [], 'edit_order_url' => '', 'checkout_order_received_url' => 'https://boutique.example.ci/merci'];
            return $facts[substr($name, 4)] ?? $this->{substr($name, 4)};
        }
        if (strncmp($name, 'set_', 4) === 0) {
            $this->{substr($name, 4)} = $words[0];
        }
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
    /** @var array<string, true> */
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
        return strpos($query, 'GET_LOCK') === false ? null : '1';
    }

    public function query(string $query): int
    {
        if (strpos($query, 'INSERT IGNORE') === false) {
            return 1;
        }
        $id = explode("\0", $query)[1];
        $is_new = !isset($this->events[$id]);
        $this->events[$id] = true;
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
$options += ['woocommerce_bandama_settings' => ['key' => 'bdm_sk_test_abcdef_ghijkl', 'secret' => 'whsec_0123456789']] + ($asked['options'] ?? []);
$wpdb = new Rows();
$order = ($asked['order'] ?? null) === null ? null : new WC_Order($asked['order']);
require "{$argv[1]}/bandama.php";
if (isset($asked['row'])) {
    $wpdb->insert('', $asked['row']);
}
$addresses = [];
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
$became = ['status' => $order->status ?? null, 'completed' => $order->completed ?? 0, 'notes' => count($order->notes ?? []), 'mails' => count($mails)];
echo json_encode($became + ['page' => end($wpdb->sessions)['status'] ?? null, 'addresses' => $addresses, 'texts' => $mails]);
