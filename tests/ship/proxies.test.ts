import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTestDatabase } from '../harness/database.ts'
import { freePort } from '../harness/free-port.ts'
import { SETTINGS } from '../harness/installation.ts'
import { newMerchant } from '../harness/merchant.ts'
import { startService } from '../harness/start-service.ts'
import { waitFor } from '../harness/wait-for.ts'

// The three configurations of deploy/, with other ports and without TLS: one suite for all.

/** The client's address: the proxies call from 127.0.0.1, which alone is trusted. */
const CLIENT = '127.0.0.5'

type Filled = { port: number; plain: number; apis: readonly [number, number]; folder: string }
type Proxy = {
  /** Processes of the API that it needs so that a restart refuses nothing. */
  apis: 1 | 2
  /** Debian's Caddy 2.6 answers 502 in the moment of a restart. */
  refusesInRestart?: true
  file: string
  fill(text: string, filled: Filled): string
  command(file: string, folder: string): readonly string[]
  /** Its log of requests. Null: it keeps none. */
  log: ((filled: Filled) => string) | 'output' | null
  /** It answers on the plain port too. */
  redirects?: true
}

const proxies: Readonly<Record<string, Proxy>> = {
  caddy: {
    apis: 1,
    refusesInRestart: true,
    file: 'Caddyfile',
    fill: (text, { port, apis }) =>
      `${text.replace('{\n', '{\n\tadmin off\n').replace('pay.example.com {', `http://127.0.0.1:${port} {`)}`.replace(
        '{$UPSTREAM:127.0.0.1:3000}',
        `127.0.0.1:${apis[0]}`,
      ),
    command: (file) => ['caddy', 'run', '--adapter', 'caddyfile', '--config', file],
    log: null,
  },
  nginx: {
    apis: 2,
    file: 'nginx.conf',
    fill: (text, { port, plain, apis, folder }) => {
      const ours = text
        .replace('listen 80', `listen 127.0.0.1:${plain}`)
        .replace('listen 443 ssl', `listen 127.0.0.1:${port}`)
        .replace(/ {4}ssl_.*\n/g, '')
        .replace('127.0.0.1:3000', `127.0.0.1:${apis[0]}`)
        .replace('# server 127.0.0.1:3001', `server 127.0.0.1:${apis[1]}`)
        .replaceAll('/var/log/nginx', folder)
      // Debian's nginx.conf has logs of its own around ours.
      const stock = `access_log ${folder}/stock.log;\nerror_log ${folder}/stock-error.log;\n`
      return `daemon off;\nmaster_process off;\npid ${folder}/pid;\nevents {}\nhttp {\n${stock}${ours}}\n`
    },
    command: (file, folder) => ['nginx', '-p', folder, '-e', `${folder}/start.log`, '-c', file],
    log: ({ folder }) => join(folder, 'bandama.log'),
    redirects: true,
  },
  haproxy: {
    apis: 1,
    file: 'haproxy.cfg',
    fill: (text, { port, apis }) =>
      text
        .replace(/ {4}bind :443.*\n/, '')
        .replace(/ {4}http-request redirect.*\n/, '')
        .replace('bind :80', `bind 127.0.0.1:${port}`)
        .replace('127.0.0.1:3000', `127.0.0.1:${apis[0]}`),
    command: (file) => ['haproxy', '-db', '-f', file],
    log: 'output',
  },
}

type Asked = { method?: string; headers?: Record<string, string>; body?: string }

/** Asks through the proxy, on a new connection from another address. */
async function through(port: number, path: string, { method = 'GET', headers = {}, body }: Asked = {}) {
  const asked = request({ host: '127.0.0.1', port, path, method, headers, localAddress: CLIENT, agent: false })
  asked.end(body)
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  answer.resume()
  await once(answer, 'end')
  return answer
}

for (const [name, { apis, refusesInRestart = false, file, fill, command, log, redirects }] of Object.entries(proxies)) {
  const isHere = spawnSync(name, ['-v']).error === undefined
  test(`${name} tells the client's address, passes one HSTS on, keeps secrets from its log, and refuses nothing in a restart`, {
    skip: !isHere && `${name} is not installed`,
  }, async () => {
    const folder = await mkdtemp(join(tmpdir(), `bandama-${name}-`))
    await using db = await openTestDatabase()
    const [port, plain] = [await freePort(), await freePort()]
    const filled: Filled = { port, plain, apis: [await freePort(), await freePort()], folder }
    const env = {
      ...SETTINGS,
      TRUST_PROXY: '127.0.0.1/32',
      PUBLIC_URL: 'https://pay.example.com',
      SECRET_KEY: randomBytes(32).toString('base64url'),
    }
    const startApi = (at: number) =>
      startService({ url: db.url, args: ['--only', 'api'], env: { ...env, PORT: String(filled.apis[at]) } })
    const running = await Promise.all(Array.from({ length: apis }, (_, at) => startApi(at)))
    const { key } = await newMerchant(db.sql)

    const config = join(folder, file)
    await writeFile(config, fill(await readFile(new URL(`../../deploy/${file}`, import.meta.url), 'utf8'), filled))
    const [program, ...words] = command(config, folder) as [string, ...string[]]
    const proxy = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, HOME: folder } })
    let output = ''
    for (const stream of [proxy.stdout, proxy.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
    try {
      const isReady = async () =>
        (await through(filled.port, '/readyz').catch(() => null))?.statusCode === 200 || proxy.exitCode !== null
      await waitFor(isReady, { what: name })
      assert.equal(proxy.exitCode, null, output)

      // An address that the client writes itself is not believed.
      const pay = (more: Record<string, string> = {}) =>
        through(filled.port, '/v1-payments', {
          method: 'POST',
          headers: {
            authorization: `Bearer ${key}`,
            'content-type': 'application/json',
            'idempotency-key': randomUUID(),
            ...more,
          },
          body: JSON.stringify({ amount: 500, currency: 'XOF', msisdn: '+2250700000000' }),
        })
      assert.equal((await pay({ 'x-forwarded-for': '203.0.113.9' })).statusCode, 201)
      await waitFor(async () => (await db.sql`select from request_log`).length > 0, { what: 'the log of requests' })
      const seen = await db.sql<{ address: string }[]>`select distinct host(address) as address from request_log`
      assert.deepEqual(seen, [{ address: CLIENT }])

      const secret = `cs_${randomBytes(16).toString('hex')}`
      const page = await through(filled.port, `/pay/${secret}`)
      const strict = page.rawHeaders.filter((header) => header.toLowerCase() === 'strict-transport-security')
      assert.equal(strict.length, 1, String(page.statusCode))
      if (redirects) assert.equal((await through(plain, `/pay/${secret}`)).statusCode, 308)

      // Each process in turn stops in order and comes back while requests go on.
      const answered: (number | string | undefined)[] = []
      let over = false
      const calls = Array.from({ length: 4 }, async () => {
        while (!over) {
          // Its line about an upstream that fails names the path.
          await through(filled.port, `/pay/${secret}`).catch(() => null)
          answered.push(
            await pay().then(
              ({ statusCode }) => statusCode,
              (error: Error) => error.message,
            ),
          )
        }
      })
      for (const [at, before] of running.entries()) {
        await before.stop()
        running[at] = await startApi(at)
        const { length } = answered
        await waitFor(() => answered.length > length + 20, { what: 'requests after the restart' })
      }
      over = true
      await Promise.all(calls)
      assert.deepEqual(
        answered.filter((status) => status !== 201 && !(refusesInRestart && status === 502)),
        [],
        `of ${answered.length}`,
      )

      const written = typeof log === 'function' ? await readFile(log(filled), 'utf8') : output
      const logs = (await readdir(folder)).filter((path) => path.endsWith('.log'))
      const kept = await Promise.all(logs.map((path) => readFile(join(folder, path), 'utf8')))
      assert.ok(!(kept.join('') + output).includes(secret), 'the secret stands in a log')
      if (log !== null) assert.match(written, /\/v1-payments/)
    } finally {
      proxy.kill('SIGTERM')
      await Promise.all(running.map((one) => one[Symbol.asyncDispose]()))
      await rm(folder, { recursive: true, force: true })
    }
  })
}
