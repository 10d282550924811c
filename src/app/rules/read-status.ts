import { readDoubtFigures } from '../../operators/doubts/doubt-figures.ts'
import { silencesOf } from '../../operators/doubts/find-doubts.ts'
import { readInstructionLag } from '../../operators/sending/due-store.ts'
import { readWeather } from '../../operators/weather/follow-weather.ts'
import type { Config } from '../../platform/config.ts'
import type { Db, Sql } from '../../platform/postgres/database.ts'
import { readJobLag } from '../../platform/queue/jobs.ts'
import { readDeliveryLag } from '../../webhooks/store.ts'
import { readNewestBackup } from '../backups/backup-age.ts'
import { stateOf } from './evaluate-rules.ts'
import type { Held } from './judge.ts'
import { rules } from './rules.ts'
import { readFiguresSince, readHeld, readNewestEvaluation, readProcesses, type State } from './store.ts'

/** Seconds without an evaluation after which the states of rules say nothing: no worker runs. */
const OLD_SECONDS = 120

/** The state of the service. Times are in ISO 8601; amounts in francs. */
export type Status = Awaited<ReturnType<typeof readStatus>>

/** Reads the state of the service, as a worker last evaluated it. */
export async function readState(db: Db): Promise<State> {
  return stateOf((await readHeld(db)).held)
}

/** Reads the state of live mode, of the processes, and of what waits. Without a worker that evaluates the rules the state is `page`. */
export async function readStatus(db: Sql, config: Pick<Config, 'simulator_delay_ms'>) {
  const { now, held } = await readHeld(db)
  const evaluated_at = await readNewestEvaluation(db)
  const isWatched = evaluated_at !== null && now.getTime() - evaluated_at.getTime() < OLD_SECONDS * 1_000
  const [doubts, backup] = [await readLiveDoubts(db, config), await readNewestBackup(db)]
  return {
    state: isWatched ? stateOf(held) : 'page',
    evaluated_at: evaluated_at?.toISOString() ?? null,
    processes: (await readProcesses(db)).map(({ place, roles, version, started_at, heard_at, silent }) => ({
      place,
      roles,
      version,
      started_at: started_at.toISOString(),
      heard_at: heard_at.toISOString(),
      silent,
    })),
    lag: {
      instructions: await readInstructionLag(db),
      deliveries: await readDeliveryLag(db),
      jobs: await readJobLag(db),
    },
    doubts,
    operators: await readLiveOperators(db),
    backup: {
      age_seconds: backup === null ? null : Math.round((now.getTime() - backup.finished_at.getTime()) / 1_000),
      restorable_to: backup?.began_at?.toISOString() ?? null,
    },
    recovery: null,
    firing: firingOf(held),
  }
}

/** The five-minute figures of the last days, oldest first: the gravest state, and the worst value of each rule. */
export async function readHistory(db: Db, days: number) {
  const rows = await readFiguresSince(db, days)
  return rows.map(({ starts_at, state, figures }) => ({ starts_at: starts_at.toISOString(), state, figures }))
}

async function readLiveDoubts(db: Db, config: Pick<Config, 'simulator_delay_ms'>) {
  const { count, oldest_seconds, amount } = (await readDoubtFigures(db, silencesOf(config))).find(
    ({ livemode }) => livemode,
  )!
  return { count, oldest_seconds: Math.round(oldest_seconds), amount }
}

async function readLiveOperators(db: Db) {
  const live = (await readWeather(db)).all().filter(({ livemode }) => livemode)
  return live.map(({ operator, direction, last_15_minutes: { operations, success_rate, in_doubt_rate } }) => ({
    ...{ operator, direction, operations },
    ...{ success_rate, in_doubt_rate },
  }))
}

/** The rules that fire, those that wake a person first. */
function firingOf(held: readonly Held[]) {
  return rules.flatMap(({ name, severity, symptom, runbook }) => {
    const found = held.find(({ rule, fired_at }) => rule === name && fired_at !== null)
    if (found === undefined) return []
    const { since, value } = found
    const about = { severity, symptom: symptom[1], runbook: `docs/runbook.md#${runbook}` }
    return [{ rule: name, since: since.toISOString(), value, ...about }]
  })
}
