import { writeSync } from 'node:fs'
import { ConfigError } from './config.ts'

/**
 * Moments at which it matters most that a process may die: between what the database holds, what the outside was told
 * and what the caller was told.
 */
const crashPoints = [
  /** The decision is written: of a payout or a settlement the row, and the money that it holds. Nothing is committed. */
  'after_hold_insert',
  /** The same for the lines of a batch. */
  'mid_batch_line',
  /** A command is committed, or a batch or its execution; the caller has no answer. */
  'after_commit_before_ack',
  /** "Sending" is committed; no operator was called. */
  'after_intent_commit',
  'before_send',
  /** The operator has answered; nothing of it is written. */
  'after_send',
  /** The effects of the answer are written: the state, the ledger, the event. Nothing is committed. */
  'after_response_before_commit',
  /** A callback is kept and its question prepared; nothing is committed. */
  'during_callback_commit',
  /** A person's decision on a settlement is written: the state, the ledger, the event. Nothing is committed. */
  'during_settlement_move',
  /** The merchant's server has taken an event; that it did is not written. */
  'after_webhook_2xx_before_commit',
] as const
export type CrashPoint = (typeof crashPoints)[number]

const signals = ['SIGKILL', 'SIGSTOP'] as const

let armed: { point: CrashPoint; passes_left: number; signal: (typeof signals)[number] } | null = null

/**
 * Arms the point that the tests of faults name: `CRASH_AT=<point>[:<n>[:<signal>]]` ends the process the n-th time
 * (absent: the first) that it comes to the point, with SIGKILL, or freezes it there with SIGSTOP. Takes CRASH_POINTS=on
 * beside it, so that one variable left behind does nothing. No setting of the service, and therefore not among them.
 * @throws ConfigError when it names no such point, or CRASH_POINTS is not on
 */
export function armCrashPoint(env: Readonly<Record<string, string | undefined>>): void {
  const written = env.CRASH_AT ?? ''
  if (written === '') return
  if (env.CRASH_POINTS !== 'on') throw new ConfigError('CRASH_AT is for tests only, and needs CRASH_POINTS=on.')
  const [name, times = '1', wanted = 'SIGKILL', ...rest] = written.split(':')
  const point = crashPoints.find((known) => known === name)
  const signal = signals.find((known) => known === wanted)
  if (point === undefined || signal === undefined || !/^[1-9]\d{0,5}$/.test(times) || rest.length > 0) {
    throw new ConfigError(`CRASH_AT must be <point>[:<n>[:${signals.join('|')}]], of ${crashPoints.join(', ')}.`)
  }
  armed = { point, passes_left: Number(times), signal }
}

/**
 * Keeps a process that can be made to die away from real money.
 * @throws ConfigError when a point is armed and there are operators that move real money
 */
export function refuseCrashPointBeside(operators: readonly string[]): void {
  if (armed === null || operators.length === 0) return
  throw new ConfigError(`CRASH_AT must not be set where operators are connected (${operators.join(', ')}).`)
}

/** Ends or freezes the process when this is the armed point and its time has come; nothing otherwise. */
export function crashPoint(point: CrashPoint): void {
  if (armed?.point !== point) return
  armed.passes_left -= 1
  if (armed.passes_left !== 0) return
  writeSync(2, `crash point ${point}: ${armed.signal}\n`)
  process.kill(process.pid, armed.signal)
}
