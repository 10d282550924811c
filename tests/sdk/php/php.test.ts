import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { glob, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../harness/free-port.ts'
import { waitFor } from '../../harness/wait-for.ts'
import { json, openScripted, refusal } from '../scripted-server.ts'
import { key, openPhp } from './open-php.ts'

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const secret = 'whsec_0123456789'
const event = { id: 'evt_1', object: 'event', type: 'payment.succeeded', data: { reference: 'Abobo à « 4 »' } }

/** Signs as the documentation says, by another implementation than that of PHP. */
function signature(body: string, at = Math.floor(Date.now() / 1_000), by = secret): string {
  return `t=${at},v1=${createHmac('sha256', by).update(`${at}.${body}`).digest('hex')}`
}

test('a webhook is verified on its bytes, with either of two secrets, and what is not proven has a reason', async () => {
  await using php = openPhp()
  const body = JSON.stringify(event)
  const now = Math.floor(Date.now() / 1_000)
  const verify = async (text: unknown, headers: object, secrets: unknown = secret, tolerance: unknown = null) => {
    const { ok, error } = await php.ask('webhooks.verify', [text, headers, secrets, tolerance])
    if (error !== undefined) assert.match(error.message, /^[A-Z].*\.$/)
    return ok ?? error!.reason ?? error!.kind
  }
  for (const name of ['Service-Signature', 'legacy-signature', 'Banque-Test-Signature'])
    assert.deepEqual(await verify(body, { [name]: signature(body) }), event)
  const two = { 'Service-Signature': signature(body, now, 'new'), 'Service-Signature-Previous': [signature(body)] }
  assert.deepEqual(await verify(body, two), event)
  assert.deepEqual(await verify(body, two, ['new', 'other']), event)
  const given = (text: string) => ({ 'Service-Signature': text })
  assert.equal(await verify(body, {}), 'no_signature')
  assert.equal(await verify(body, given('v1=nonsense')), 'no_signature')
  assert.equal(await verify(body, given(`${signature(body)}\n`)), 'no_signature')
  assert.equal(await verify(`${body} `, given(signature(body))), 'wrong_signature')
  assert.equal(await verify(body, given(signature(body)), 'whsec_of another'), 'wrong_signature')
  assert.equal(await verify('x'.repeat(1_000_001), given(signature(body))), 'wrong_signature')
  for (const hour of [-3_600, 3_600]) assert.equal(await verify(body, given(signature(body, now + hour))), 'wrong_time')
  assert.deepEqual(await verify(body, given(signature(body, now - 3_600)), secret, 4_000), event)
  assert.equal(await verify(event, given(signature(body))), 'body_parsed')
  for (const none of ['', [], ['', secret], null, false]) assert.equal(await verify(body, two, none), 'usage')
})

test('a page of plain PHP answers 204, 400 with a reason, and 500 when its own work fails', async () => {
  const port = await freePort()
  const env = { ...process.env, WEBHOOK_SECRET: secret }
  const settings = ['log_errors=1', 'display_errors=1', 'output_buffering=0'].flatMap((one) => ['-d', one])
  const server = spawn('php', [...settings, '-S', `127.0.0.1:${port}`, here('receive.php')], { env })
  let said = ''
  for (const output of [server.stdout, server.stderr]) output.setEncoding('utf8').on('data', (text) => (said += text))
  try {
    await waitFor(() => /started/.test(said), { what: 'the server of PHP' })
    const send = async (body: string, headers: Record<string, string>, path = '/webhooks') => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body, headers })
      return [answer.status, await answer.text()] as const
    }
    const body = JSON.stringify(event)
    assert.deepEqual(await send(body, { 'Service-Signature': signature(body) }), [204, ''])
    await waitFor(() => /^got evt_1$/m.test(said), { what: 'the event' })
    const [refused, reason] = await send(`${body} `, { 'Service-Signature': signature(body) })
    assert.equal(refused, 400)
    assert.match(reason, /^The signature does not match: check/)
    const failed = JSON.stringify({ ...event, type: 'payment.failed' })
    assert.deepEqual(await send(failed, { 'Banque-Signature': signature(failed) }), [500, ''])
    await waitFor(() => /RuntimeException: my own fault in .*receive\.php/.test(said), { what: 'the error log' })
    // PHP itself would answer each of these with 200, and the service would never send the event again.
    for (const type of ['exits', 'fatal', 'prints']) {
      const ends = JSON.stringify({ ...event, type })
      assert.equal((await send(ends, { 'Banque-Signature': signature(ends) }))[0], 500, type)
    }
    assert.equal((await send(body, { 'Banque-Signature': signature(body) }, '/no-secret'))[0], 500)
    assert.ok(!said.includes(secret))
  } finally {
    server.kill()
    await once(server, 'close')
  }
})

test('no dump of a client, a result or an error shows the key, and a callback that fails changes nothing', async () => {
  await using server = await openScripted(
    json(201, { id: 'txn_1', object: 'payment' }),
    refusal(401, 'invalid_api_key'),
  )
  const php = spawn('php', [here('dumps.php'), server.url, key])
  let said = ''
  for (const output of [php.stdout, php.stderr]) output.setEncoding('utf8').on('data', (text) => (said += text))
  assert.deepEqual(await once(php, 'close'), [0, null], said)
  assert.equal(server.got[0]!.authorization, `Bearer ${key}`)
  // PHP itself shows the first fifteen characters of an argument, which are those of every key.
  assert.ok(!said.includes(key.slice(12)), said)
  assert.match(said, /RuntimeException: mine/)
  assert.match(said, /"attempt":1,"status":201,"code":null,"request_id":"req-1","milliseconds":\d+/)
  assert.match(said, /A client holds a key and is not stored/)
  assert.match(said, /copy \["id","object"\] calls 2\n$/)
})

test('the handlers of Laravel, Symfony and PSR-7 answer on requests of the frameworks', () => {
  const { stdout, stderr } = spawnSync('php', [here('frameworks.php')], { encoding: 'utf8' })
  const each = (name: string) =>
    `told mine\n${name} 204 400 500 The signature does not match: ch\nThe signing secret is empty: set the whsec_… that the console showed with your endpoint.\n`
  assert.deepEqual([stdout, stderr], [`${['Symfony', 'Laravel', 'PSR-7'].map(each).join('')}body_used\ntrue3\n`, ''])
})

/** Names what PHP 7.4 does not know in each of these sources. */
function newer(sources: string[]): string[] {
  const input = JSON.stringify(sources)
  const { stdout, stderr, status } = spawnSync('php', [here('newer-syntax.php')], { input, encoding: 'utf8' })
  assert.deepEqual([stderr, status], ['', 0])
  return JSON.parse(stdout)
}

test('the package has no syntax and no function that PHP 7.4 does not know', async () => {
  const folder = fileURLToPath(new URL('../../../sdk/php/', import.meta.url))
  const files = await Array.fromAsync(glob('**/*.php', { cwd: folder }))
  assert.ok(files.length > 15)
  const ours = newer(await Promise.all(files.map((file) => readFile(folder + file, 'utf8'))))
  for (const [index, file] of files.entries()) assert.equal(ours[index], '', file)
  const unknown = [
    ...['$a?->b();', '$a = match (1) { 1 => 2 };', 'enum A {}', 'f(a: 1);', 'f(...);', '$a = $b ?? throw new E();'],
    ...[
      'function f(int|string $a) {}',
      'function f(): int|null {}',
      'function f(): static {}',
      'function f(mixed $a) {}',
    ],
    ...['function f($a,) {}', 'class A { function __construct(private $a) {} }', 'try {} catch (E) {}', '$a::class;'],
    ...[
      'str_contains($a, $b);',
      'class A { const string B = ""; }',
      'class A { private readonly int $a; }',
      'f(#[A] $a);',
    ],
  ]
  const named = newer(unknown.map((code) => `<?php\n${code}\n`))
  for (const [index, code] of unknown.entries()) assert.notEqual(named[index], '', code)
})
