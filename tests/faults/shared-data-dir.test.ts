import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { installOn } from '../harness/installation.ts'
import { waitFor } from '../harness/wait-for.ts'
import { emptyDataDir } from './data-dir.ts'

const project = fileURLToPath(new URL('../..', import.meta.url))

test('of two services that start at once on one folder, one serves and the other says so and ends', async () => {
  await using folder = await emptyDataDir()
  const installation = await installOn(null, { DATA_DIR: folder.path })
  const started = await Promise.allSettled([installation.start(), installation.start({ env: { PORT: '0' } })])
  const serving = started.filter((outcome) => outcome.status === 'fulfilled').map(({ value }) => value)
  const refused = started.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => String(reason))
  await using _all = disposeOf(serving)
  assert.deepEqual([serving.length, refused.length], [1, 1])
  assert.match(refused[0]!, new RegExp(`Another Bandama \\(process ${serving[0]!.pid}\\) already serves .*data`))
  await isReady(serving[0]!.address)
  await serving[0]!.stop()
})

test('a service killed at once, during its start or while it serves never prevents the next start', async () => {
  await using folder = await emptyDataDir()
  const installation = await installOn(null, { DATA_DIR: folder.path })
  for (const wait_ms of [50, 400, 900]) {
    const starting = serve({ DATA_DIR: folder.path })
    await Promise.race([once(starting, 'exit'), new Promise((resolve) => setTimeout(resolve, wait_ms))])
    starting.kill('SIGKILL')
    if (starting.exitCode === null && starting.signalCode === null) await once(starting, 'exit')
  }
  const first = await installation.start()
  await using _first = first
  await isReady(first.address)
  assert.deepEqual(await first.kill('SIGKILL'), { code: null, signal: 'SIGKILL' })
  await using next = await installation.start()
  await isReady(next.address)
  await next.stop()
  await databaseIsGone(folder.path)
})

test('a signal to npm start reaches the service, which stops in order and its database last', async () => {
  await using folder = await emptyDataDir()
  const npm = spawn('npm', ['start'], {
    cwd: project,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, DATA_DIR: folder.path, DATABASE_URL: '', PORT: '0', METRICS_PORT: '0', DEMO: 'off' },
  })
  let said = ''
  let ended = false
  npm.once('close', () => {
    ended = true
  })
  npm.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  try {
    await waitFor(() => said.includes('"msg":"ready"'), { deadline_ms: 60_000, what: 'npm start to be ready' })
    npm.kill('SIGTERM')
    // npm tells how it was ended and not how the service was, which its log says.
    await waitFor(() => ended, { what: 'the end of npm start' })
    assert.match(said, /"msg":"stopped"/)
    await databaseIsGone(folder.path)
  } finally {
    const pid = /"pid":(\d+)/.exec(said)?.[1]
    if (!ended && pid !== undefined) process.kill(Number(pid), 'SIGKILL')
    if (!ended) npm.kill('SIGKILL')
  }
})

function serve(env: Record<string, string>) {
  const { PATH = '', HOME = '' } = process.env
  return spawn(join(project, 'bin', 'bandama'), ['serve'], {
    stdio: 'ignore',
    env: { PATH, HOME, PORT: '0', METRICS_PORT: '0', DEMO: 'off', ...env },
  })
}

async function isReady(address: string): Promise<void> {
  assert.equal((await fetch(`${address}/readyz`)).status, 200)
}

/** PostgreSQL removes its note when it has ended in order. */
async function databaseIsGone(dataDir: string): Promise<void> {
  const note = join(dataDir, 'postgres', 'cluster', 'postmaster.pid')
  await waitFor(
    () =>
      readFile(note).then(
        () => false,
        () => true,
      ),
    { what: 'the end of the database' },
  )
}

function disposeOf(all: readonly AsyncDisposable[]): AsyncDisposable {
  return {
    async [Symbol.asyncDispose]() {
      await Promise.all(all.map((one) => one[Symbol.asyncDispose]()))
    },
  }
}
