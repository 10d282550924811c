<?php

declare(strict_types=1);

namespace Bandama;

/** Sends a request until it is answered or may not be repeated. @internal */
final class Sender
{
    /** The settings of one call. */
    public const CALL = ['idempotency_key', 'timeout_ms', 'retries'];

    private const BACKOFF_MS = 250;
    private const BACKOFF_MAX_MS = 8_000;
    /** The longest wait that an answer may ask for in a call without a time of its own. A longer one is told to the caller. */
    private const RETRY_AFTER_MAX_MS = 120_000;
    /** The longest time that is given to curl, 24 days. */
    private const TIMER_MAX_MS = 2_147_483_647;

    private Secret $key;
    private Transport $transport;
    private string $url;
    private float $timeout_ms;
    private float $retries;
    /** @var ?callable(array<string, mixed>): mixed */
    private $on_attempt;

    /** @param array<string, mixed> $settings `timeout_ms`, `retries` and `on_attempt` */
    public function __construct(Secret $key, string $url, Transport $transport, array $settings)
    {
        $this->key = $key;
        $this->url = $url;
        $this->transport = $transport;
        $this->timeout_ms = (float) ($settings['timeout_ms'] ?? 30_000);
        $this->retries = (float) ($settings['retries'] ?? 4);
        $this->on_attempt = $settings['on_attempt'] ?? null;
    }

    /**
     * @param array<string, mixed> $call
     * @param string[] $names
     * @throws \InvalidArgumentException when a time or a number of attempts is none, or a name is not one of these
     */
    public static function check(array $call, array $names): void
    {
        foreach (array_keys($call) as $name) {
            if (!in_array($name, $names, true)) {
                throw new \InvalidArgumentException("There is no option {$name}: use " . implode(', ', $names) . '.');
            }
        }
        $timeout_ms = $call['timeout_ms'] ?? 1;
        if (!(is_int($timeout_ms) || is_float($timeout_ms)) || !($timeout_ms > 0)) {
            throw new \InvalidArgumentException('timeout_ms must be a number of milliseconds above 0.');
        }
        $retries = $call['retries'] ?? 0;
        if (!(is_int($retries) || is_float($retries)) || !($retries >= 0)) {
            throw new \InvalidArgumentException('retries must be 0 or more.');
        }
    }

    /** The moment, in milliseconds of a clock that no one sets. */
    public static function now(): float
    {
        return hrtime(true) / 1e6;
    }

    public static function sleep(float $milliseconds): void
    {
        $until = self::now() + $milliseconds;
        // A signal ends a sleep before its time.
        for ($left = $milliseconds; $left > 0; $left = $until - self::now()) {
            usleep((int) min(1_000_000, ceil($left * 1_000)));
        }
    }

    /**
     * @param array{method: string, path: string, query?: array<string, mixed>, body?: ?array<string, mixed>, call?: array<string, mixed>, key?: ?string,
     *   repeatable?: bool, find?: callable(): ?Result, until?: float} $wanted
     *   `repeatable`: whether it may be sent again although no answer says what became of it. Absent: a GET, or one with a key.
     *   `find`: of an act without a key, reads whether it has been done. Null: it has not. Asked after a lost answer, before it is sent again or given up.
     *   `until`: the moment after which no attempt begins or lasts.
     * @throws BandamaError
     */
    public function send(array $wanted): Result
    {
        $call = $wanted['call'] ?? [];
        self::check($call, self::CALL);
        $find = $wanted['find'] ?? null;
        $repeatable = $wanted['repeatable'] ?? ($wanted['method'] === 'GET' || isset($wanted['key']) || $find !== null);
        $retries = (float) ($call['retries'] ?? $this->retries);
        $request = Request::of($wanted, $this->url);
        $is_open = false;
        for ($attempt = 1; ; $attempt += 1) {
            $began = self::now();
            $ended = $this->try_once($request, $wanted, $attempt, $is_open);
            $error = $ended instanceof Failed ? $ended->error : null;
            $wait = $ended instanceof Failed && $attempt <= $retries && $ended->may_repeat($repeatable)
                ? self::wait_of($ended->error, $wanted['until'] ?? null)
                : null;
            $meta = $ended instanceof Result ? $ended->meta() : null;
            $this->tell([
                'method' => $wanted['method'],
                'path' => $wanted['path'],
                'attempt' => $attempt,
                'status' => $error === null ? $meta->status : $error->status,
                'code' => $error === null ? null : $error->code,
                'request_id' => $error === null ? $meta->request_id : $error->request_id,
                'milliseconds' => (int) round(self::now() - $began),
                'retry_in_milliseconds' => $wait === null ? null : (int) round($wait),
            ]);
            if ($ended instanceof Result) {
                return $ended;
            }
            $is_open = $is_open || $error->may_have_happened;
            if ($wait !== null) {
                self::sleep($wait);
            }
            // The answer that was lost may have said yes, whatever a later one says.
            $found = $is_open && $find !== null ? self::found($find) : null;
            if ($found !== null) {
                return $found;
            }
            if ($wait === null) {
                throw $error;
            }
        }
    }

    /** @param callable(): ?Result $find */
    private static function found(callable $find): ?Result
    {
        try {
            return $find();
        } catch (BandamaError $error) {
            return null;
        }
    }

    /** Tells a program about an attempt. Its own fault changes nothing about the call, which may have moved money. @param array<string, mixed> $attempt */
    private function tell(array $attempt): void
    {
        try {
            if ($this->on_attempt !== null) {
                ($this->on_attempt)($attempt);
            }
        } catch (\Throwable $error) {
            error_log((string) $error);
        }
    }

    /** Milliseconds until the next attempt, never 0. Null: the service asks for more time than a call may take, or than is left. */
    private static function wait_of(BandamaError $error, ?float $until): ?float
    {
        $backoff = min(self::BACKOFF_MAX_MS, self::BACKOFF_MS * 2 ** min(10, $error->attempts - 1));
        $wait = max(($error->retry_after ?? 0) * 1_000, $backoff * random_int(500, 1_000) / 1_000);
        $is_too_long = $until === null ? $wait > self::RETRY_AFTER_MAX_MS : self::now() + $wait >= $until;
        return $is_too_long ? null : $wait;
    }

    /** @param array<string, mixed> $wanted @return Result|Failed */
    private function try_once(Request $request, array $wanted, int $attempt, bool $is_open)
    {
        $timeout_ms = min((float) ($wanted['call']['timeout_ms'] ?? $this->timeout_ms), self::TIMER_MAX_MS);
        if (isset($wanted['until'])) {
            $timeout_ms = min($timeout_ms, max(1, $wanted['until'] - self::now()));
        }
        $headers = array_merge($request->headers, ['Authorization: Bearer ' . $this->key->reveal()]);
        // curl sends again by itself on a connection that turns out to be dead: harmless with a key, twice the act without.
        $fresh = $request->method !== 'GET' && $request->key === null;
        $milliseconds = (int) ceil($timeout_ms);
        $answer = $this->transport->ask($request->method, $request->address, $headers, $request->body, $milliseconds, $fresh);
        $reader = new Reader($this->url, $request, $attempt, $is_open);
        return is_string($answer) ? $reader->silence($answer, $timeout_ms) : $reader->read($answer);
    }
}
