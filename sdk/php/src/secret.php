<?php

declare(strict_types=1);

namespace Bandama;

/**
 * A key that no dump shows: it lies beside the object, because `var_export`, casts and the error pages of frameworks show private properties too.
 * @internal
 */
final class Secret
{
    /** @var array<string, string> by their hash, so that a worker that makes a client for each job keeps each key once */
    private static array $kept = [];
    private string $hash;

    public function __construct(
        #[\SensitiveParameter]
        string $value
    ) {
        $this->hash = hash('sha256', $value);
        self::$kept[$this->hash] = $value;
    }

    public function reveal(): string
    {
        return self::$kept[$this->hash];
    }

    /** @return array<string, mixed> never */
    public function __serialize(): array
    {
        throw new \LogicException('A client holds a key and is not stored: make it anew where you need it.');
    }
}
