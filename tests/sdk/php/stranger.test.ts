import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { freePort } from '../../harness/free-port.ts'
import { type Installation, newPayer, openInstallation } from '../../harness/installation.ts'
import { addEndpoint } from '../../harness/merchant.ts'
import { waitFor } from '../../harness/wait-for.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.asyncDispose]())

/** The time that a stranger may need, tool and network included. */
const STRANGER_MS = 180_000

/** Everything that a stranger writes: a page that takes webhooks, and a payment with the same event from the feed. */
const page = (load: string) => `<?php
require __DIR__ . '/${load}';

Bandama\\Webhooks::receive(getenv('WEBHOOK_SECRET'), function (stdClass $event) {
    if ($event->type === 'payment.succeeded') {
        file_put_contents(__DIR__ . '/paid.json', json_encode($event));
    }
});
`
const program = (load: string) => `<?php
require __DIR__ . '/${load}';
// A shop may load it twice, as two plug-ins do that each bring the file.
copy(__DIR__ . '/${load}', __DIR__ . '/${load}.php');
require __DIR__ . '/${load}.php';
use Bandama\\{Bandama, Outcome};

$client = new Bandama(['key' => getenv('BANDAMA_KEY')]);
$order = ['amount' => 10000, 'counterparty' => ['msisdn' => $argv[1]], 'merchant_reference' => 'CMD-417'];
$payment = $client->payments->create($order);
$again = $client->payments->create($order);
$last = $client->payments->wait($payment->id);
foreach ($client->events->follow(['after' => 'begin', 'types' => ['payment.succeeded']]) as $cursor => $event) {
    $same = $again->id === $payment->id;
    echo json_encode(['mode' => $client->mode, 'same' => $same, 'outcome' => Outcome::of($last), 'event' => $event, 'cursor' => $cursor]);
    break;
}
`

type Listed = { name: string; url: string; install: string; package: string }

async function run(
  folder: string,
  command: string,
  words: string[],
  env: Record<string, string> = {},
): Promise<string> {
  const child = spawn(command, words, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  let complaint = ''
  child.stdout.setEncoding('utf8').on('data', (text) => (said += text))
  child.stderr.setEncoding('utf8').on('data', (text) => (complaint += text))
  const [code] = await once(child, 'close')
  assert.equal(code, 0, `${command} ${words.join(' ')}: ${said}${complaint}`)
  return said
}

/** Installs as the list says. This service has no TLS, which Composer must be told. */
async function byComposer(folder: string, { install, url, package: name }: Listed): Promise<string> {
  const env = { COMPOSER_ALLOW_SUPERUSER: '1', COMPOSER_HOME: join(folder, '.composer'), COMPOSER_NO_INTERACTION: '1' }
  const composer = { config: { 'secure-http': false }, repositories: [{ 'packagist.org': false }] }
  await writeFile(join(folder, 'composer.json'), JSON.stringify(composer))
  await run(folder, 'sh', ['-c', install], env)
  const { packages } = JSON.parse(await readFile(join(folder, 'composer.lock'), 'utf8'))
  assert.deepEqual([packages[0].name, packages[0].dist.url], [name, url])
  return 'vendor/autoload.php'
}

async function bySingleFile(folder: string, { install }: Listed): Promise<string> {
  await run(folder, 'sh', ['-c', install])
  return 'bandama.php'
}

for (const [name, take] of [
  ['php', byComposer],
  ['php-single', bySingleFile],
] as const) {
  test(`with ${name}, a stranger comes from an empty folder to a payment and a verified webhook`, {
    timeout: STRANGER_MS,
  }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bandama-stranger-'))
    try {
      const began = performance.now()
      const { merchant_id, key } = await installation.newMerchant()
      const { packages } = (await installation.ask({ path: '/sdk' })).json() as { packages: Listed[] }
      const load = await take(folder, packages.find((one) => one.name === name)!)
      const url = `http://127.0.0.1:${await freePort()}`
      const { secret_key } = installation
      const secret = await addEndpoint(installation.db.sql, { merchant_id }, { url: `${url}/webhook.php`, secret_key })
      await writeFile(join(folder, 'webhook.php'), page(load))
      await writeFile(join(folder, 'pay.php'), program(load))
      const env = { ...process.env, WEBHOOK_SECRET: secret }
      const server = spawn('php', ['-S', url.slice(7)], { cwd: folder, env, stdio: 'ignore' })
      try {
        await waitFor(async () => (await fetch(url).catch(() => null)) !== null, { what: 'the server of PHP' })
        const said = JSON.parse(await run(folder, 'php', ['pay.php', newPayer()], { BANDAMA_KEY: key }))
        assert.deepEqual([said.mode, said.same, said.outcome], ['test', true, 'paid'])
        assert.match(said.cursor, /^[\w-]{24,200}$/)
        const paid = () => readFile(join(folder, 'paid.json'), 'utf8').then(JSON.parse, () => null)
        const webhook = await waitFor(paid, { what: 'the webhook' })
        assert.equal(webhook.data.merchant_reference, 'CMD-417')
        assert.deepEqual(said.event, webhook)
      } finally {
        server.kill()
        await once(server, 'close')
      }
      const took = performance.now() - began
      assert.ok(took < STRANGER_MS, `${took} ms`)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
}
