import { createClock } from '../../../src/platform/clock.ts'
import type { Sql } from '../../../src/platform/postgres/database.ts'
import { actor } from '../../harness/actor.ts'
import { paySettlement, rejectSettlement, validateSettlement } from '../../harness/settlements.ts'

export type Verb = 'validate' | 'pay' | 'reject'

/** Decides on a settlement. Returns `moved`, or the code of a refusal. */
export async function decide(sql: Sql, verb: Verb, id: string): Promise<string> {
  const deps = { sql, clock: createClock() }
  const by = {
    validate: () => validateSettlement(deps, id, actor('awa@example.com')),
    pay: () => paySettlement(deps, id, actor('issa@example.com'), 'VIR-1'),
    reject: () => rejectSettlement(deps, id, actor('issa@example.com'), null),
  }
  const result = await by[verb]()
  return result.kind === 'refused' ? result.code : result.kind
}
