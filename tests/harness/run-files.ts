import { matchesGlob } from 'node:path'
import { run } from 'node:test'
import { spec, type TestEvent } from 'node:test/reporters'
import { say } from './close-run.ts'
import { type FileReport, reportsOf } from './file-report.ts'

// Runs test files with node:test, several at once, from one queue: whatever their mode, no core waits for the last file of another pass.

/** A process of a run: a test file in one mode, or files that share it one after the other. `computes`: they only compute. */
export type TestProcess = { files: string[]; live: boolean; computes: boolean }

/** The choices for a run, as for node:test. */
export type Chosen = {
  testNamePatterns?: string[]
  testSkipPatterns?: string[]
  only?: boolean
  /** The number of simultaneous files, in place of the usual one. */
  concurrency?: number
}

export type Ran = {
  reports: FileReport[]
  /** Whether a process failed, or left out a file, without a word about it. That is never forgiven. */
  is_unexplained: boolean
}

/** The number of simultaneous files: twice the cores of small machines, because files wait for a third to two thirds of their time. */
const AT_ONCE = 4

/** Files that wait for most of their time, for deadlines and for what a dead process held. Half of the files at once are of these, from the start. */
const WAITING = ['tests/faults/**', 'tests/contract/{circuits,operator-weather}.test.ts']

/** Three times as long as the longest test takes on a busy machine of two cores. Only a test that hangs takes so long. */
const TEST_MS = 300_000

/** The same for all files of one process together, of which each has that limit. */
const SHARED_MS = 1_200_000

/** Loads the files that share a process, one after the other. */
const LOADER = 'tests/harness/share-process.ts'

/**
 * Runs the files, and prints what node:test prints: of one file as it comes, of many file by file, with all failures at the end.
 * @param envOf the environment of a process
 * @param signal ends the run
 */
export async function runFiles(
  processes: readonly TestProcess[],
  chosen: (live: boolean) => Chosen,
  { envOf, signal }: { envOf(of: TestProcess): NodeJS.ProcessEnv; signal: AbortSignal },
): Promise<Ran> {
  const printer = new spec()
  printer.pipe(process.stdout, { end: false })
  const ran: Ran = { reports: [], is_unexplained: false }
  const waiting = processes.filter(isWaiting)
  const others = processes.filter((one) => !isWaiting(one))

  async function work(queues: TestProcess[][]): Promise<void> {
    for (;;) {
      const next = signal.aborted ? undefined : queues.find(({ length }) => length > 0)?.shift()
      if (next === undefined) return
      const print = processes.length === 1 ? (event: TestEvent) => printer.write(event) : () => {}
      const options = { ...chosen(next.live), env: envOf(next), signal }
      const { events, success } = await runOne(next, options, print)
      if (processes.length > 1) for (const event of events) printer.write(event)
      const reports = reportsOf(events, { live: next.live, loader: LOADER })
      ran.reports.push(...reports)
      const untold = next.files.filter((file) => !reports.some((report) => report.file === file))
      if (untold.length > 0) say(`\nTheir process ended before these files: ${untold.join(', ')}`)
      if (untold.length > 0 || (!success && reports.every(({ passed }) => passed))) ran.is_unexplained = true
    }
  }

  const { concurrency } = chosen(false)
  const queuesOf = (rank: number) => (rank % 2 === 0 ? [waiting, others] : [others, waiting])
  await Promise.all(Array.from({ length: concurrency ?? AT_ONCE }, (_, rank) => work(queuesOf(rank))))
  // The printer lists the failures of all files.
  printer.write({ type: 'test:summary', data: { file: undefined, success: true, counts: {}, duration_ms: 0 } })
  await new Promise((resolve) => printer.end(resolve))
  return ran
}

function isWaiting({ files }: TestProcess): boolean {
  return files.length === 1 && WAITING.some((pattern) => matchesGlob(files[0]!, pattern))
}

async function runOne(
  { files, computes }: TestProcess,
  { concurrency: _, ...options }: Chosen & { env: NodeJS.ProcessEnv; signal: AbortSignal },
  print: (event: TestEvent) => void,
): Promise<{ events: TestEvent[]; success: boolean }> {
  const shares = files.length > 1
  const guard = computes ? 'leave-no-trace.ts' : shares ? null : 'end-leaks.ts'
  const stream = run({
    ...options,
    env: { ...options.env, ...(shares && { TEST_FILES: JSON.stringify(files) }) },
    files: shares ? [LOADER] : files,
    timeout: shares ? SHARED_MS : TEST_MS,
    // The words of the process win over the limit of the whole.
    execArgv: [
      ...(guard === null ? [] : [`--import=${new URL(guard, import.meta.url).href}`]),
      `--test-timeout=${TEST_MS}`,
    ],
  })
  const events: TestEvent[] = []
  let success = true
  for await (const event of stream as AsyncIterable<TestEvent>) {
    const { type, data } = event
    // The sums of one process are left out: the run prints its own at its end.
    const isOfTheRun = (type === 'test:diagnostic' || type === 'test:summary') && data.file === undefined
    if (type === 'test:summary' && isOfTheRun) success = data.success
    if (isOfTheRun) continue
    events.push(event)
    print(event)
  }
  return { events, success }
}
