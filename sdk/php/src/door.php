<?php

declare(strict_types=1);

namespace Bandama;

/** The kinds of calls that the resources have in common. @internal */
final class Door
{
    private const POLL_MS = 500;
    private const POLL_MAX_MS = 5_000;
    private const WAIT_MS = 120_000;
    /** The time that `wait` leaves for its last read. */
    private const LAST_READ_MS = 250;

    private Sender $sender;

    public function __construct(Sender $sender)
    {
        $this->sender = $sender;
    }

    /** The address of a resource. @throws \InvalidArgumentException when the id is empty, because that is the address of the list */
    public static function at(string $path, string $id): string
    {
        if ($id === '') {
            throw new \InvalidArgumentException('The id is empty: give the id that the service answered.');
        }
        return "{$path}/" . rawurlencode($id);
    }

    /** @param array<string, mixed> $call @param array<string, mixed> $query @param ?float $until the moment that ends it */
    public function get(string $path, array $call = [], array $query = [], ?float $until = null): Result
    {
        return $this->sender->send(
            ['method' => 'GET', 'path' => $path, 'call' => $call, 'query' => $query, 'until' => $until]
        );
    }

    /**
     * @param ?array<string, mixed> $body
     * @param array<string, mixed> $call
     * @param array{key?: string, repeatable?: bool} $more
     */
    public function post(string $path, ?array $body, array $call, array $more = []): Result
    {
        $key = ['key' => $call['idempotency_key'] ?? null];
        return $this->sender->send($more + $key + ['method' => 'POST', 'path' => $path, 'body' => $body, 'call' => $call]);
    }

    /**
     * Reads page after page, each from the last id of the one before.
     * @param array<string, mixed> $query
     * @param array<string, mixed> $call
     * @return \Generator<int, \stdClass>
     */
    public function list(string $path, array $query, array $call): \Generator
    {
        for ($from = []; ; ) {
            $page = $this->get($path, $call, $from + $query);
            foreach ($page->data as $item) {
                yield $item;
            }
            if (!$page->has_more || $page->data === []) {
                return;
            }
            $from = ['starting_after' => end($page->data)->id];
        }
    }

    /**
     * Sends an act that has no key. After a lost answer it reads before it sends again or gives up: only a state of `is_done` is a success.
     * @param callable(Result): bool $is_done
     * @param array<string, mixed> $call
     */
    public function act(string $path, string $act, callable $is_done, array $call): Result
    {
        $readable = preg_replace('#^/x/(?=payments|payouts)#', '/v1-', $path);
        $find = function () use ($readable, $is_done, $call): ?Result {
            $read = $this->get($readable, $call);
            return $is_done($read) ? $read : null;
        };
        $key = $call['idempotency_key'] ?? null;
        return $this->sender->send(
            ['method' => 'POST', 'path' => "{$path}/{$act}", 'call' => $call, 'key' => $key, 'find' => $find]
        );
    }

    /** @param array{timeout_ms?: int|float} $options how long it waits, 120 000 ms when absent: no call that it makes lasts longer */
    public function wait(string $path, array $options): Result
    {
        Sender::check($options, ['timeout_ms']);
        $until = Sender::now() + ($options['timeout_ms'] ?? self::WAIT_MS);
        $wanted = ['method' => 'GET', 'path' => $path, 'until' => $until];
        // However often: only the time ends it.
        $wanted['call'] = ['retries' => INF];
        $last = null;
        for ($pause = self::POLL_MS; ; $pause = min(self::POLL_MAX_MS, $pause * 1.5)) {
            try {
                $last = $this->sender->send($wanted);
            } catch (BandamaError $error) {
                if ($last === null || !self::is_passing($error)) {
                    throw $error;
                }
                return $last;
            }
            $left = $until - self::LAST_READ_MS - Sender::now();
            if (Outcome::is_settled($last) || $left <= 0) {
                return $last;
            }
            Sender::sleep(min($pause, $left));
        }
    }

    /** Whether a failure that a repetition could have ended was the last because the time was up. */
    public static function is_passing(BandamaError $error): bool
    {
        $status = $error->status;
        return $status === null || $status < 300 || $status === 429 || $status > 499;
    }

    public static function is_cancelled(object $read): bool
    {
        return $read->status === 'failed' && ($read->failure_code ?? null) === 'cancelled';
    }
}
