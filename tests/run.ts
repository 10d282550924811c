import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, existsSync, globSync, readFileSync, statfsSync, statSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { constants, freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildProgram } from '../bin/build.ts'
import { createLog } from '../src/platform/log.ts'
import { startEmbeddedPostgres } from '../src/platform/postgres/embedded/start.ts'
import { cannotStartServers, startAlone } from './harness/postgres-servers.ts'
import type { FileReport } from './harness/run-reporter.ts'
import { openStands, type Stands } from './harness/stands.ts'
import { inBothModes } from './live-mode.ts'
import { isOfTheNight } from './nightly.ts'

// Runs the tests of a landing, or those in the files and folders named: `npm test -- src/ledger --test-name-pattern=audit`.
//
//   --live        only live mode, on the operators' twin (tests/live-mode.ts lists the files). A landing runs both modes.
//   --on-oldest   on Debian's PostgreSQL, the oldest version on this machine that we support
//
// The tests need a PostgreSQL server that allows creating databases: the one in TEST_DATABASE_URL, or otherwise a temporary one for this run.
// Files that only compute share a process; every other file has one of its own, and borrows the run's stands.
//
// A file that failed runs once more, alone, at the end. If it passes then, the run passes too, and closes with a block FLAKY. Two such files
// fail the run, because chance is a defect.

const EVERYTHING = ['src/**/*.test.ts', 'tests/**/*.test.ts']

/** The number of simultaneous files: one more than the cores of small machines, because most files wait as long as they compute. */
const AT_ONCE = 3

/** The options of this program. All others go to node:test. */
const OURS = ['--live', '--on-oldest']

/** Most files that run again. If more failed, the change is wrong, not the machine. */
const RETRIED_MAX = 5

/** Most flaky files of a run that passes. */
const FLAKY_MAX = 1

/**
 * The settings of the server. They give up durability for speed. Each database is a copy of a template, and every page of it goes to the log.
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

/** Three times as long as the longest test takes on a busy machine of two cores. Only a test that hangs takes so long. */
const TEST_MS = 300_000

/** The modules of the harness that only compute. */
const COMPUTING =
  'actor|authenticator|build-workbook|checkout-rows|effects|in-both-languages|page-situations|payment-row|payout-row|pictures|property|seed|sheet-formats'

/** The signs of a file that starts, sets or waits for something. */
const APART = new RegExp(
  `newId\\([^)]*,|harness/(?!(?:${COMPUTING})\\.ts)|^(?:before|after)(?:Each)?\\(|process\\.env|\\bmock\\b|listen\\(|sleep|setTimeout|node:(?:http|net|tls|worker_threads|child_process)`,
  'm',
)

/** The folder of Node's compile cache, because every test file loads the same sources. The service uses the same folder. */
const COMPILED = fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url))

/** The folder of a file system in memory, as Debian mounts it. A database of tests is some two thousand files, which a disk makes slowly. */
const MEMORY = '/dev/shm'
/** The least room there, in bytes, with which the temporary files of a run go to memory. */
const MEMORY_BYTES = 6e9

const ARTEFACTS = fileURLToPath(new URL('artefacts', import.meta.url))

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
if (process.env.TMPDIR === undefined && hasRoom(MEMORY)) process.env.TMPDIR = MEMORY
process.exitCode = await run(process.argv.slice(2))

async function run(args: string[]): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'bandama-tests-'))
  // If root runs the tests, the server's account must have access to the folder.
  await chmod(folder, 0o711)
  try {
    const server = await openServer(folder, args.includes('--on-oldest'))
    process.env.TEST_DATABASE_URL = server.url
    const stands = await openStands(folder)
    try {
      return await runTests(args, folder, stands)
    } finally {
      await stands.close()
      await server.stop()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
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

/** Files that run with the same settings. */
type Group = { files: string[]; live: boolean }

async function runTests(args: string[], folder: string, stands: Stands): Promise<number> {
  const began = performance.now()
  const options = args.filter((arg) => arg.startsWith('--') && !OURS.includes(arg))
  const named = args.filter((arg) => !arg.startsWith('--')).map(filesIn)
  const unknown = named.filter((pattern) => globSync(pattern).length === 0)
  if (unknown.length > 0) {
    say(`No test file matches ${unknown.join(' ')}.`)
    return 1
  }
  const groups = groupsOf(named, args.includes('--live'))
  const { length } = groups.flatMap(({ files }) => files)
  if (length >= BUILT_FILES) await buildProgram()
  const reports: FileReport[] = []
  const flaky: FileReport[] = []
  let failed = 0
  let code = 0
  /** Whether a run failed without a word about a file, such as one that was killed. That is never forgiven. */
  let is_unexplained = false
  for (const { files, live } of groups) {
    if (files.length === 0 || told !== null) continue
    const env = {
      NODE_COMPILE_CACHE: COMPILED,
      ...process.env,
      TEST_MODE: live ? 'live' : 'test',
      TEST_STANDS: stands.socket,
      TEST_STARTS: join(folder, 'starts'),
    }
    const how = [...options, ...(live ? skipped() : [])]
    const together = live ? [] : files.filter(onlyComputes)
    const apart = files.filter((file) => !together.includes(file))
    const runs = [
      ...(together.length > 0
        ? [await runNode(['--test-isolation=none', importing('leave-no-trace'), ...how], together, env)]
        : []),
      ...(apart.length > 0
        ? [await runNode([`--test-concurrency=${AT_ONCE}`, importing('end-leaks'), ...how], apart, env)]
        : []),
    ]
    const told_of = runs.flatMap((one) => one.reports)
    const bad = told_of.filter(({ passed }) => !passed)
    reports.push(...told_of)
    failed += bad.length
    code ||= runs.find((one) => one.code !== 0)?.code ?? 0
    is_unexplained ||= runs.some((one) => one.code !== 0 && one.reports.every(({ passed }) => passed))
    if (told !== null || bad.length === 0 || bad.length > RETRIED_MAX || files.length === 1) continue
    for (const report of bad) {
      say(`\n== once more, alone: ${report.file}`)
      // On a service of its own, so that what other files left on a stand does not count.
      const guard = together.includes(report.file)
        ? ['--test-isolation=none', importing('leave-no-trace')]
        : [importing('end-leaks')]
      const again = await runNode([...guard, ...how], [report.file], { ...env, TEST_STANDS: '' })
      await keepOutputs(report, again.reports[0])
      if (again.code === 0) flaky.push(report)
    }
  }
  for (const report of flaky) report.failures = 0
  close(reports, stands, join(folder, 'starts'), performance.now() - began)
  if (flaky.length > 0) sayFlaky(flaky)
  if (told !== null) return 128 + constants.signals[told]
  const isChance = !is_unexplained && failed > 0 && flaky.length === failed && flakyOfTheLanding(flaky) <= FLAKY_MAX
  return isChance ? 0 : code
}

/** Returns the files named, or those of a landing: all in test mode, then those for both modes in live mode. */
function groupsOf(named: string[], live: boolean): Group[] {
  if (named.length > 0) return [{ files: globSync(named).toSorted(), live }]
  const of_test_mode = globSync(EVERYTHING).filter((file) => !isOfTheNight(file))
  // The crash points, the longest, stand last in the list. They begin first, so that none runs alone at the end.
  const of_live_mode = Object.keys(inBothModes).toReversed()
  return [
    { files: live ? [] : of_test_mode.toSorted(), live: false },
    { files: of_live_mode, live: true },
  ]
}

/** Runs files with node:test. Returns its exit code and what it tells of each file. */
async function runNode(
  options: string[],
  files: string[],
  env: NodeJS.ProcessEnv,
): Promise<{ code: number; reports: FileReport[] }> {
  const reported = join(tmpdir(), `bandama-reports-${randomBytes(8).toString('hex')}`)
  child = spawn(
    process.execPath,
    [
      '--test',
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      `--test-reporter=${new URL('harness/run-reporter.ts', import.meta.url).href}`,
      `--test-reporter-destination=${reported}`,
      `--test-timeout=${TEST_MS}`,
      ...options,
      ...files,
    ],
    { stdio: 'inherit', env },
  )
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  const lines = existsSync(reported) ? readFileSync(reported, 'utf8').trim().split('\n') : []
  await rm(reported, { force: true })
  return {
    code: code ?? 128 + constants.signals[signal ?? 'SIGTERM'],
    reports: lines.filter((line) => line !== '').map((line) => JSON.parse(line) as FileReport),
  }
}

function importing(harness: string): string {
  return `--import=${new URL(`harness/${harness}.ts`, import.meta.url).href}`
}

/**
 * Returns whether a file may share its process: it starts nothing, sets nothing and waits for nothing. leave-no-trace.ts fails a test that
 * leaves something behind all the same.
 */
function onlyComputes(file: string): boolean {
  if (!file.startsWith('src/')) return false
  return !APART.test(readFileSync(file, 'utf8'))
}

/** Keeps what a failed file printed, and what it printed when it ran again. */
async function keepOutputs(first: FileReport, second: FileReport | undefined): Promise<void> {
  const folder = join(ARTEFACTS, 'failed')
  await mkdir(folder, { recursive: true })
  const name = join(folder, first.file.replaceAll('/', '-'))
  await writeFile(`${name}.first.txt`, first.output)
  await writeFile(`${name}.second.txt`, second === undefined || second.passed ? 'passed\n' : second.output)
}

/** Adds the flaky files to those of the other stages of a landing, and returns how many there are. */
function flakyOfTheLanding(flaky: FileReport[]): number {
  const path = process.env.FLAKY_FILES
  if (path === undefined) return flaky.length
  appendFileSync(path, flaky.map(({ file }) => `${file}\n`).join(''))
  return readFileSync(path, 'utf8').trim().split('\n').length
}

function sayFlaky(flaky: FileReport[]): void {
  say('\nFLAKY: passed only when run again. Find the cause; both outputs are in tests/artefacts/failed.')
  for (const { file, output } of flaky) {
    for (const [, test] of output.matchAll(/^✖ (.*)$/gm)) say(`  ${file}: ${test}`)
    for (const [seed] of output.matchAll(/^.*\bseed[=: ].*$/gim)) say(`    ${seed.trim()}`)
  }
}

/** Prints the slowest files, the share of starting, and the stands. */
function close(reports: FileReport[], { counts }: Stands, starts: string, milliseconds: number): void {
  if (reports.length < 2) return
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`
  say('\nThe ten slowest files:')
  for (const { file, milliseconds: took } of reports.toSorted((a, b) => b.milliseconds - a.milliseconds).slice(0, 10)) {
    say(`  ${seconds(took).padStart(8)}  ${file}`)
  }
  const started = new Map<string, number>()
  for (const line of existsSync(starts) ? readFileSync(starts, 'utf8').trim().split('\n') : []) {
    const [kind = '', ms] = line.split(' ')
    started.set(kind, (started.get(kind) ?? 0) + Number(ms))
  }
  const whole = reports.reduce((sum, { milliseconds: took }) => sum + took, 0)
  const all = [...started.values()].reduce((sum, ms) => sum + ms, 0)
  const parts = [...started].map(([kind, ms]) => `${kind} ${seconds(ms)}`).join(', ')
  say(`\nStarting: ${((100 * all) / whole).toFixed(0)} % of ${seconds(whole)} of files (${parts}).`)
  say(`Stands: ${counts.started} started, lent ${counts.lent} times, ${counts.broken.length} broken.`)
  for (const { file, broken } of counts.broken) say(`  ${file} broke its stand (${broken}): let it open its own.`)
  const sum = (of: (report: FileReport) => number) => reports.reduce((total, report) => total + of(report), 0)
  const failed = sum(({ failures }) => failures)
  say(`${reports.length} files in ${seconds(milliseconds)}.`)
  say(
    `${sum(({ tests, skipped }) => tests - skipped) - failed} passed, ${failed} failed, ${sum(({ skipped }) => skipped)} skipped`,
  )
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

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
