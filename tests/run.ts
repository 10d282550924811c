import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createLog } from '../src/platform/log.ts'
import { startEmbeddedPostgres } from '../src/platform/postgres/embedded/start.ts'
import { inBothModes } from './live-mode.ts'

// Runs all tests, or those in the files and folders named: `npm test -- src/ledger --test-name-pattern=audit`.
//
// Those in tests/cluster start several machines' worth of processes each and have a command of their own, `npm run
// test:cluster`, so that `npm test` stays a thing one does between two thoughts.
//
// They need a PostgreSQL server on which they may create databases. TEST_DATABASE_URL names one; otherwise one is
// started for this run and thrown away.

// With TEST_MODE=live, as by `npm run test:live`, they are the tests of both modes, in live mode on the operators' twin.

const EVERYTHING = ['src/**/*.test.ts', 'tests/!(cluster)/**/*.test.ts']

/** Files that run at once: one more than small machines have cores, because most wait more than they work. */
const AT_ONCE = 3

/**
 * A server that forgets everything at a power cut, and is faster for it. Each database is a copy of a template, and every page of it
 * goes to the log. The service's own settings are tested apart.
 */
const THROWAWAY = {
  fsync: 'off',
  wal_compression: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  max_connections: '300',
  // Hundreds of databases come and go, and each would take memory of its own.
  shared_buffers: '512MB',
}

const TEST_MS = 120_000

const isLive = process.env.TEST_MODE === 'live'

/** Where Node keeps what it made of the sources, which every file of tests reads again; the service's own is the same. */
const COMPILED = fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url))

/** The tests that run, and the signal that ends them: Ctrl-C reaches them by itself, but a signal to us alone does not. */
let child: ChildProcess | undefined
let told: NodeJS.Signals | null = null
for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) {
  process.on(signal, () => {
    told = signal
    child?.kill(signal)
  })
}

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
process.exitCode = await run(process.argv.slice(2))

async function run(args: string[]): Promise<number> {
  const given = process.env.TEST_DATABASE_URL ?? ''
  if (given !== '') return await runTests(given, args)
  const folder = await mkdtemp(join(tmpdir(), 'bandama-tests-'))
  // When root runs the tests, the server's account must be able to pass.
  await chmod(folder, 0o711)
  const log = createLog('warn', 'tests')
  try {
    const server = await startEmbeddedPostgres({ dataDir: folder, log, own: true, settings: THROWAWAY })
    try {
      return await runTests(server.url.reveal(), args)
    } finally {
      await server.stop()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function runTests(server: string, args: string[]): Promise<number> {
  const options = args.filter((arg) => arg.startsWith('-'))
  const files = args.filter((arg) => !arg.startsWith('-')).map(filesIn)
  if (told !== null) return 128 + constants.signals[told]
  child = spawn(
    process.execPath,
    [
      '--test',
      `--import=${new URL('harness/end-leaks.ts', import.meta.url).href}`,
      `--test-concurrency=${AT_ONCE}`,
      '--test-reporter=spec',
      `--test-timeout=${TEST_MS}`,
      ...(isLive ? skipped() : []),
      ...options,
      ...(files.length > 0 ? files : isLive ? Object.keys(inBothModes) : EVERYTHING),
    ],
    { stdio: 'inherit', env: { NODE_COMPILE_CACHE: COMPILED, ...process.env, TEST_DATABASE_URL: server } },
  )
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  return code ?? 128 + constants.signals[signal ?? 'SIGTERM']
}

/** Options that skip the tests of test mode alone. */
function skipped(): string[] {
  const titles = Object.values(inBothModes).flatMap((tests) => Object.keys(tests))
  const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
  const pattern = (title: string) =>
    title
      .split(/\$\{[^}]*\}/)
      .map(literal)
      .join('.*')
  return titles.map((title) => `--test-skip-pattern=/^${pattern(title)}$/`)
}

function filesIn(path: string): string {
  return existsSync(path) && statSync(path).isDirectory() ? `${path.replace(/\/$/, '')}/**/*.test.ts` : path
}
