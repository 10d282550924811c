import type { Log } from '../../log.ts'
import { type Db, type Sql, Statement, type Template } from '../database.ts'
import { isConnectionLost, PostgresError } from '../failures.ts'

/** Milliseconds for which the replica gets no reads after a failure. */
const REST_MS = 10_000

/**
 * Sends reads to the replica, or to the primary while the replica does not answer. The data may be as old as the replica's lag. Only for
 * single statements that write nothing.
 */
export function createReplicaReads({ primary, replica, log }: { primary: Sql; replica: Sql; log: Log | null }): Db {
  let restsUntil = Number.NEGATIVE_INFINITY

  async function read({ strings, values }: Template) {
    const ask = (db: Db) => db(strings as TemplateStringsArray, ...values)
    if (performance.now() >= restsUntil) {
      try {
        return await ask(replica)
      } catch (error) {
        if (!isAway(error)) throw error
        restsUntil = performance.now() + REST_MS
        log?.warn({ error, rest_ms: REST_MS }, 'replica: read failed, the primary answers for now')
      }
    }
    return await ask(primary)
  }

  const write = (first: TemplateStringsArray | string | readonly string[], ...values: never[]) => {
    if (typeof first !== 'object' || !('raw' in first)) return primary(first)
    const template = { strings: first, values }
    return new Statement(() => read(template), template)
  }
  const { sharded, json, unsafe } = primary
  return Object.assign(write, { sharded, json, unsafe }) as unknown as Db
}

/** Whether the replica could not answer. False: it refused a statement that the primary would refuse too. */
function isAway(error: unknown): boolean {
  // 40001, 40P01: the replay of the WAL conflicted with the read. 57014: the read took too long there.
  const given = error instanceof PostgresError && ['40001', '40P01', '57014'].includes(error.code)
  return given || isConnectionLost(error)
}
