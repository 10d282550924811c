import { appendFileSync, existsSync, globSync, readFileSync, statfsSync, statSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { constants, freemem, tmpdir } from 'node:os'
import { join, matchesGlob } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { buildProgram } from '../bin/build.ts'
import { chunksOf } from '../src/platform/chunks.ts'
import { createLog } from '../src/platform/log.ts'
import { startEmbeddedPostgres } from '../src/platform/postgres/embedded/start.ts'
import { closeRun, nameOf, say, sayFlaky } from './harness/close-run.ts'
import type { FileReport } from './harness/file-report.ts'
import { cannotStartServers, startAlone } from './harness/postgres-servers.ts'
import { type Chosen, runFiles, type TestProcess } from './harness/run-files.ts'
import { openStands, type Stands } from './harness/stands.ts'
import { inBothModes } from './live-mode.ts'
import { isOfTheNight } from './nightly.ts'

// Runs the tests of a landing, or those in the files and folders named: `npm test -- src/ledger --test-name-pattern=audit`.
//
//   --live        only live mode, on the operators' twin (tests/live-mode.ts lists the files). A landing runs both modes.
//   --both        both modes, of the files named
//   --on-oldest   on Debian's PostgreSQL, the oldest version on this machine that we support
//
// The tests need a PostgreSQL server that allows creating databases: the one in TEST_DATABASE_URL, or otherwise a temporary one for this run.
// Files that only compute share a process. Most others take turns in a few processes, and borrow the run's stands.
//
// A file that failed runs once more, alone, at the end. If it passes then, the run passes too, and closes with a block FLAKY. Two such files
// fail the run, because chance is a defect.

const EVERYTHING = ['src/**/*.test.ts', 'tests/**/*.test.ts']

/** The rules of the repository: `npm run check` has them. */
const CHECKED = 'tests/repository/**'

const OPTIONS = {
  live: { type: 'boolean', default: false },
  both: { type: 'boolean', default: false },
  'on-oldest': { type: 'boolean', default: false },
  // As of `node --test`.
  'test-name-pattern': { type: 'string', multiple: true },
  'test-skip-pattern': { type: 'string', multiple: true },
  'test-concurrency': { type: 'string' },
  'test-only': { type: 'boolean', default: false },
} as const

type Options = NonNullable<ReturnType<typeof readWords>>['values']

/** Most files that run again. If more failed, the change is wrong, not the machine. */
const RETRIED_MAX = 5

/** Most flaky files of a run that passes. */
const FLAKY_MAX = 1

/**
 * The settings of the server. They give up durability for speed. A copied database begins with a checkpoint, which has nothing to wait for.
 * Other tests check the service's own settings.
 */
const THROWAWAY = {
  fsync: 'off',
  wal_compression: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  // Several files with many processes each, and the idle stands, came to 300.
  max_connections: '600',
  // Hundreds of databases come and go, and each would need memory.
  shared_buffers: '512MB',
}

/** The number of files from which a build is worth while. It takes as long as two starts of the service from its sources. */
const BUILT_FILES = 10

/** The modules of the harness that only compute. */
const COMPUTING =
  'actor|authenticator|build-workbook|checkout-rows|effects|in-both-languages|page-situations|payment-row|payout-row|pictures|property|seed|sheet-formats'

/** The signs of a file that starts, sets or waits for something. */
const APART = new RegExp(
  `newId\\([^)]*,|harness/(?!(?:${COMPUTING})\\.ts)|^(?:before|after)(?:Each)?\\(|process\\.env|\\bmock\\b|listen\\(|sleep|setTimeout|node:(?:http|net|tls|worker_threads|child_process)`,
  'm',
)

/** The folders of which files take turns in one process, unless they set something of the process. */
const IN_TURNS = [
  'src/**',
  'tests/{browser,catalogue,conformance,console}/**',
  'tests/contract/!(circuits|operator-weather)*',
]

/** The signs of a file that sets something of its process, or measures it. */
const SETS =
  /process\.(?:env(?:\.\w+|\[[^\]]*\]) =|on\(|once\(|chdir|exitCode|memoryUsage)|delete process\.env|\bmock\b/

/** The most files that take turns in one process. More would save little, and could run alone at the end. */
const TURNS_OF_A_PROCESS = 8

/** The folder of Node's compile cache, because every test file loads the same sources. The service uses the same folder. */
const COMPILED = fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url))

/** The folder of a file system in memory, as Debian mounts it. A database of tests is some two thousand files, which a disk makes slowly. */
const MEMORY = '/dev/shm'
/** The least room there, in bytes, with which the temporary files of a run go to memory. */
const MEMORY_BYTES = 6e9

const ARTEFACTS = fileURLToPath(new URL('artefacts', import.meta.url))

/** The signal that ends the run. A signal to this process alone must reach the tests; Ctrl-C reaches them by itself. */
let told: NodeJS.Signals | null = null
const ending = new AbortController()
for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) {
  process.on(signal, () => {
    told = signal
    ending.abort()
  })
}

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
if (process.env.TMPDIR === undefined && hasRoom(MEMORY)) process.env.TMPDIR = MEMORY
process.exitCode = await runAll(process.argv.slice(2))

async function runAll(args: string[]): Promise<number> {
  const words = readWords(args)
  if (words === null) return 2
  const { values, positionals } = words
  const named = positionals.map(filesIn)
  const unknown = named.filter((pattern) => globSync(pattern).length === 0)
  if (unknown.length > 0) {
    say(`No test file matches ${unknown.join(' ')}.`)
    return 1
  }
  const folder = await mkdtemp(join(tmpdir(), 'bandama-tests-'))
  // If root runs the tests, the server's account must have access to the folder.
  await chmod(folder, 0o711)
  try {
    const server = await openServer(folder, values['on-oldest'])
    process.env.TEST_DATABASE_URL = server.url
    const stands = await openStands(folder)
    try {
      return await runTests(processesOf(named, values), values, { folder, stands })
    } finally {
      await stands.close()
      await server.stop()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Reads the words of the command. Says what is wrong with them, and returns null. */
function readWords(args: string[]) {
  try {
    return parseArgs({ args, allowPositionals: true, options: OPTIONS })
  } catch (error) {
    say((error as Error).message)
    return null
  }
}

/** Returns whether a folder is in memory, has room for a run, and lets programs run from it, as some tests do. */
function hasRoom(folder: string): boolean {
  const mounts = existsSync('/proc/mounts') ? readFileSync('/proc/mounts', 'utf8').split('\n') : []
  const [, , kind, options = ''] = mounts.findLast((line) => line.split(' ')[1] === folder)?.split(' ') ?? []
  if (kind !== 'tmpfs' || options.split(',').includes('noexec')) return false
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize >= MEMORY_BYTES && freemem() >= MEMORY_BYTES
}

async function openServer(folder: string, on_oldest: boolean): Promise<{ url: string; stop(): Promise<void> }> {
  if (on_oldest) {
    if (cannotStartServers) throw new Error(cannotStartServers)
    return await startAlone(folder, THROWAWAY)
  }
  const given = process.env.TEST_DATABASE_URL ?? ''
  if (given !== '') return { url: given, stop: () => Promise.resolve() }
  const dataDir = join(folder, 'postgres')
  await mkdir(dataDir)
  await chmod(dataDir, 0o711)
  const log = createLog('warn', 'tests')
  const server = await startEmbeddedPostgres({ dataDir, log, own: true, settings: THROWAWAY })
  return { url: server.url.reveal(), stop: server.stop }
}

async function runTests(
  processes: TestProcess[],
  options: Options,
  { folder, stands }: { folder: string; stands: Stands },
): Promise<number> {
  const began = performance.now()
  const starts = join(folder, 'starts')
  const ports = join(folder, 'ports')
  await mkdir(ports)
  if (processes.flatMap(({ files }) => files).length >= BUILT_FILES) await buildProgram()
  const run = (some: TestProcess[], lent: string) =>
    runFiles(some, (live) => chosenOf(options, live), {
      envOf: ({ live }) => ({
        NODE_COMPILE_CACHE: COMPILED,
        ...process.env,
        TEST_MODE: live ? 'live' : 'test',
        TEST_STANDS: lent,
        TEST_STARTS: starts,
        TEST_PORTS: ports,
      }),
      signal: ending.signal,
    })
  const { reports, is_unexplained } = await run(processes, stands.socket)
  const failed = reports.filter(({ passed }) => !passed)
  const flaky: FileReport[] = []
  const isWorthwhile = failed.length <= RETRIED_MAX && processes.length > 1
  for (const report of isWorthwhile ? failed : []) {
    if (told !== null) break
    say(`\n== once more, alone: ${nameOf(report)}`)
    const computes = !report.live && onlyComputes(report.file)
    // On a service of its own, so that what other files left on a stand does not count.
    const again = await run([{ files: [report.file], live: report.live, computes }], '')
    const passed = !again.is_unexplained && again.reports.every((second) => second.passed)
    await keepOutputs(report, passed ? 'passed\n' : (again.reports[0]?.output ?? ''))
    if (passed) flaky.push(report)
  }
  for (const report of flaky) report.failures = 0
  closeRun(reports, stands, { starts, milliseconds: performance.now() - began })
  if (flaky.length > 0) sayFlaky(flaky)
  if (told !== null) return 128 + constants.signals[told]
  if (is_unexplained) say('A process of the run ended badly without a word about a file.')
  if (failed.length === 0 && !is_unexplained) return 0
  const isChance = !is_unexplained && flaky.length === failed.length && flakyOfTheLanding(flaky) <= FLAKY_MAX
  return isChance ? 0 : 1
}

/**
 * Returns the processes for the files named, or for a landing: all files in test mode, and those for both modes in live mode too. The long
 * ones stand first, so that none runs alone at the end. A landing checked the rules of the repository before (`npm run check`).
 */
function processesOf(named: string[], { live, both, ...chosen }: Options): TestProcess[] {
  // A choice of tests can leave a file without one, and then nothing of it would run.
  const shares = chosen['test-name-pattern'] === undefined && chosen['test-only'] !== true
  if (named.length > 0) {
    const files = globSync(named).toSorted()
    const also = both ? files.filter((file) => Object.hasOwn(inBothModes, file)) : []
    return [...inProcesses(also, { live: true, shares }), ...inProcesses(files, { live, shares })]
  }
  const of_the_landing = (files: string[], mode: { live: boolean }) => files.filter((file) => !isOfTheNight(file, mode))
  const live_files = of_the_landing(Object.keys(inBothModes), { live: true }).toReversed()
  const of_live_mode = inProcesses(live_files, { live: true, shares })
  if (live) return of_live_mode
  const files = of_the_landing(globSync(EVERYTHING, { exclude: [CHECKED] }), { live: false }).toSorted()
  const [ofOneFeature, ofThePublicDoor] = [files.filter(isInSources), files.filter((file) => !isInSources(file))]
  return [...of_live_mode, ...[ofThePublicDoor, ofOneFeature].flatMap((some) => inProcesses(some, { live, shares }))]
}

function isInSources(file: string): boolean {
  return file.startsWith('src/')
}

/** Returns the processes of these files. The long ones stand first: a file that has a process of its own, or all that share one and compute. */
function inProcesses(files: string[], { live, shares }: { live: boolean; shares: boolean }): TestProcess[] {
  const [computing, others] = partition(files, (file) => !live && onlyComputes(file))
  const [inTurns, alone] = partition(others, (file) => shares && takesTurns(file))
  return [
    ...alone.map((file) => ({ files: [file], live, computes: false })),
    ...(computing.length > 0 ? [{ files: computing, live, computes: true }] : []),
    ...[...chunksOf(inTurns, TURNS_OF_A_PROCESS)].map((some) => ({ files: some, live, computes: false })),
  ]
}

function partition(files: string[], isFirst: (file: string) => boolean): [string[], string[]] {
  return [files.filter(isFirst), files.filter((file) => !isFirst(file))]
}

/**
 * Returns whether a file may run after others in one process: it sets nothing of the process. A process with the modules of most files takes
 * as long to start as a short file to run. Files with kills and with long waits stay alone, so that no process is long.
 */
function takesTurns(file: string): boolean {
  return IN_TURNS.some((pattern) => matchesGlob(file, pattern)) && !SETS.test(readFileSync(file, 'utf8'))
}

/**
 * Returns whether a file may share its process: it starts nothing, sets nothing and waits for nothing. leave-no-trace.ts fails a test that
 * leaves something behind all the same.
 */
function onlyComputes(file: string): boolean {
  return isInSources(file) && !APART.test(readFileSync(file, 'utf8'))
}

/** Returns what was chosen, and in live mode leaves out the tests for test mode only. */
function chosenOf(options: Options, live: boolean): Chosen {
  const concurrency = options['test-concurrency']
  const names = options['test-name-pattern']
  return {
    ...(names !== undefined && { testNamePatterns: names }),
    ...(concurrency !== undefined && { concurrency: Number(concurrency) }),
    testSkipPatterns: [...(options['test-skip-pattern'] ?? []), ...(live ? leftOutInLiveMode() : [])],
    only: options['test-only'],
  }
}

function leftOutInLiveMode(): string[] {
  const titles = Object.values(inBothModes).flatMap((tests) => Object.keys(tests))
  const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
  const pattern = (title: string) =>
    title
      .split(/\$\{[^}]*\}/)
      .map(literal)
      .join('.*')
  return titles.map((title) => `/^${pattern(title)}$/`)
}

/** Keeps what a failed file printed, and what it printed when it ran again. */
async function keepOutputs(first: FileReport, second: string): Promise<void> {
  const folder = join(ARTEFACTS, 'failed')
  await mkdir(folder, { recursive: true })
  const name = join(folder, nameOf(first).replaceAll('/', '-').replace(', live', '-live'))
  await writeFile(`${name}.first.txt`, first.output)
  await writeFile(`${name}.second.txt`, second)
}

/** Adds the flaky files to those of the other stages of a landing, and returns how many there are. */
function flakyOfTheLanding(flaky: FileReport[]): number {
  const path = process.env.FLAKY_FILES
  if (path === undefined) return flaky.length
  appendFileSync(path, flaky.map((report) => `${nameOf(report)}\n`).join(''))
  return readFileSync(path, 'utf8').trim().split('\n').length
}

function filesIn(path: string): string {
  return existsSync(path) && statSync(path).isDirectory() ? `${path.replace(/\/$/, '')}/**/*.test.ts` : path
}
