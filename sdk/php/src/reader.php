<?php

declare(strict_types=1);

namespace Bandama;

/** Reads what became of one attempt. @internal */
final class Reader
{
    /** Characters of an answer that is no JSON, for the error. */
    private const RAW_MAX = 500;

    private string $url;
    private Request $request;
    private int $attempt;
    /** Whether an earlier attempt may have done its work without an answer that says so. */
    private bool $is_open;

    public function __construct(string $url, Request $request, int $attempt, bool $is_open)
    {
        $this->url = $url;
        $this->request = $request;
        $this->attempt = $attempt;
        $this->is_open = $is_open;
    }

    /** No answer came. @param string $why empty: the time was up */
    public function silence(string $why, float $timeout_ms): Failed
    {
        $why = $why === '' ? 'nothing came within ' . $timeout_ms / 1_000 . ' s' : rtrim($why, '.');
        $next = $this->may_change() ? ', then call again with the same key, or read the resource' : '';
        return new Failed($this->error([
            'kind' => 'no_answer',
            'code' => 'no_answer',
            'message' => "No answer from {$this->url}: {$why}. Check the address and the network{$next}.",
            'may_have_happened' => $this->may_change(),
        ]), true);
    }

    /** @param array{status: int, headers: array<string, string>, text: string} $answer @return Result|Failed */
    public function read(array $answer)
    {
        ['status' => $status, 'headers' => $headers, 'text' => $text] = $answer;
        $request_id = self::request_id_in($headers);
        $json = json_decode($text);
        $is_ok = $status >= 200 && $status < 300;
        if ($is_ok && $json instanceof \stdClass && is_string($json->object ?? null)) {
            return Result::from($json, new Meta($request_id, $this->request->key, $this->attempt, $status));
        }
        $code = $json->error->code ?? null;
        if ($status < 400 || !is_string($code)) {
            return $this->unreadable($answer, $request_id);
        }
        $kind = self::kind_of($status, $code);
        $error = $this->error([
            'kind' => $kind,
            'code' => $code,
            'status' => $status,
            'request_id' => $request_id,
            'raw' => $json,
            'message' => (string) ($json->error->message ?? $code),
            'retry_after' => self::seconds_in($headers['retry-after'] ?? null),
            'may_have_happened' => $this->may_change() && ($kind === 'unavailable' || $kind === 'in_progress'),
        ]);
        return new Failed($error, $kind !== 'refused' && $code !== 'too_many_attempts');
    }

    /** @param array{status: int, headers: array<string, string>, text: string} $answer */
    private function unreadable(array $answer, ?string $request_id): Failed
    {
        $status = $answer['status'];
        $location = $answer['headers']['location'] ?? null;
        $moved = $status > 299 && $status < 400;
        $again = $status < 300 || $status > 499;
        $what = $moved ? 'a redirect' . ($location === null ? '' : " to {$location}") : 'something that is not its JSON';
        $next = $moved ? 'set url to the final address' : 'check url, and any proxy or firewall in front of it';
        return new Failed($this->error([
            'kind' => 'unreadable',
            'code' => 'unreadable',
            'status' => $status,
            'request_id' => $request_id,
            'raw' => substr($answer['text'], 0, self::RAW_MAX),
            'message' => "{$this->url} answered {$status} with {$what}: {$next}.",
            'may_have_happened' => $this->may_change() && $again,
        ]), $again);
    }

    private function may_change(): bool
    {
        return $this->request->method !== 'GET';
    }

    /** An earlier attempt without an answer may still do its work, whatever a later one was told. @param array<string, mixed> $facts */
    private function error(array $facts): BandamaError
    {
        return new BandamaError([
            'idempotency_key' => $this->request->key,
            'attempts' => $this->attempt,
            'doc_url' => "{$this->url}/docs/errors/{$facts['code']}",
            'may_have_happened' => $facts['may_have_happened'] || $this->is_open,
        ] + $facts);
    }

    private static function kind_of(int $status, string $code): string
    {
        if ($status === 429) {
            return 'rate_limited';
        }
        if ($code === 'idempotency_in_progress') {
            return 'in_progress';
        }
        return $status > 499 ? 'unavailable' : 'refused';
    }

    /** The id of the request, whatever prefix the brand gives its headers. Proxies name theirs `X-Request-Id`. @param array<string, string> $headers */
    private static function request_id_in(array $headers): ?string
    {
        foreach ($headers as $name => $value) {
            if (preg_match('/^(?!x-).*-request-id$/', (string) $name) === 1) {
                return $value;
            }
        }
        return null;
    }

    /** Reads `Retry-After`: seconds, or a moment. */
    private static function seconds_in(?string $text): ?int
    {
        if ($text === null) {
            return null;
        }
        if (ctype_digit($text)) {
            return (int) $text;
        }
        $moment = strtotime($text);
        return $moment === false ? null : max(0, $moment - time());
    }
}

/** An attempt without a result, and whether another may follow. @internal */
final class Failed
{
    public BandamaError $error;
    private bool $again;

    public function __construct(BandamaError $error, bool $again)
    {
        $this->error = $error;
        $this->again = $again;
    }

    /** A refused attempt did nothing, so it may be repeated without a key; one whose outcome is open may not. */
    public function may_repeat(bool $repeatable): bool
    {
        return $this->again && ($repeatable || !$this->error->may_have_happened);
    }
}
