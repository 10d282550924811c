import { randomUUID } from 'node:crypto'
import type { Log } from '../../platform/log.ts'
import type { Db } from '../../platform/postgres/database.ts'
import { type PeriodicTask, runEvery } from '../../platform/run-every.ts'
import type { Circuits, LearningCircuits } from './circuit.ts'
import { readRefusing, writeRefusing } from './circuit-store.ts'

/** Milliseconds between two checks: the other processes learn of a change within about a second. */
const PAUSE_MS = 500

/**
 * Publishes the connectors that this process's circuits refuse, for the processes that send nothing, until stopped.
 * Writes only changes. The refusals of a process that dies expire by themselves.
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
 * Follows the published circuits, in a process that sends nothing. A connector is open while no process refuses it.
 * While the database is unavailable, the last state read stays in force.
 * @throws when the first read fails
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
    hasAnswered: () => false,
    began: () => undefined,
    undone: () => undefined,
    ended: () => undefined,
    stop,
  }
}
