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
 * @param loader the file that only loads others, which share its process. It has no report: its suites are the files, and what it prints
 * belongs to each file that failed.
 */
export function reportsOf(
  events: readonly TestEvent[],
  { live, loader }: { live: boolean; loader: string },
): FileReport[] {
  const files = new Map<string, Seen>()
  for (const { type, data } of events) {
    const where = data !== undefined && 'file' in data ? nameOf(data.file) : ''
    const isFile = where === loader && (type === 'test:pass' || type === 'test:fail') && data.nesting === 0
    const of = seenOf(files, isFile ? data.name : where)
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
    // The summary of a process has its whole time. A file that shares one has the time of its suite.
    if (type === 'test:summary' && data.file !== undefined) {
      of.milliseconds = data.duration_ms
      of.passed &&= data.success
    }
  }
  files.delete('')
  const printed = files.get(loader)?.output ?? []
  files.delete(loader)
  return [...files].map(([file, { output, ...of }]) => ({
    file,
    live,
    ...of,
    output: of.passed ? '' : stripVTControlCharacters([...printed, ...output].join('')),
  }))
}

function nameOf(file: string | undefined): string {
  return file === undefined ? '' : relative(process.cwd(), file)
}

function seenOf(files: Map<string, Seen>, name: string): Seen {
  const known = files.get(name) ?? { milliseconds: 0, passed: true, tests: 0, skipped: 0, failures: 0, output: [] }
  files.set(name, known)
  return known
}
