import type { Log } from '../../platform/log.ts'
import { type PeriodicTask, runEvery } from '../../platform/run-every.ts'
import type { State } from './store.ts'

const EVALUATION_MS = 30_000
const BEAT_MS = 60_000
/** Milliseconds without an evaluation after which nobody may say that the service is well. */
const OLD_MS = 90_000

/**
 * Evaluates the rules every 30 seconds, and beats each minute while no rule that wakes a person fires. Several workers may run it: one of them
 * evaluates, and each beats by what it last saw.
 */
export function watchRules(options: {
  evaluate: () => Promise<State | null>
  readState: () => Promise<State>
  beat: () => Promise<boolean>
  /** The part of the time between two evaluations and two beats. */
  time_percent: number
  log: Log
}): PeriodicTask[] {
  const { evaluate, readState, beat, log, time_percent } = options
  let seen: { state: State; at: number } | null = null
  return [
    runEvery('rules', (EVALUATION_MS * time_percent) / 100, log, async () => {
      const state = (await evaluate()) ?? (await readState())
      seen = { state, at: performance.now() }
    }),
    runEvery('heartbeat', (BEAT_MS * time_percent) / 100, log, async () => {
      if (seen === null || seen.state === 'page' || performance.now() - seen.at > OLD_MS) return
      if (!(await beat())) log.warn('rules: the heartbeat was not taken, check HEARTBEAT_URL')
    }),
  ]
}
