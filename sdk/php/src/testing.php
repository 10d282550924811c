<?php

declare(strict_types=1);

namespace Bandama;

/** For tests of your program. */
final class Testing
{
    /** Payers' numbers of test mode, by what becomes of their payments. */
    public const PAID = '0700000000';
    public const INSUFFICIENT_FUNDS = '0700000001';
    public const DECLINED = '0700000002';
    public const EXPIRED = '0700000003';

    /**
     * Returns a webhook as the service would send it: its headers and its body.
     * @param array<string, mixed> $event
     * @param ?int $time seconds since 1970, now when absent
     * @return array{headers: array<string, string>, body: string}
     */
    public static function signed(
        array $event,
        #[\SensitiveParameter]
        string $secret,
        ?int $time = null
    ): array {
        $body = json_encode($event, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_THROW_ON_ERROR);
        $time = $time ?? time();
        return [
            'headers' => [
                'Content-Type' => 'application/json',
                'Service-Event-Id' => (string) ($event['id'] ?? ''),
                'Service-Signature' => "t={$time},v1=" . hash_hmac('sha256', "{$time}.{$body}", $secret),
            ],
            'body' => $body,
        ];
    }
}
