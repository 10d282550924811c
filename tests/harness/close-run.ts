import { existsSync, readFileSync } from 'node:fs'
import type { FileReport } from './file-report.ts'
import type { Stands } from './stands.ts'

// The last lines of a run.

/** Prints the slowest files, the share of starting, and the stands. @param starts the file of the times that starting took */
export function closeRun(
  reports: readonly FileReport[],
  { counts }: Stands,
  { starts, milliseconds }: { starts: string; milliseconds: number },
): void {
  const failed = sum(reports, ({ failures }) => failures)
  if (reports.length > 1) {
    say('\nThe ten slowest files:')
    for (const report of reports.toSorted((a, b) => b.milliseconds - a.milliseconds).slice(0, 10)) {
      say(`  ${seconds(report.milliseconds).padStart(8)}  ${nameOf(report)}`)
    }
    const whole = sum(reports, ({ milliseconds: took }) => took)
    say(`\n${sayStarting(starts, whole)}`)
    say(`Stands: ${counts.started} started, lent ${counts.lent} times, ${counts.broken.length} broken.`)
    for (const { file, broken } of counts.broken) say(`  ${file} broke its stand (${broken}): let it open its own.`)
    say(`${reports.length} files in ${seconds(milliseconds)}.`)
  }
  const skipped = sum(reports, (report) => report.skipped)
  say(`${sum(reports, ({ tests }) => tests) - skipped - failed} passed, ${failed} failed, ${skipped} skipped`)
}

/** Prints the block that names the files which passed only when run again. */
export function sayFlaky(flaky: readonly FileReport[]): void {
  say('\nFLAKY: passed only when run again. Find the cause; both outputs are in tests/artefacts/failed.')
  for (const report of flaky) {
    for (const [, test] of report.output.matchAll(/^✖ (.*)$/gm)) say(`  ${nameOf(report)}: ${test}`)
    for (const [seed] of report.output.matchAll(/^.*\bseed[=: ].*$/gim)) say(`    ${seed.trim()}`)
  }
}

/** Prints a line. */
export function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Returns the name of a report's file, with its mode if it ran in live mode. */
export function nameOf({ file, live }: FileReport): string {
  return live ? `${file}, live` : file
}

function sayStarting(starts: string, whole: number): string {
  const started = new Map<string, number>()
  for (const line of existsSync(starts) ? readFileSync(starts, 'utf8').trim().split('\n') : []) {
    const [kind = '', ms] = line.split(' ')
    started.set(kind, (started.get(kind) ?? 0) + Number(ms))
  }
  const all = sum([...started.values()], (ms) => ms)
  const parts = [...started].map(([kind, ms]) => `${kind} ${seconds(ms)}`).join(', ')
  return `Starting: ${((100 * all) / whole).toFixed(0)} % of ${seconds(whole)} of files (${parts}).`
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}
