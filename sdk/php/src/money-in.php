<?php

declare(strict_types=1);

namespace Bandama;

/** What the resources of a client have in common. @internal */
abstract class ApiResource
{
    protected Door $door;

    /** @internal */
    public function __construct(Door $door)
    {
        $this->door = $door;
    }
}

/** Money that payers send. */
final class Payments extends ApiResource
{
    /**
     * Asks a payer for money. A 201 is no money yet: `wait`, or wait for the webhook. With `merchant_reference` a repeated call asks once.
     * @param array<string, mixed> $body
     * @param array{idempotency_key?: string, timeout_ms?: int|float, retries?: int|float} $call
     * @throws BandamaError
     */
    public function create(array $body, array $call = []): Result
    {
        $key = Keys::of_payment($call, $body['merchant_reference'] ?? null);
        return $this->door->post('/v1-payments', $body, $call, ['key' => $key]);
    }

    /** @param array<string, mixed> $call @throws BandamaError */
    public function get(string $id, array $call = []): Result
    {
        return $this->door->get(Door::at('/v1-payments', $id), $call);
    }

    /** @param array<string, mixed> $query @param array<string, mixed> $call @return \Generator<int, \stdClass> */
    public function list(array $query = [], array $call = []): \Generator
    {
        return $this->door->list('/x/payments', $query, $call);
    }

    /** @param array<string, mixed> $call @throws BandamaError */
    public function cancel(string $id, array $call = []): Result
    {
        return $this->door->act(Door::at('/x/payments', $id), 'cancel', [Door::class, 'is_cancelled'], $call);
    }

    /** Passes on the one-time code that the payer typed. Not repeated after a lost answer: read the payment. @param array<string, mixed> $call */
    public function submit_code(string $id, string $code, array $call = []): Result
    {
        return $this->door->post(Door::at('/x/payments', $id) . '/code', ['code' => $code], $call);
    }

    /**
     * Reads until the money has moved or will not, or until the time is up: then the payment is as it was last.
     * @param array{timeout_ms?: int|float} $options
     */
    public function wait(string $id, array $options = []): Result
    {
        return $this->door->wait(Door::at('/v1-payments', $id), $options);
    }
}

/** Pages where a payer pays. */
final class Checkout extends ApiResource
{
    /** @param array<string, mixed> $body @param array<string, mixed> $call @throws BandamaError */
    public function create(array $body, array $call = []): Result
    {
        return $this->door->post('/v1-checkout', $body, $call, ['key' => Keys::given($call)]);
    }
}

/** Addresses that a customer, or many, can pay at. */
final class Links extends ApiResource
{
    /** @param array<string, mixed> $body @param array<string, mixed> $call @throws BandamaError */
    public function create(array $body, array $call = []): Result
    {
        return $this->door->post('/x/links', $body, $call, ['key' => Keys::given($call)]);
    }

    /** @param array<string, mixed> $call @throws BandamaError */
    public function get(string $id, array $call = []): Result
    {
        return $this->door->get(Door::at('/x/links', $id), $call);
    }

    /** @param array<string, mixed> $query @param array<string, mixed> $call @return \Generator<int, \stdClass> */
    public function list(array $query = [], array $call = []): \Generator
    {
        return $this->door->list('/x/links', $query, $call);
    }

    /** @param array<string, mixed> $call @throws BandamaError */
    public function close(string $id, array $call = []): Result
    {
        $is_closed = static fn (object $read): bool => $read->status === 'closed';
        return $this->door->act(Door::at('/x/links', $id), 'close', $is_closed, $call);
    }
}
