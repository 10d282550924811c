<?php

declare(strict_types=1);

namespace Bandama;

/** A client of an instance. Its key stays inside, and decides the mode. */
final class Bandama
{
    /** `test` moves no money, `live` does. */
    public string $mode;
    public Payments $payments;
    public Checkout $checkout;
    public Links $links;
    public Payouts $payouts;
    public Batches $batches;
    public Settlements $settlements;
    public Beneficiaries $beneficiaries;
    public Statements $statements;
    public Operators $operators;
    public Recipients $recipients;
    public Events $events;
    private Door $door;

    /**
     * @param array{key: string, url?: string, timeout_ms?: int|float, retries?: int|float, on_attempt?: callable} $options
     *   `key`: a secret key, such as `bdm_sk_test_…`.
     *   `url`: the address of the instance. Absent: the one that this package came from.
     *   `timeout_ms`: how long one attempt may take, 30 000 when absent; `INF`: as long as it takes.
     *   `retries`: attempts after the first, where a repetition is safe; 4 when absent.
     *   `on_attempt`: gets each attempt, for your log, without key and body. What it throws goes to the error log, and changes nothing about the call.
     * @throws \InvalidArgumentException when the key or the address cannot be used
     */
    public function __construct(
        #[\SensitiveParameter]
        array $options
    ) {
        Sender::check($options, ['key', 'url', 'timeout_ms', 'retries', 'on_attempt', 'by_curl']);
        $key = $options['key'] ?? '';
        if (!is_string($key) || preg_match('/^[a-z]{2,8}_sk_(test|live)_\w+$/D', $key, $found) !== 1) {
            throw new \InvalidArgumentException(
                'key must be a secret key, …_sk_test_… or …_sk_live_…, as the console showed it once.'
            );
        }
        $url = rtrim((string) ($options['url'] ?? Home::URL), '/');
        if (preg_match('#^https?://[^/?\#\s]+(/[!-~]*)?$#D', $url) !== 1 || strpbrk($url, '?#') !== false) {
            throw new \InvalidArgumentException('url must be the address of your instance, such as https://pay.example.ci.');
        }
        $this->mode = $found[1];
        $transport = new Transport($options['by_curl'] ?? null);
        unset($options['key'], $options['url'], $options['by_curl']);
        $this->door = $door = new Door(new Sender(new Secret($key), $url, $transport, $options));
        $this->payments = new Payments($door);
        $this->checkout = new Checkout($door);
        $this->links = new Links($door);
        $this->payouts = new Payouts($door);
        $this->batches = new Batches($door);
        $this->settlements = new Settlements($door);
        $this->beneficiaries = new Beneficiaries($door);
        $this->statements = new Statements($door);
        $this->operators = new Operators($door);
        $this->recipients = new Recipients($door);
        $this->events = new Events($door);
    }

    /** Reads the balances of the merchant in this mode, in francs. @param array<string, mixed> $call */
    public function balances(array $call = []): Result
    {
        return $this->door->get('/x/balances', $call);
    }
}
