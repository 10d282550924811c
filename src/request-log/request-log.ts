import { setTimeout as wait } from 'node:timers/promises'
import { Counter, Gauge, type Registry } from 'prom-client'
import { eachShard } from '../platform/each-shard.ts'
import type { AnsweredRequest } from '../platform/http/request-context.ts'
import type { Log } from '../platform/log.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Caller } from '../values/caller.ts'
import { insertRequests, type LoggedRequest } from './store.ts'

/** The most calls that wait to be written. */
const WAITING_MAX = 50_000

/** The most calls that one statement writes. */
const BATCH_MAX = 1_000

/** A write begins when this many calls wait, or when the first has waited this long. */
const BATCH_WANTED = 500
const WAIT_MAX_MS = 200

/** Milliseconds before a failed write is repeated. */
const RETRY_MS = 1_000

export type RequestLog = {
  /** Records a call. Never waits and never throws, so that the log never delays a request. */
  record(request: AnsweredRequest): void
  /** Writes the waiting calls and accepts no more. */
  close(): Promise<void>
}

/**
 * Creates the log of calls that merchants read. Calls without a known key are only counted. If the database is too slow or does not
 * answer, further calls are dropped and counted, so that memory stays bounded.
 */
export function createRequestLog({ sql, log, registry }: { sql: Sql; log: Log; registry: Registry }): RequestLog {
  const { dropped, withoutCaller } = countersIn(registry, () => waiting.length)
  const waiting: LoggedRequest[] = []
  let timer: NodeJS.Timeout | null = null
  let writing: Promise<void> | null = null
  let closing = false

  async function write(requests: readonly LoggedRequest[]): Promise<void> {
    try {
      await insertRequests(sql, requests).catch(async () => {
        if (!closing) await wait(RETRY_MS)
        await insertRequests(sql, requests, { again: true })
      })
    } catch (error) {
      // A process that stops does not wait for an unavailable database: the other calls would fail in the same way.
      const lost = requests.length + (closing ? waiting.splice(0).length : 0)
      dropped.inc({ reason: 'write_failed' }, lost)
      log.error({ error, requests: lost }, 'request-log: entries not written')
    }
  }

  async function writeUntilFew(): Promise<void> {
    do {
      const requests = waiting.splice(0, BATCH_MAX)
      await eachShard(sql, requests, write)
    } while (waiting.length >= BATCH_WANTED)
  }

  function startWriting(): void {
    if (timer !== null) clearTimeout(timer)
    timer = null
    writing ??= writeUntilFew().finally(() => {
      writing = null
      if (waiting.length > 0) startTimer()
    })
  }

  function startTimer(): void {
    timer ??= setTimeout(startWriting, WAIT_MAX_MS).unref()
  }

  return {
    record(request) {
      if (request.caller === null) {
        withoutCaller.inc()
      } else if (closing || waiting.length >= WAITING_MAX) {
        dropped.inc({ reason: closing ? 'closed' : 'too_many_waiting' })
      } else {
        waiting.push(rowOf(request, request.caller))
        if (waiting.length >= BATCH_WANTED) startWriting()
        else startTimer()
      }
    },
    async close() {
      closing = true
      while (writing !== null || waiting.length > 0) {
        startWriting()
        await writing
      }
    },
  }
}

function rowOf(request: AnsweredRequest, caller: Caller): LoggedRequest {
  const { request_id, method, path, status, error_code, subject_id, address, duration_ms, requested_at } = request
  const { merchant_id, livemode, key_id } = caller
  return {
    merchant_id,
    livemode,
    request_id,
    key_id,
    method,
    path,
    status,
    error_code,
    subject_id,
    address,
    duration_ms,
    requested_at,
  }
}

function countersIn(registry: Registry, waiting: () => number) {
  new Gauge({
    name: 'bandama_request_log_queue_length',
    help: 'Calls that wait to be written to the request log.',
    registers: [registry],
    collect() {
      this.set(waiting())
    },
  })
  return {
    dropped: new Counter({
      name: 'bandama_request_log_dropped_total',
      help: 'Calls that are missing from the request log, by reason.',
      labelNames: ['reason'],
      registers: [registry],
    }),
    withoutCaller: new Counter({
      name: 'bandama_request_log_without_caller_total',
      help: 'Calls without a known key, which belong in no request log.',
      registers: [registry],
    }),
  }
}
