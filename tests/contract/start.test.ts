import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { openTestDatabase } from '../harness/database.ts'
import { freePort } from '../harness/free-port.ts'
import { program } from '../harness/program.ts'
import { type Service, startService } from '../harness/start-service.ts'
import { waitFor } from '../harness/wait-for.ts'
import { refused } from './commands.ts'

// The service as a newcomer starts it: on its embedded database, in its own folder, with its demo merchant.

const execute = promisify(execFile)

let folder: string
let service: Service
let env: Record<string, string>

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bandama-start-'))
  // If root runs this, the database's account must have access to the folder.
  await chmod(folder, 0o711)
  const [port, metrics_port] = [await freePort(), await freePort()]
  env = { DATA_DIR: join(folder, 'data'), DEMO: 'on', PORT: String(port), METRICS_PORT: String(metrics_port) }
  service = await startService({ url: null, env })
})
after(async () => {
  await service.stop()
  await assert.rejects(readFile(join(folder, 'data', 'service.json')), { code: 'ENOENT' })
  await rm(folder, { recursive: true, force: true })
})

/** Runs a command for a person who knows only the folder of the service. */
function bandama(words: string[], more: Record<string, string> = {}): Promise<{ stdout: string; stderr: string }> {
  const { PATH, HOME } = process.env
  const settings = { DATA_DIR: join(folder, 'data'), SECRET_KEY: service.secret_key, ...more }
  return execute(program, words, { env: { PATH, HOME, ...settings }, timeout: 60_000 })
}

test('a second start prints the address of the first and the place of the keys, and does not disturb it', async () => {
  const message = new RegExp(
    `^Another Bandama \\(process ${service.pid}\\) already serves .*data, on ${service.address}\\n` +
      ` +Reference +${service.address}/docs\\n +Keys +.*demo\\.json\\n +Webhooks +bin/bandama listen`,
  )
  await refused(bandama(['serve'], env), message)
  await refused(bandama(['serve'], { ...env, PORT: '0', METRICS_PORT: '0' }), message)
  assert.equal((await fetch(`${service.address}/readyz`)).status, 200)
})

test('commands print the address of the running service, not that of their own PORT', async () => {
  const words = ['link', 'create', '--merchant', '1', '--mode', 'test', '--amount', '5000', '--json']
  const { url } = JSON.parse((await bandama(words)).stdout) as { url: string }
  assert.ok(url.startsWith(`${service.address}/link/`), url)
  assert.equal((await fetch(url)).status, 200)
  const elsewhere = JSON.parse((await bandama(words, { PUBLIC_URL: 'https://pay.example' })).stdout) as { url: string }
  assert.ok(elsewhere.url.startsWith('https://pay.example/link/'))
})

test('colliding ports are refused with the setting to change, before a database is made', async () => {
  const DATA_DIR = join(folder, 'other')
  const free = String(await freePort())
  const cases: [Record<string, string>, RegExp][] = [
    [
      { PORT: env.PORT!, METRICS_PORT: free },
      /^PORT: another program listens on port \d+ of 127\.0\.0\.1\. Set PORT to/,
    ],
    [{ PORT: free, METRICS_PORT: env.METRICS_PORT! }, /^METRICS_PORT: another program listens on port \d+/],
    [{ PORT: free, METRICS_PORT: free }, /^PORT and METRICS_PORT are both \d+\. Set one of them to another port\.\n$/],
    [
      { PORT: free, METRICS_PORT: '0', HOST: '192.0.2.1' },
      /^PORT: cannot listen on port \d+ of 192\.0\.2\.1: .* Change PORT or HOST/,
    ],
  ]
  for (const [ports, message] of cases) await refused(bandama(['serve'], { DATA_DIR, ...ports }), message)
  await assert.rejects(readFile(join(DATA_DIR, 'secret.key')), { code: 'ENOENT' })
})

test('a command in a folder without a database is refused, and makes none', async () => {
  const DATA_DIR = join(folder, 'mistyped')
  const stop = bandama(['payouts', 'stop', '--all'], { DATA_DIR })
  await refused(stop, /^There is no database in DATA_DIR \(.*mistyped\)\. Set DATABASE_URL, or DATA_DIR/)
  await assert.rejects(stat(DATA_DIR), { code: 'ENOENT' })
})

test('a later start says where the reference and the keys are, and how a person of the demo gets a new link', async () => {
  const DATA_DIR = join(folder, 'again')
  const settings = {
    DATA_DIR,
    DEMO: 'on',
    PORT: String(await freePort()),
    METRICS_PORT: '0',
    SECRET_KEY: service.secret_key,
  }
  const first = await startService({ url: null, env: settings })
  await waitFor(() => first.output().includes('asks a\npayer who declines.'), { what: 'the welcome' })
  await first.stop()
  const demo = JSON.parse(await readFile(join(DATA_DIR, 'demo.json'), 'utf8')) as { people: Record<string, string> }
  for (const name of ['finance', 'finance-2', 'administrator', 'administrator-2']) {
    assert.ok(first.output().includes(demo.people[name]!), `the link of ${name}`)
  }
  await using again = await startService({ url: null, env: settings })
  const said = await waitFor(() => again.output().includes('person reset') && again.output(), { what: 'where to look' })
  assert.ok(said.includes(`Reference          ${again.address}/docs\n`))
  assert.ok(said.includes(`Keys and secrets   ${join(DATA_DIR, 'demo.json')}\n`))
  assert.ok(!said.includes('bdm_sk_test_'), 'keys are printed once')
  const json = async (...words: string[]) => JSON.parse((await bandama([...words, '--json'], { DATA_DIR })).stdout)
  for (const [words, email] of [
    [['--merchant', '1'], 'owner@demo.example'],
    [[], 'finance-2@demo.example'],
  ] as const) {
    const { persons } = (await json('person', 'list', ...words)) as { persons: { person_id: string; email: string }[] }
    const { person_id } = persons.find((person) => person.email === email)!
    const { link } = (await json('person', 'reset', '--id', person_id)) as { link: string }
    assert.equal((await fetch(link)).status, 200, link)
  }
  await again.stop()
})

test('the note of a killed service prevents no start', async () => {
  const DATA_DIR = join(folder, 'killed')
  const PORT = String(await freePort())
  const settings = { DATA_DIR, PORT, METRICS_PORT: '0', SECRET_KEY: service.secret_key }
  const first = await startService({ url: null, env: settings })
  await first.kill('SIGKILL')
  const left = JSON.parse(await readFile(join(DATA_DIR, 'service.json'), 'utf8')) as { pid: number }
  assert.equal(left.pid, first.pid)
  // As if its process id belonged to another program by now.
  await writeFile(join(DATA_DIR, 'service.json'), JSON.stringify({ address: first.address, pid: process.pid }))
  await using second = await startService({ url: null, env: settings })
  assert.equal(second.address, first.address)
  await second.stop()
})

test('another SECRET_KEY than that of the database’s connectors is refused by the service and by every command', async () => {
  await using db = await openTestDatabase()
  const first = await startService({ url: db.url })
  const { PATH, HOME } = process.env
  const settings = { PATH, HOME, DATABASE_URL: db.url, DEMO: 'off' }
  const audit = (SECRET_KEY: string) =>
    execute(program, ['audit'], { env: { ...settings, SECRET_KEY }, timeout: 60_000 })
  const other = 'another-key-of-36-random-characters-0'
  const message =
    /^SECRET_KEY \(without it, the file secret\.key in DATA_DIR\) is not the key that this database was used with\. Set that key again: .* docs\/deploy\.md\.\n$/
  // Without a connector no real money moves.
  const second = await startService({ url: db.url, env: { SECRET_KEY: other } })
  assert.match(second.output(), /"level":"warn".*secret key: not the one this database was used with/)
  await second.stop()
  await audit(first.secret_key)
  const contract = join(folder, 'contract.json')
  await writeFile(contract, JSON.stringify({ base_url: 'http://127.0.0.1:1/pawapay', api_token: 'token-of-a-twin' }))
  const words = ['connector', 'set', '--name', 'main', '--type', 'pawapay', '--mode', 'live', '--settings', contract]
  await execute(program, words, { env: { ...settings, SECRET_KEY: first.secret_key }, timeout: 60_000 })

  await refused(audit(other), message)
  await assert.rejects(startService({ url: db.url, env: { SECRET_KEY: other } }), /is not the key that this database/)
  await audit(first.secret_key)
  await first.stop()
  // A lost key: the page about the server of your own tells the staff to do this.
  await db.sql`delete from secret_key_check`
  await audit(other)
  await refused(audit(first.secret_key), message)
})

test('a command that the full disk of the database refuses says so, and what to do', async () => {
  await using db = await openTestDatabase()
  await db.sql.unsafe(`
    create function refuse_for_space() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
    create trigger full_disk before insert on merchants for each row execute function refuse_for_space()`)
  const more = { DATABASE_URL: db.url }
  await refused(
    bandama(['merchant', 'create', '--name', 'Awa'], more),
    /^The database's disk is full, so this was not written\. Free space or enlarge the disk, then run the command again\.\n$/,
  )
})

test('a stop of payouts tells its person what waits, and how it is resumed', async () => {
  await using db = await openTestDatabase()
  const { stdout, stderr } = await bandama(['payouts', 'stop', '--all'], { DATABASE_URL: db.url })
  assert.equal(stdout, 'stopped:\n  scope: all\n')
  assert.equal(
    stderr,
    'Payouts and refunds that no operator has yet now wait. Two people resume them: bandama payouts resume.\n',
  )
})

test('listen prints each event, as one object a line with --json, and a sentence if its port is taken', async () => {
  const { PATH, HOME } = process.env
  const listening = spawn(program, ['listen', '--json'], {
    env: { PATH, HOME, ...env, SECRET_KEY: service.secret_key },
  })
  const ended = once(listening, 'exit')
  try {
    const demo = JSON.parse(await readFile(join(folder, 'data', 'demo.json'), 'utf8'))
    const headers = {
      authorization: `Bearer ${demo.keys.collect_test}`,
      'content-type': 'application/json',
      'idempotency-key': 'one-payment',
    }
    const body = JSON.stringify({ amount: 100, counterparty: { msisdn: '0700000000' } })
    assert.equal((await fetch(`${service.address}/v1-payments`, { method: 'POST', headers, body })).status, 201)
    for await (const line of createInterface(listening.stdout)) {
      const shown = JSON.parse(line) as { signed: boolean; event: { type: string } }
      assert.equal(shown.signed, true)
      if (shown.event.type === 'payment.succeeded') break
    }
    await refused(
      bandama(['listen']),
      /^Cannot listen on .*\/webhooks, where the demo merchant's webhooks go: another program listens there\.\n$/,
    )
  } finally {
    listening.kill('SIGTERM')
    await ended
  }
  assert.deepEqual(await ended, [0, null])
})

test('on a real server a start without PUBLIC_URL warns, and one with it does not', async () => {
  await using db = await openTestDatabase()
  for (const PUBLIC_URL of ['', 'https://pay.example']) {
    await using started = await startService({ url: db.url, env: { PUBLIC_URL, SECRET_KEY: service.secret_key } })
    assert.equal(/"level":"warn".*PUBLIC_URL is not set/.test(started.output()), PUBLIC_URL === '')
    await started.stop()
  }
})

test('a service on a machine whose clock is ten minutes fast says so in its log', async () => {
  await using db = await openTestDatabase()
  const NODE_OPTIONS = '--import=data:text/javascript,const{now}=Date;Date.now=()=>now()+600000'
  await using fast = await startService({ url: db.url, env: { NODE_OPTIONS } })
  assert.equal(
    fast.output().match(/"level":"warn".*"seconds":(?:599|600|601),"msg":"clock: not the database's/g)?.length,
    1,
  )
  await fast.stop()
})

test('the demo merchant’s webhooks go to another port than the metrics', async () => {
  const DATA_DIR = join(folder, 'beside')
  const PORT = await freePort()
  const settings = { DATA_DIR, PORT: String(PORT), METRICS_PORT: String(PORT + 1), DEMO: 'on' }
  await using started = await startService({ url: null, env: settings })
  const { endpoint } = JSON.parse(await readFile(join(DATA_DIR, 'demo.json'), 'utf8'))
  assert.equal(endpoint.url, `http://127.0.0.1:${PORT + 2}/webhooks`)
  await started.stop()
})
