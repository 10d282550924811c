import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { inspect, stripVTControlCharacters } from 'node:util'

/** The report of one test file in one mode. */
export type FileReport = {
  file: string
  live: boolean
  milliseconds: number
  passed: boolean
  /** The tests that ran, suites not counted. */
  tests: number
  skipped: number
  failures: number
  /** Everything that the file printed, its seeds and its failures. Empty if it passed. */
  output: string
}

type Seen = Omit<FileReport, 'file' | 'live' | 'output'> & { output: string[] }

/**
 * Returns a report for each file of a run.
 * @param loader the file that only loads others, which share its process: it has no report
 */
export function reportsOf(
  events: readonly TestEvent[],
  { live, loader }: { live: boolean; loader: string },
): FileReport[] {
  const files = new Map<string, Seen>()
  for (const { type, data } of events) {
    const of = seenOf(files, data !== undefined && 'file' in data ? data.file : undefined)
    if (type === 'test:stdout' || type === 'test:stderr') of.output.push(data.message)
    if (type === 'test:diagnostic') of.output.push(`# ${data.message}\n`)
    if (type === 'test:pass' || type === 'test:fail') {
      if (data.nesting === 0) of.milliseconds += data.details.duration_ms
      if (data.details.type !== 'suite') of.tests += 1
      if (data.skip !== undefined) of.skipped += 1
    }
    if (type === 'test:fail') {
      const { error } = data.details
      of.passed = false
      if (data.details.type !== 'suite') of.failures += 1
      of.output.push(`✖ ${data.name}\n${inspect(error.cause ?? error, { depth: 6 })}\n`)
    }
    // The summary of a process has its whole time. Files that share one have only the time of their tests.
    if (type === 'test:summary' && data.file !== undefined) {
      of.milliseconds = data.duration_ms
      of.passed &&= data.success
    }
  }
  files.delete('')
  files.delete(loader)
  return [...files].map(([file, { output, ...of }]) => ({
    file,
    live,
    ...of,
    output: of.passed ? '' : stripVTControlCharacters(output.join('')),
  }))
}

function seenOf(files: Map<string, Seen>, file: string | undefined): Seen {
  const name = file === undefined ? '' : relative(process.cwd(), file)
  const known = files.get(name) ?? { milliseconds: 0, passed: true, tests: 0, skipped: 0, failures: 0, output: [] }
  files.set(name, known)
  return known
}
