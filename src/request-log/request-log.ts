import { setTimeout as wait } from 'node:timers/promises'
import { Counter, Gauge, type Registry } from 'prom-client'
import { eachShard } from '../platform/each-shard.ts'
import type { AnsweredRequest } from '../platform/http/request-context.ts'
import type { Log } from '../platform/log.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Caller } from '../values/caller.ts'
import { insertRequests, type LoggedRequest } from './store.ts'

/** Calls that wait to be written, at most. */
const WAITING_MAX = 50_000

/** Calls written by one statement, at most. */
const BATCH_MAX = 1_000

/** A write begins when so many wait, or when the first has waited so long. */
const BATCH_WANTED = 500
const WAIT_MAX_MS = 200

/** Before a write that failed is tried again. */
const RETRY_MS = 1_000

export type RequestLog = {
  /** Notes a call. Never waits and never throws: the request log is beside the request, not in its way. */
  record(request: AnsweredRequest): void
  /** Writes what waits and takes no more. */
  close(): Promise<void>
}

/**
 * The log of calls that merchants read. Calls without a known key belong to nobody's log and are only counted. When the
 * database cannot keep up or does not answer, calls are dropped and counted rather than kept waiting without bound.
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
      // A process that stops does not wait for a database that is away: the others would fail in the same way.
      const lost = requests.length + (closing ? waiting.splice(0).length : 0)
      dropped.inc({ reason: 'write_failed' }, lost)
      log.error({ error, requests: lost }, 'request log entries not written')
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
