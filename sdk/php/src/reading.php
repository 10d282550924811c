<?php

declare(strict_types=1);

namespace Bandama;

/** The account of a merchant. */
final class Statements extends ApiResource
{
    private const PAGE = 500;

    /** @param array<string, mixed> $query @param array<string, mixed> $call @throws BandamaError */
    public function get(array $query, array $call = []): Result
    {
        return $this->door->get('/v1-statements', $call, $query);
    }

    /**
     * Gives every movement of a period, in order.
     * @param array{from: string, to: string} $query
     * @param array<string, mixed> $call
     * @return \Generator<int, \stdClass>
     */
    public function movements(array $query, array $call = []): \Generator
    {
        for ($offset = 0; ; ) {
            $page = $this->get(['limit' => self::PAGE, 'offset' => $offset] + $query, $call);
            foreach ($page->data as $movement) {
                yield $movement;
            }
            $offset += count($page->data);
            if (!$page->has_more || $page->data === []) {
                return;
            }
        }
    }
}

/** The operators of mobile money. */
final class Operators extends ApiResource
{
    /** @param array<string, mixed> $call @throws BandamaError */
    public function list(array $call = []): Result
    {
        return $this->door->get('/x/operators', $call);
    }

    /** Proposes the operator of a number. @param array<string, mixed> $call @throws BandamaError */
    public function predict(string $msisdn, array $call = []): Result
    {
        return $this->door->post('/x/operators/predict', ['msisdn' => $msisdn], $call, ['repeatable' => true]);
    }
}

/** Everything that happened. */
final class Events extends ApiResource
{
    /** Seconds for which the feed may hold a call, and milliseconds on top before it counts as silent. */
    private const WAIT_S = 25;
    private const SLACK_MS = 15_000;
    /** An answer that comes sooner, and has nothing, is not asked for at once again. */
    private const HASTY_MS = 500;

    /** @param array<string, mixed> $call @throws BandamaError */
    public function get(string $id, array $call = []): Result
    {
        return $this->door->get(Door::at('/x/events', $id), $call);
    }

    /** @param array<string, mixed> $query @param array<string, mixed> $call @return \Generator<int, \stdClass> */
    public function list(array $query = [], array $call = []): \Generator
    {
        return $this->door->list('/x/events', $query, $call);
    }

    /** Has an event sent again to your endpoints. Not repeated after a lost answer. @param array<string, mixed> $call */
    public function replay(string $id, array $call = []): Result
    {
        return $this->door->post(Door::at('/x/events', $id) . '/replay', null, $call);
    }

    /**
     * Gives every event once, in order, over silence, restarts and restores: `foreach ($client->events->follow(…) as $cursor => $event)`. Keep the
     * cursor when you have handled its event, and go on from it after a crash.
     * @param array{after: string, types?: string[], timeout_ms?: int|float} $options
     *   `after`: a cursor that you kept, `begin`, a moment, or `now`: when the service first answers.
     *   `types`: only events of these kinds.
     *   `timeout_ms`: ends after this time, for a program that cron starts. Absent: it follows for ever. `getReturn()` then gives the place to go on from.
     * @return \Generator<string, \stdClass, void, string>
     * @throws BandamaError when the service refuses
     */
    public function follow(array $options): \Generator
    {
        Sender::check($options, ['after', 'types', 'timeout_ms']);
        if (!is_string($options['after'] ?? null) || $options['after'] === '') {
            throw new \InvalidArgumentException('after is required: a cursor that you kept, begin, now, or a moment.');
        }
        $until = Sender::now() + ($options['timeout_ms'] ?? INF);
        return $this->events_after($options['after'], $options['types'] ?? null, $until);
    }

    /** @param ?string[] $types @return \Generator<string, \stdClass, void, string> */
    private function events_after(string $place, ?array $types, float $until): \Generator
    {
        $type = $types !== null && count($types) === 1 ? reset($types) : null;
        for ($is_first = true; $is_first || Sender::now() < $until; $is_first = false) {
            // No wait for `now`: a long call that breaks would make it a later moment, and lose what came between.
            $wait = $place === 'now' ? 0 : (int) max(0, min(self::WAIT_S, ($until - Sender::now()) / 1_000));
            $query = ['after' => $place, 'wait' => $wait, 'limit' => 100, 'type' => $type];
            $began = Sender::now();
            $page = $this->page($query, $until);
            if ($page === null) {
                return $place;
            }
            foreach ($page->data as $event) {
                $cursor = $event->cursor;
                unset($event->cursor);
                if ($types === null || in_array($event->type, $types, true)) {
                    yield $cursor => $event;
                }
            }
            // A service that ends waits at once, because too many wait, is not asked at once again.
            if ($place !== 'now' && $page->data === [] && !$page->has_more && Sender::now() - $began < self::HASTY_MS) {
                Sender::sleep(min(self::HASTY_MS, max(0, $until - Sender::now())));
            }
            $place = $page->next;
        }
        return $place;
    }

    /** Reads a page of the feed, however often it must ask. Null: the time was up before an answer came. @param array<string, mixed> $query */
    private function page(array $query, float $until): ?Result
    {
        $call = ['timeout_ms' => self::WAIT_S * 1_000 + self::SLACK_MS, 'retries' => INF];
        try {
            return $this->door->get('/x/events', $call, $query, is_infinite($until) ? null : $until);
        } catch (BandamaError $error) {
            if (!is_infinite($until) && Door::is_passing($error)) {
                return null;
            }
            throw $error;
        }
    }
}
