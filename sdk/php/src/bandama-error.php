<?php

declare(strict_types=1);

namespace Bandama;

/**
 * A call without a result. `may_have_happened` says whether to look before you do it anew.
 *
 * `kind` is one of:
 * - `refused`: the service said no; nothing happened. `code` says why.
 * - `rate_limited`: too many calls, or too many attempts of one payer; nothing happened.
 * - `in_progress`: the same request is still under way.
 * - `unavailable`: the service failed, in each attempt.
 * - `no_answer`: no answer came, or it broke off.
 * - `unreadable`: something else answered in the service's place, such as a firewall.
 */
final class BandamaError extends \RuntimeException
{
    public string $kind;
    /** @var string the service's own code, such as `invalid_amount`, or the kind when no code came */
    public $code;
    /** The HTTP status of the last answer. Null: none came. */
    public ?int $status;
    /** Names the last attempt in the request log. */
    public ?string $request_id;
    /** The key of the call: send it again with the same body to get the same operation. */
    public ?string $idempotency_key;
    /** How often the request was sent. */
    public int $attempts;
    /** Seconds to wait, when the service said so. */
    public ?int $retry_after;
    /** True: no answer proves that the service did nothing. Call again with the same key, or read the resource, before you do it anew. */
    public bool $may_have_happened;
    /** The page about `code`. */
    public string $doc_url;
    /** @var mixed the answer: its JSON, or the beginning of its text */
    public $raw;

    /** @internal @param array<string, mixed> $facts every property but `message` is optional */
    public function __construct(array $facts)
    {
        parent::__construct($facts['message']);
        $this->kind = $facts['kind'];
        $this->code = $facts['code'];
        $this->status = $facts['status'] ?? null;
        $this->request_id = $facts['request_id'] ?? null;
        $this->idempotency_key = $facts['idempotency_key'] ?? null;
        $this->attempts = $facts['attempts'];
        $this->retry_after = $facts['retry_after'] ?? null;
        $this->may_have_happened = $facts['may_have_happened'];
        $this->doc_url = $facts['doc_url'];
        $this->raw = $facts['raw'] ?? null;
    }
}
