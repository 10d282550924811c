<?php

declare(strict_types=1);

namespace Bandama;

/** The idempotency keys of calls. @internal */
final class Keys
{
    /** The least characters of a key that a caller stored, and the most of one that follows from a reference. */
    private const STORED_MIN = 8;
    private const DERIVED_MAX = 250;

    /**
     * Returns the key of a call that moves money out.
     * @param array<string, mixed> $call
     * @throws \InvalidArgumentException when the caller gave none that outlives its program
     */
    public static function stored(array $call): string
    {
        Sender::check($call, Sender::CALL);
        $key = $call['idempotency_key'] ?? null;
        if (is_string($key) && strlen($key) >= self::STORED_MIN) {
            return $key;
        }
        throw new \InvalidArgumentException(
            'idempotency_key is required here: at least 8 characters that you stored with your order before this call, so that a program that crashed can call again without paying twice.'
        );
    }

    /**
     * Returns the key of a payment: the caller's, or one that follows from its reference, or else a new one, which protects this call alone.
     * @param array<string, mixed> $call
     * @param mixed $reference
     */
    public static function of_payment(array $call, $reference): string
    {
        if (isset($call['idempotency_key']) || !is_string($reference) || $reference === '') {
            return self::given($call);
        }
        $key = 'ref:' . self::base64url($reference);
        return strlen($key) <= self::DERIVED_MAX ? $key : 'ref:' . self::base64url(hash('sha256', $reference, true));
    }

    /** Returns the caller's key, or a new one. @param array<string, mixed> $call */
    public static function given(array $call): string
    {
        return $call['idempotency_key'] ?? self::uuid();
    }

    private static function base64url(string $bytes): string
    {
        return rtrim(strtr(base64_encode($bytes), '+/', '-_'), '=');
    }

    private static function uuid(): string
    {
        $bytes = random_bytes(16);
        $bytes[6] = chr(ord($bytes[6]) & 0x0f | 0x40);
        $bytes[8] = chr(ord($bytes[8]) & 0x3f | 0x80);
        return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($bytes), 4));
    }
}
