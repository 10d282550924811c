import assert from 'node:assert/strict'
import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { makePackages } from '../../src/sdk/make-packages.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { addEndpoint } from '../harness/merchant.ts'

const run = promisify(execFile)

let installation: Installation
let folder: string
before(async () => {
  installation = await openInstallation()
  folder = await mkdtemp(join(tmpdir(), 'bandama-python-'))
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const skip = spawnSync('python3', ['-m', 'pip', '--version']).status !== 0 && 'this machine has no pip'

/** Everything that a stranger writes: a server that takes webhooks, a payment, and the same event from the feed. */
const program = `
import json, sys, threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from bandama import Bandama, meta_of, outcome_of
from bandama.webhooks import verify

key, msisdn = json.loads(sys.stdin.readline())
client = Bandama(key)
got = []
came = threading.Event()

class Receive(BaseHTTPRequestHandler):
    def do_POST(self):
        event = verify(self.rfile.read(int(self.headers["Content-Length"])), self.headers, secret)
        self.send_response(204)
        self.end_headers()
        if event["type"] == "payment.succeeded":
            got.append(event)
            came.set()
    def log_message(self, *_):
        pass

server = HTTPServer(("127.0.0.1", 0), Receive)
print(f"http://127.0.0.1:{server.server_port}/webhooks", flush=True)
secret = sys.stdin.readline().strip()
threading.Thread(target=server.serve_forever, daemon=True).start()

order = {"amount": 10000, "counterparty": {"msisdn": msisdn}, "merchant_reference": "CMD-417"}
payment = client.payments.create(order)
again = client.payments.create(order)
last = client.payments.wait(payment["id"])
came.wait()
followed = next(client.events.follow(after="begin", types=["payment.succeeded"]))
print(json.dumps({"mode": client.mode, "same": again["id"] == payment["id"], "attempts": meta_of(payment).attempts,
                  "outcome": outcome_of(last), "webhook": got[0], "event": followed.event, "cursor": followed.cursor}))
server.shutdown()
`

test('a stranger comes from an empty folder to a payment and a verified webhook in Python, with one address and one key', {
  skip,
  timeout: 180_000,
}, async () => {
  const { merchant_id, key } = await installation.newMerchant()
  const { packages } = (await installation.ask({ path: '/sdk' })).json() as {
    packages: { name: string; url: string }[]
  }
  const { url: wheel } = packages.find(({ name }) => name === 'python')!
  await install(wheel)

  await writeFile(join(folder, 'pay.py'), program)
  const child = spawn('python3', ['-B', 'pay.py'], { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  child.stdin.write(`${JSON.stringify([key, newPayer()])}\n`)
  const url = String((await lines.next()).value)
  const { secret_key } = installation
  child.stdin.write(`${await addEndpoint(installation.db.sql, { merchant_id }, { url, secret_key })}\n`)
  const said = JSON.parse(String((await lines.next()).value))
  child.stdin.end()
  assert.deepEqual(await once(child, 'exit'), [0, null])
  assert.deepEqual([said.mode, said.same, said.outcome, said.attempts], ['test', true, 'paid', 1])
  assert.equal(said.webhook.data.merchant_reference, 'CMD-417')
  assert.deepEqual(said.event, said.webhook)
  assert.match(said.cursor, /^[\w-]{24,200}$/)
})

/** Installs a wheel into the folder. No other package, and no other address. */
async function install(wheel: string): Promise<void> {
  const words = ['--quiet', '--no-index', '--no-cache-dir', '--disable-pip-version-check', '--target', folder, wheel]
  await run('python3', ['-m', 'pip', 'install', ...words])
}

test('a brand that begins with a digit has a wheel that pip installs and Python imports', { skip }, async () => {
  const { files, listed } = await makePackages({ origin: 'https://pay.example.ci', brand_name: '2 Rives' })
  const { url, package: module } = listed.find(({ name }) => name === 'python')!
  const { bytes } = files.find(({ name }) => url.endsWith(name))!
  const wheel = join(folder, url.split('/').at(-1)!)
  await writeFile(wheel, bytes)
  await install(wheel)
  const code = `import ${module} as m, ${module}.webhooks, ${module}.types, ${module}.testing; print(m._home.URL, m.__version__)`
  const { stdout } = await run('python3', ['-B', '-c', code], { cwd: folder })
  assert.equal(stdout.trim(), `https://pay.example.ci ${listed[0]!.version}`)
})
