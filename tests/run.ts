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
// The tests in tests/cluster start the processes of several machines. They have a separate command, `npm run test:cluster`, so that
// `npm test` stays short.
//
// The tests need a PostgreSQL server that allows creating databases: the one in TEST_DATABASE_URL, or otherwise a temporary one for this run.

// With TEST_MODE=live, as in `npm run test:live`, it runs the tests for both modes, in live mode on the operators' twin.

const EVERYTHING = ['src/**/*.test.ts', 'tests/!(cluster)/**/*.test.ts']

/** The number of simultaneous files: one more than the cores of small machines, because most files wait more than they compute. */
const AT_ONCE = 3

/**
 * The settings of the server. They give up durability for speed. Each database is a copy of a template, and every page of it goes to the log.
 * Other tests check the service's own settings.
 */
const THROWAWAY = {
  fsync: 'off',
  wal_compression: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  max_connections: '300',
  // Hundreds of databases come and go, and each would need memory.
  shared_buffers: '512MB',
}

/** Three times as long as the longest test takes on a busy machine of two cores. Only a test that hangs takes so long. */
const TEST_MS = 300_000

const isLive = process.env.TEST_MODE === 'live'

/** The folder of Node's compile cache, because every test file loads the same sources. The service uses the same folder. */
const COMPILED = fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url))

/** The running tests, and the signal that ends them. A signal to this process alone must be passed on; Ctrl-C reaches them by itself. */
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
  // If root runs the tests, the server's account must have access to the folder.
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

/** Returns the options that skip the tests for test mode only. */
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
