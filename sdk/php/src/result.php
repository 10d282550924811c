<?php

declare(strict_types=1);

namespace Bandama;

/** A resource as the service answered it, field by field: `$payment->id`. Its `meta()` is in no JSON and no loop. */
final class Result extends \stdClass
{
    private Meta $meta_of_answer;

    /** @internal */
    public static function from(\stdClass $json, Meta $meta): self
    {
        $result = new self();
        foreach (get_object_vars($json) as $name => $value) {
            if ($name !== 'meta_of_answer') {
                $result->$name = $value;
            }
        }
        $result->meta_of_answer = $meta;
        return $result;
    }

    /** Tells about the answer: its `status`, `request_id`, `idempotency_key` and `attempts`. */
    public function meta(): Meta
    {
        return $this->meta_of_answer;
    }
}

/** About the answer of a call. */
final class Meta
{
    public ?string $request_id;
    public ?string $idempotency_key;
    public int $attempts;
    public int $status;

    /** @internal */
    public function __construct(?string $request_id, ?string $idempotency_key, int $attempts, int $status)
    {
        $this->request_id = $request_id;
        $this->idempotency_key = $idempotency_key;
        $this->attempts = $attempts;
        $this->status = $status;
    }
}
