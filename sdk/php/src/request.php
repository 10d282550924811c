<?php

declare(strict_types=1);

namespace Bandama;

/** The address and the bytes of a request, the same in each attempt. Without the key of the client. @internal */
final class Request
{
    public string $method;
    public string $address;
    /** @var string[] */
    public array $headers;
    public ?string $body = null;
    public ?string $key;

    private function __construct(string $method, string $address, ?string $key)
    {
        $this->method = $method;
        $this->address = $address;
        $this->key = $key;
        $this->headers = ['Accept: application/json', 'User-Agent: bandama-php/' . Home::VERSION];
    }

    /** @param array<string, mixed> $wanted @throws \InvalidArgumentException when a key or a body cannot be sent as it is */
    public static function of(array $wanted, string $url): self
    {
        $query = http_build_query(array_map([self::class, 'text_of'], self::present($wanted['query'] ?? [])), '', '&');
        $address = $url . $wanted['path'] . ($query === '' ? '' : "?{$query}");
        $request = new self($wanted['method'], $address, $wanted['key'] ?? null);
        if ($request->key !== null) {
            // Another key would fail in each attempt, and look as if no answer came.
            if (preg_match('/^[ -~]{8,255}$/D', $request->key) !== 1) {
                throw new \InvalidArgumentException(
                    'idempotency_key must be 8 to 255 letters, digits and signs of ASCII: leave accents out.'
                );
            }
            $request->headers[] = "Idempotency-Key: {$request->key}";
        }
        if (isset($wanted['body'])) {
            $request->headers[] = 'Content-Type: application/json';
            $request->body = self::json_of($wanted['body']);
        }
        return $request;
    }

    /** @param array<string, mixed> $body */
    private static function json_of(array $body): string
    {
        // PHP has one empty array for a list and for an object.
        if (($body['metadata'] ?? null) === []) {
            $body['metadata'] = new \stdClass();
        }
        try {
            $flags = JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_PRESERVE_ZERO_FRACTION;
            return json_encode((object) $body, $flags | JSON_THROW_ON_ERROR);
        } catch (\JsonException $error) {
            throw new \InvalidArgumentException(
                "The body cannot be written as JSON ({$error->getMessage()}): convert texts to UTF-8 first, with mb_convert_encoding."
            );
        }
    }

    /** @param array<string, mixed> $query @return array<string, mixed> */
    private static function present(array $query): array
    {
        return array_filter($query, static fn ($value): bool => $value !== null);
    }

    /** @param mixed $value */
    private static function text_of($value): string
    {
        return is_bool($value) ? ($value ? 'true' : 'false') : (string) $value;
    }
}
