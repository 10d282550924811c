import { randomUUID } from 'node:crypto'
import type { Log } from '../../platform/log.ts'
import type { Db } from '../../platform/postgres/database.ts'
import { type PeriodicTask, runEvery } from '../../platform/run-every.ts'
import type { Circuits, LearningCircuits } from './circuit.ts'
import { readRefusing, writeRefusing } from './circuit-store.ts'

/** Milliseconds between two looks: a change is known to the other processes within a second or so. */
const PAUSE_MS = 500

/**
 * Tells the processes that send nothing which circuits of this one admit nothing now, until stopped. Written when that changes. A process that
 * dies leaves what it told, which ends by itself.
 */
export function publishCircuits(circuits: Pick<LearningCircuits, 'refusing'>, sql: Db, log: Log): PeriodicTask {
  const process = randomUUID()
  let told = ''
  return runEvery('circuits', PAUSE_MS, log, async () => {
    const refusing = circuits.refusing()
    const now = refusing.map(({ connector, until }) => `${connector} ${until}`).join()
    if (now === told) return
    await writeRefusing(sql, process, refusing)
    told = now
  })
}

/**
 * The circuits as the processes that send have told them, for one that sends nothing: a connector is open while none of them refuses. While the
 * database is away, what was read last stays in force.
 * @throws when the first reading fails
 */
export async function followCircuits(sql: Db, log: Log): Promise<Circuits & PeriodicTask> {
  let refusing = new Set<string>()
  const refresh = async () => {
    refusing = new Set(await readRefusing(sql))
  }
  await refresh()
  const { stop } = runEvery('circuits', PAUSE_MS, log, refresh)
  return {
    admits: (connector) => !refusing.has(connector),
    isSilent: (connector) => refusing.has(connector),
    began: () => undefined,
    undone: () => undefined,
    ended: () => undefined,
    stop,
  }
}
