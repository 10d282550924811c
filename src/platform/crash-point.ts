import { writeSync } from 'node:fs'
import { ConfigError } from './config.ts'

/**
 * The most dangerous moments for a process to die: between a commit, a call to the outside and the answer to the caller.
 */
const crashPoints = [
  /** The decision is written: the row of a payout or a settlement, and its held money. Nothing is committed. */
  'after_hold_insert',
  /** The same for the lines of a batch. */
  'mid_batch_line',
  /** A command is committed, or a batch or its execution; the caller has no answer. */
  'after_commit_before_ack',
  /** "Sending" is committed; no operator was called. */
  'after_intent_commit',
  'before_send',
  /** The operator has answered; its answer is not written. */
  'after_send',
  /** The effects of the answer are written: the state, the ledger, the event. Nothing is committed. */
  'after_response_before_commit',
  /** A callback is stored and its inquiry prepared; nothing is committed. */
  'during_callback_commit',
  /** A person's act is written: its changes, and its line of the audit log. Nothing is committed. */
  'during_act',
  'during_scheduled_withdrawal',
  /** The merchant's server has accepted an event; the delivery is not written. */
  'after_webhook_2xx_before_commit',
  /** A chunk of a statement file is committed; the next one is not. */
  'after_statement_chunk',
  /** All chunks of a statement file are committed; the file does not count yet. */
  'before_file_counts',
  /** The content of a backup is in its file; its last line is not. */
  'backup_without_end',
  /** A backup is complete, and has its unfinished name. */
  'backup_without_name',
  /** A backup has its name; it is not recorded. */
  'backup_unrecorded',
  /** The server of a draft runs with the database of a backup. */
  'draft_runs',
] as const
export type CrashPoint = (typeof crashPoints)[number]

const signals = ['SIGKILL', 'SIGSTOP'] as const

let armed: { point: CrashPoint; passes_left: number; signal: (typeof signals)[number] } | null = null

/** Whether passes count. */
let counting = true

/**
 * Arms the point that a fault test names: `CRASH_AT=<point>[:<n>[:<signal>]]` ends the process with SIGKILL when it reaches the point for the
 * n-th time (absent: the first), or freezes it with SIGSTOP. It also needs CRASH_POINTS=on, so that one forgotten variable has no effect.
 * With CRASH_POINTS=on_signal passes count from SIGUSR2 on. Neither variable is a setting of the service.
 * @throws ConfigError for an unknown point, or if CRASH_POINTS is neither
 */
export function armCrashPoint(env: Readonly<Record<string, string | undefined>>): void {
  const written = env.CRASH_AT ?? ''
  if (written === '') return
  if (env.CRASH_POINTS !== 'on' && env.CRASH_POINTS !== 'on_signal') {
    throw new ConfigError('CRASH_AT is for tests only, and needs CRASH_POINTS=on.')
  }
  const [name, times = '1', wanted = 'SIGKILL', ...rest] = written.split(':')
  const point = crashPoints.find((known) => known === name)
  const signal = signals.find((known) => known === wanted)
  if (point === undefined || signal === undefined || !/^[1-9]\d{0,5}$/.test(times) || rest.length > 0) {
    throw new ConfigError(`CRASH_AT must be <point>[:<n>[:${signals.join('|')}]], of ${crashPoints.join(', ')}.`)
  }
  armed = { point, passes_left: Number(times), signal }
  if (env.CRASH_POINTS === 'on') return
  counting = false
  process.once('SIGUSR2', () => {
    counting = true
    writeSync(2, `crash point ${point}: passes count\n`)
  })
}

/**
 * Refuses real money in a process with an armed point.
 * @throws ConfigError if a point is armed and a connector moves real money
 */
export function refuseCrashPointBeside(operators: readonly string[]): void {
  if (armed === null || operators.length === 0) return
  throw new ConfigError(`CRASH_AT must not be set where operators are connected (${operators.join(', ')}).`)
}

/** Ends or freezes the process if this is the armed point and its count is reached. */
export function crashPoint(point: CrashPoint): void {
  if (!counting || armed?.point !== point) return
  armed.passes_left -= 1
  if (armed.passes_left !== 0) return
  writeSync(2, `crash point ${point}: ${armed.signal}\n`)
  process.kill(process.pid, armed.signal)
}
