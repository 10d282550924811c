import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '../platform/clock.ts'
import { crashPoint } from '../platform/crash-point.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { enqueue } from '../platform/queue/jobs.ts'
import { keepStray } from './anomalies.ts'
import { askOperatorJob } from './jobs.ts'
import type { Registry } from './registry.ts'
import * as store from './store.ts'

export type CallbackReceipt = 'kept' | 'forged' | 'unknown_operator'

/**
 * Takes in what an operator calls to tell us. The bytes are checked and kept once, and the operator is asked; nothing is
 * decided from the callback itself, because most operators do not sign theirs. A reference we do not know waits for a
 * person: it may be money that nobody is waiting for.
 */
export function createReceiveCallback({ sql, registry, clock }: { sql: Sql; registry: Registry; clock: Clock }) {
  return async (operator: string, raw: Buffer, headers: IncomingHttpHeaders): Promise<CallbackReceipt> => {
    const connector = registry.connectorNamed(operator)
    if (connector === null || connector.capabilities.callback === 'none') return 'unknown_operator'
    const reading = connector.readCallback(raw, headers)
    if (reading.kind === 'forged') return 'forged'
    const { reference, evidence } = reading
    const digest = createHash('sha256').update(raw).digest()
    await sql.begin(async (tx) => {
      const { key, isNew } = await store.keepCallback(tx, { operator, digest, reference, evidence })
      if (key === null && isNew) await keepStray(tx, { operator, reference, evidence }, clock)
      if (key !== null && isNew) enqueue(tx, askOperatorJob, [{ payload: { instructions: [key] } }])
      crashPoint('during_callback_commit')
    })
    return 'kept'
  }
}

export type ReceiveCallback = ReturnType<typeof createReceiveCallback>
