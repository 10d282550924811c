<?php

declare(strict_types=1);

namespace Bandama;

/** Money that leaves, one by one. */
final class Payouts extends ApiResource
{
    /**
     * Sends money out. A `payout_request` in place of a `payout`: a person must approve it first, and nothing has left.
     * @param array<string, mixed> $body
     * @param array{idempotency_key: string, timeout_ms?: int|float, retries?: int|float} $call the key is stored with your order before
     * @throws \InvalidArgumentException without such a key
     * @throws BandamaError
     */
    public function create(array $body, array $call): Result
    {
        return $this->door->post('/v1-payouts', $body, $call, ['key' => Keys::stored($call)]);
    }

    /** @param array<string, mixed> $call @throws BandamaError */
    public function get(string $id, array $call = []): Result
    {
        return $this->door->get(Door::at('/v1-payouts', $id), $call);
    }

    /** @param array<string, mixed> $query @param array<string, mixed> $call @return \Generator<int, \stdClass> */
    public function list(array $query = [], array $call = []): \Generator
    {
        return $this->door->list('/x/payouts', $query, $call);
    }

    /** @param array<string, mixed> $call @throws BandamaError */
    public function cancel(string $id, array $call = []): Result
    {
        return $this->door->act(Door::at('/x/payouts', $id), 'cancel', [Door::class, 'is_cancelled'], $call);
    }

    /** @param array{timeout_ms?: int|float} $options */
    public function wait(string $id, array $options = []): Result
    {
        return $this->door->wait(Door::at('/v1-payouts', $id), $options);
    }
}

/** Up to 500 payouts that leave together. */
final class Batches extends ApiResource
{
    /**
     * Prepares payouts. Nothing leaves before `execute`.
     * @param array<string, mixed> $body
     * @param array{idempotency_key: string, timeout_ms?: int|float, retries?: int|float} $call the key is stored with your order before
     * @throws \InvalidArgumentException without such a key
     * @throws BandamaError
     */
    public function create(array $body, array $call): Result
    {
        return $this->door->post('/v1-payout-batches', $body, $call, ['key' => Keys::stored($call)]);
    }

    /** @param array<string, mixed> $call @throws BandamaError */
    public function get(string $id, array $call = []): Result
    {
        return $this->door->get(Door::at('/v1-payout-batches', $id), $call);
    }

    /** @param array<string, mixed> $query @param array<string, mixed> $call @return \Generator<int, \stdClass> */
    public function list(array $query = [], array $call = []): \Generator
    {
        return $this->door->list('/x/batches', $query, $call);
    }

    /** @param array<string, mixed> $call @throws BandamaError */
    public function execute(string $id, array $call = []): Result
    {
        $is_done = static fn (object $read): bool => preg_match('/^(en_cours|termine)/', $read->status) === 1;
        return $this->door->act(Door::at('/v1-payout-batches', $id), 'execute', $is_done, $call);
    }

    /** @param array<string, mixed> $call @throws BandamaError */
    public function cancel(string $id, array $call = []): Result
    {
        $is_done = static fn (object $read): bool => $read->status === 'annule';
        return $this->door->act(Door::at('/v1-payout-batches', $id), 'cancel', $is_done, $call);
    }

    /** Begins to compare the names of its lines with those of the numbers' holders. @param array<string, mixed> $call */
    public function check(string $id, array $call = []): Result
    {
        return $this->door->post(Door::at('/x/payout-batches', $id) . '/check', null, $call);
    }

    /** @param array<string, mixed> $call @throws BandamaError */
    public function get_check(string $id, array $call = []): Result
    {
        return $this->door->get(Door::at('/x/payout-batches', $id) . '/check', $call);
    }
}

/** The available balance, paid to the merchant. */
final class Settlements extends ApiResource
{
    /**
     * Asks for the available balance. A 202 is no money yet.
     * @param array<string, mixed> $body
     * @param array{idempotency_key: string, timeout_ms?: int|float, retries?: int|float} $call the key is stored with your order before
     * @throws \InvalidArgumentException without such a key
     * @throws BandamaError
     */
    public function create(array $body, array $call): Result
    {
        return $this->door->post('/v1-settlements', $body, $call, ['key' => Keys::stored($call)]);
    }

    /** @param array<string, mixed> $call @throws BandamaError */
    public function get(string $id, array $call = []): Result
    {
        return $this->door->get(Door::at('/v1-settlements', $id), $call);
    }

    /** @param array<string, mixed> $query @param array<string, mixed> $call @return \Generator<int, \stdClass> */
    public function list(array $query = [], array $call = []): \Generator
    {
        return $this->door->list('/x/settlements', $query, $call);
    }
}

/** Destinations of payouts. */
final class Beneficiaries extends ApiResource
{
    /** Adds a destination. The same number again gives the same entry, so it is repeated without a key. @param array<string, mixed> $call */
    public function create(array $body, array $call = []): Result
    {
        return $this->door->post('/v1-beneficiaries', $body, $call, ['repeatable' => true]);
    }

    /** @param array<string, mixed> $call @throws BandamaError */
    public function get(string $id, array $call = []): Result
    {
        return $this->door->get(Door::at('/v1-beneficiaries', $id), $call);
    }

    /** @param array<string, mixed> $query @param array<string, mixed> $call @return \Generator<int, \stdClass> */
    public function list(array $query = [], array $call = []): \Generator
    {
        return $this->door->list('/v1-beneficiaries', $query, $call);
    }
}

/** The names of numbers' holders. */
final class Recipients extends ApiResource
{
    /** Asks whether a name is that of a number's holder. Not repeated after a lost answer, because checks are counted. @param array<string, mixed> $call */
    public function check(array $body, array $call = []): Result
    {
        return $this->door->post('/x/recipients/check', $body, $call);
    }
}
