<?php

declare(strict_types=1);

namespace Bandama;

/**
 * A request that is not proven to come from the service. The message says what to do. `reason` is `no_signature`, `wrong_signature`, `wrong_time`,
 * `body_parsed` or `body_used`.
 */
final class SignatureError extends \RuntimeException
{
    public string $reason;

    /** @internal */
    public function __construct(string $reason, string $message)
    {
        parent::__construct($message);
        $this->reason = $reason;
    }
}

/** Verifies webhooks, and answers them. */
final class Webhooks
{
    /** Seconds that a signature may be old, or new. */
    private const TOLERANCE_S = 300;
    /** The most bytes of a body. The service sends at most 64 kB. */
    private const BODY_MAX = 1_000_000;

    /**
     * Verifies a webhook on the bytes as they came, and returns its event.
     * @param mixed $input the raw body, or a request of Symfony, Laravel or PSR-7
     * @param string|string[] $secret the secret of the endpoint, `whsec_…`; several while you replace it
     * @param array{headers?: array<string, mixed>, tolerance?: int} $options `headers` of a raw body; absent: those of the request that PHP answers
     * @throws SignatureError when it is not proven
     * @throws \InvalidArgumentException when a secret is empty
     */
    public static function verify(
        $input,
        #[\SensitiveParameter]
        $secret,
        array $options = []
    ): \stdClass {
        $secrets = self::secrets($secret);
        $signatures = self::signatures($options['headers'] ?? self::headers_of($input));
        $body = self::bytes_of($input);
        $offset = null;
        foreach ($signatures as [$time, $code]) {
            foreach ($secrets as $one) {
                if (!hash_equals(hash_hmac('sha256', "{$time}.{$body}", $one), $code)) {
                    continue;
                }
                $offset = time() - (int) $time;
                $event = json_decode($body);
                if (abs($offset) <= ($options['tolerance'] ?? self::TOLERANCE_S) && $event instanceof \stdClass) {
                    return $event;
                }
            }
        }
        if ($offset === null) {
            throw new SignatureError(
                'wrong_signature',
                'The signature does not match: check that the secret is that of this endpoint and mode, and that the body is the bytes as they came.'
            );
        }
        $side = $offset > 0 ? 'behind' : 'ahead of';
        throw new SignatureError(
            'wrong_time',
            'The signature is right, but its time is ' . abs($offset)
                . " s {$side} this machine's clock: set the clock, or refuse it as a replay."
        );
    }

    /**
     * Answers the webhook of the request that PHP answers: 204, 400 with the reason, or 500 when your function throws or ends PHP; the service then
     * sends it again. For a page of your own, without framework, before it prints anything. An id may come twice.
     * @param string|string[] $secret
     * @param callable(\stdClass): mixed $on_event
     * @param array{tolerance?: int, on_error?: callable(\Throwable): mixed} $options `on_error` gets what your function threw; absent: the error log
     */
    public static function receive(
        #[\SensitiveParameter]
        $secret,
        callable $on_event,
        array $options = []
    ): void {
        // The service gives up after its time, and your work must not end in the middle because of that.
        ignore_user_abort(true);
        // Until the work is done the answer is a failure: PHP sends it by itself when the work ends in exit, in a fatal error or at the time limit.
        http_response_code(500);
        // What the work prints is not the answer. Sent at once, it would also fix the status.
        $level = ob_get_level();
        ob_start();
        try {
            $body = (string) file_get_contents('php://input', false, null, 0, self::BODY_MAX + 1);
            [$status, $text] = self::answer($body, self::secrets($secret), $on_event, $options);
        } finally {
            while (ob_get_level() > $level && ob_end_clean()) {
                continue;
            }
        }
        http_response_code($status);
        header('Content-Type: text/plain; charset=utf-8');
        echo $text;
    }

    /**
     * @internal
     * @param mixed $input
     * @param string[] $secrets
     * @param callable(\stdClass): mixed $on_event
     * @param array<string, mixed> $options
     * @return array{int, string} the status and the text to answer
     */
    public static function answer(
        $input,
        #[\SensitiveParameter]
        array $secrets,
        callable $on_event,
        array $options
    ): array {
        $on_error = $options['on_error'] ?? null;
        unset($options['on_error']);
        try {
            $on_event(self::verify($input, $secrets, $options));
            return [204, ''];
        } catch (SignatureError $error) {
            // The service keeps the sentence with the attempt, where the console shows it.
            return [400, $error->getMessage()];
        } catch (\Throwable $error) {
            self::tell($error, $on_error);
            return [500, ''];
        }
    }

    /** Tells the program what its function threw. Its own fault does not cost the service its answer. */
    private static function tell(\Throwable $error, ?callable $on_error): void
    {
        try {
            if ($on_error !== null) {
                $on_error($error);
                return;
            }
        } catch (\Throwable $another) {
            $error = $another;
        }
        error_log(get_class($error) . ": {$error->getMessage()} in {$error->getFile()}:{$error->getLine()}");
    }

    /**
     * @internal
     * @param mixed $secret
     * @return string[]
     * @throws \InvalidArgumentException when there is none, or one is empty, because everybody could sign with it
     */
    public static function secrets(
        #[\SensitiveParameter]
        $secret
    ): array {
        $secrets = is_array($secret) ? array_values($secret) : [$secret];
        $usable = array_filter($secrets, static fn ($one): bool => is_string($one) && $one !== '');
        if ($secrets === [] || count($usable) < count($secrets)) {
            throw new \InvalidArgumentException(
                'The signing secret is empty: set the whsec_… that the console showed with your endpoint.'
            );
        }
        return $secrets;
    }

    /**
     * Reads every signature, whatever prefix the brand gives its headers. While a secret is replaced there are two.
     * @param array<string, mixed> $headers
     * @return array<int, array{string, string}> times and codes
     */
    private static function signatures(array $headers): array
    {
        $found = [];
        foreach ($headers as $name => $values) {
            if (preg_match('/-signature(-previous)?$/iD', (string) $name) !== 1) {
                continue;
            }
            foreach ((array) $values as $text) {
                if (preg_match('/^t=(\d{1,12}),v1=([0-9a-f]{64})$/D', (string) $text, $parts) === 1) {
                    $found[] = [$parts[1], $parts[2]];
                }
            }
        }
        if ($found !== []) {
            return $found;
        }
        throw new SignatureError(
            'no_signature',
            'No header of this request ends in -Signature: it is not from the service, or a proxy dropped the header; pass the headers on.'
        );
    }

    /** @param mixed $input @return array<string, mixed> */
    private static function headers_of($input): array
    {
        if (is_object($input) && method_exists($input, 'getHeaders')) {
            return $input->getHeaders();
        }
        if (is_object($input) && is_object($input->headers ?? null) && method_exists($input->headers, 'all')) {
            return $input->headers->all();
        }
        $headers = [];
        foreach ($_SERVER as $name => $value) {
            if (strpos((string) $name, 'HTTP_') === 0) {
                $headers[str_replace('_', '-', substr($name, 5))] = $value;
            }
        }
        return $headers;
    }

    /** Reads the bytes as they came. @param mixed $input @throws SignatureError when something has read or parsed them before, or they are too many */
    private static function bytes_of($input): string
    {
        if (is_object($input) && method_exists($input, 'getContent')) {
            $input = $input->getContent();
        } elseif (is_object($input) && method_exists($input, 'getBody')) {
            $input = self::stream_of($input->getBody());
        }
        if (!is_string($input)) {
            throw new SignatureError(
                'body_parsed',
                'The body was parsed before, and its bytes are gone: give the raw body, file_get_contents("php://input"), or the request of your framework.'
            );
        }
        if (strlen($input) > self::BODY_MAX) {
            throw new SignatureError('wrong_signature', 'The body has more than a megabyte: it is not from the service.');
        }
        return $input;
    }

    /** @param object $stream of PSR-7 */
    private static function stream_of(object $stream): string
    {
        if ($stream->isSeekable()) {
            $stream->rewind();
        } elseif ($stream->eof()) {
            throw new SignatureError(
                'body_used',
                'The body of this request was read before: verify first, and use the event that verify returns.'
            );
        }
        return $stream->getContents();
    }
}
