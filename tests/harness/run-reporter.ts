import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { inspect, stripVTControlCharacters } from 'node:util'

/** The report of one test file. */
export type FileReport = {
  file: string
  milliseconds: number
  passed: boolean
  /** The tests that ran, suites not counted. */
  tests: number
  skipped: number
  failures: number
  /** Everything that the file printed, its seeds and its failures. Empty if it passed. */
  output: string
}

type Seen = Omit<FileReport, 'file' | 'output'> & { output: string[] }

/** A reporter of node:test that writes a line of JSON for each file: a FileReport. */
export default async function* report(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const files = new Map<string, Seen>()
  const seen = (file: string | undefined): Seen => {
    const name = file === undefined ? '' : relative(process.cwd(), file)
    const known = files.get(name) ?? { milliseconds: 0, passed: true, tests: 0, skipped: 0, failures: 0, output: [] }
    files.set(name, known)
    return known
  }
  for await (const { type, data } of source) {
    if (type === 'test:stdout' || type === 'test:stderr') seen(data.file).output.push(data.message)
    if (type === 'test:diagnostic') seen(data.file).output.push(`# ${data.message}\n`)
    if (type === 'test:pass' || type === 'test:fail') {
      const of = seen(data.file)
      if (data.nesting === 0) of.milliseconds += data.details.duration_ms
      if (data.details.type !== 'suite') of.tests += 1
      if (data.skip !== undefined) of.skipped += 1
    }
    if (type === 'test:fail') {
      const { error } = data.details
      const of = seen(data.file)
      of.passed = false
      if (data.details.type !== 'suite') of.failures += 1
      of.output.push(`✖ ${data.name}\n${inspect(error.cause ?? error, { depth: 6 })}\n`)
    }
    // With a process for each file the summary of a file has its whole time; files that share a process have only that of their tests.
    if (type === 'test:summary' && data.file !== undefined) {
      const of = seen(data.file)
      of.milliseconds = data.duration_ms
      of.passed &&= data.success
      const file = relative(process.cwd(), data.file)
      files.delete(file)
      yield lineOf(file, of)
    }
  }
  files.delete('')
  for (const [file, of] of files) yield lineOf(file, of)
}

function lineOf(file: string, { output, ...of }: Seen): string {
  const kept = of.passed ? '' : stripVTControlCharacters(output.join(''))
  return `${JSON.stringify({ file, ...of, output: kept } satisfies FileReport)}\n`
}
