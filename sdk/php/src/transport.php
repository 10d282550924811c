<?php

declare(strict_types=1);

namespace Bandama;

/** One request and its answer by HTTP: by ext-curl, or by PHP's own streams where a host has switched it off. @internal */
final class Transport
{
    /** @var bool whether ext-curl sends */
    private bool $by_curl;
    /** @var resource|\CurlHandle|null kept, so that its connection is used again */
    private $handle = null;
    /** The process that made the handle. */
    private int $pid = 0;
    /** @var array<int, resource|\CurlHandle> handles of the process that forked this one: closing them here would end its connections */
    private static array $inherited = [];

    /** @throws \InvalidArgumentException when this PHP can send nothing */
    public function __construct(?bool $by_curl = null)
    {
        $this->by_curl = $by_curl ?? function_exists('curl_exec');
        if (!$this->by_curl && !in_array(ini_get('allow_url_fopen'), ['1', 'On', 'on'], true)) {
            throw new \InvalidArgumentException('This PHP has neither curl nor allow_url_fopen: ask your host for one.');
        }
    }

    /**
     * @param string[] $headers
     * @param ?string $body null: none
     * @param int $timeout_ms 0: as long as it takes
     * @param bool $fresh on a connection of its own, because curl sends a request again when a connection that it kept turns out to be dead
     * @return array{status: int, headers: array<string, string>, text: string}|string a text: why no answer came; empty: the time was up
     */
    public function ask(
        string $method,
        string $address,
        array $headers,
        ?string $body,
        int $timeout_ms,
        bool $fresh
    ) {
        return $this->by_curl
            ? $this->ask_curl($method, $address, $headers, $body, $timeout_ms, $fresh)
            : self::ask_streams($method, $address, $headers, $body, $timeout_ms);
    }

    /** @param string[] $headers @return array{status: int, headers: array<string, string>, text: string}|string */
    private function ask_curl(string $method, string $address, array $headers, ?string $body, int $timeout_ms, bool $fresh)
    {
        // Hosts of web pages, where nothing forks, may have switched this function off.
        $pid = function_exists('getmypid') ? (int) getmypid() : 0;
        if ($this->handle !== null && $this->pid !== $pid) {
            // Two processes on one connection would read each other's answers.
            self::$inherited[] = $this->handle;
            $this->handle = null;
        }
        $this->pid = $pid;
        $this->handle = $this->handle ?? curl_init();
        curl_reset($this->handle);
        $lines = [];
        // No `Expect`, with which curl would wait a second for servers that do not know it.
        $headers[] = 'Expect:';
        curl_setopt_array($this->handle, [
            CURLOPT_URL => $address,
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_HTTPHEADER => $headers,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_ENCODING => '',
            CURLOPT_TIMEOUT_MS => $timeout_ms,
            CURLOPT_NOSIGNAL => true,
            // Not followed: a redirect would send the key to another address, and a POST as a GET.
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_SSL_VERIFYPEER => true,
            CURLOPT_SSL_VERIFYHOST => 2,
            CURLOPT_FRESH_CONNECT => $fresh,
            CURLOPT_HEADERFUNCTION => static function ($handle, string $line) use (&$lines): int {
                $lines[] = rtrim($line, "\r\n");
                return strlen($line);
            },
        ]);
        if ($body !== null) {
            curl_setopt($this->handle, CURLOPT_POSTFIELDS, $body);
        }
        $text = curl_exec($this->handle);
        if (!is_string($text)) {
            return curl_errno($this->handle) === CURLE_OPERATION_TIMEDOUT ? '' : curl_error($this->handle);
        }
        return self::answer($lines, $text);
    }

    /** @param string[] $headers @return array{status: int, headers: array<string, string>, text: string}|string */
    private static function ask_streams(string $method, string $address, array $headers, ?string $body, int $timeout_ms)
    {
        $seconds = $timeout_ms === 0 ? 86_400.0 * 365 : $timeout_ms / 1_000;
        $until = hrtime(true) / 1e9 + $seconds;
        $headers[] = 'Connection: close';
        $context = stream_context_create([
            'http' => [
                'method' => $method,
                'header' => $headers,
                'content' => $body ?? '',
                'protocol_version' => 1.1,
                'timeout' => $seconds,
                'ignore_errors' => true,
                'follow_location' => 0,
            ],
            'ssl' => ['verify_peer' => true, 'verify_peer_name' => true],
        ]);
        $why = '';
        set_error_handler(static function (int $level, string $message) use (&$why): bool {
            $why = $why !== '' ? $why : preg_replace('/^.*failed to open stream: /i', '', $message);
            return true;
        });
        try {
            $stream = fopen($address, 'rb', false, $context);
            if ($stream === false) {
                return hrtime(true) / 1e9 >= $until ? '' : $why;
            }
            return self::read_stream($stream, $until);
        } finally {
            restore_error_handler();
        }
    }

    /**
     * The time of a stream holds for each read, so the time of the whole answer is watched here.
     * @param resource $stream
     * @return array{status: int, headers: array<string, string>, text: string}|string
     */
    private static function read_stream($stream, float $until)
    {
        $text = '';
        while (!feof($stream)) {
            $left = $until - hrtime(true) / 1e9;
            if ($left <= 0) {
                return '';
            }
            stream_set_timeout($stream, (int) $left, (int) (fmod($left, 1) * 1e6));
            // A longer read of a chunked answer would wait until so much has come. Here it waits for one byte, then takes what came with it.
            $text .= (string) fread($stream, 1);
            $state = stream_get_meta_data($stream);
            if ($state['timed_out']) {
                return '';
            }
            if ($state['unread_bytes'] > 0) {
                $text .= (string) fread($stream, $state['unread_bytes']);
            }
        }
        return self::answer(stream_get_meta_data($stream)['wrapper_data'] ?? [], $text);
    }

    /** @param string[] $lines @return array{status: int, headers: array<string, string>, text: string} */
    private static function answer(array $lines, string $text): array
    {
        $status = 0;
        $headers = [];
        foreach ($lines as $line) {
            // An interim answer, such as 100 or 103, comes before the one that counts.
            if (preg_match('#^HTTP/[\d.]+ (\d{3})#', $line, $found) === 1) {
                $status = (int) $found[1];
                $headers = [];
            } elseif (strpos($line, ':') !== false) {
                [$name, $value] = explode(':', $line, 2);
                $headers[strtolower(trim($name))] = trim($value);
            }
        }
        return ['status' => $status, 'headers' => $headers, 'text' => $text];
    }
}
