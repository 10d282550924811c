import { appendFileSync } from 'node:fs'

/** The kinds of starting that a run adds up: a file's own process, a stand's wait, an own service, an own database. */
export type StartKind = 'process' | 'stand' | 'service' | 'database'

/** Does something that a test needs before it begins, and adds its time to the run's sum of starting. */
export async function starting<Result>(kind: StartKind, work: () => Promise<Result>): Promise<Result> {
  const began = performance.now()
  try {
    return await work()
  } finally {
    noteStart(kind, performance.now() - began)
  }
}

/** Adds to the run's sum of starting. The run, which has no file of its own for it, does not count. */
export function noteStart(kind: StartKind, milliseconds: number): void {
  const file = process.env.TEST_STARTS
  if (file !== undefined) appendFileSync(file, `${kind} ${Math.round(milliseconds)}\n`)
}
