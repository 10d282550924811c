import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { createOperatorHttp } from '../../src/operators/operator-api/operator-http.ts'
import { keeping, openContract } from './contract.ts'
import { contracts } from './contracts.ts'

// The true answer about an order that succeeded, spoiled on its way. Two readers could read it differently, or none could, so it proves nothing.

const led = (by: string) => (text: string) => text.replace('{', `{${by},`)
const stating = (amount: string) => (text: string) =>
  text.replace(/("(?:receive_)?amount":)"?-?[\d.]+"?/g, `$1${amount}`)

const spoiled: [how: string, change: (text: string) => string | Buffer][] = [
  ['of more bytes than any answer has', led(`"pad":"${'x'.repeat(2 * 1024 * 1024)}"`)],
  ['of more levels than any answer has', led(`"deep":${'['.repeat(40)}${']'.repeat(40)}`)],
  ['of more levels than a stack has', led(`"deep":${'['.repeat(20_000)}${']'.repeat(20_000)}`)],
  ['in UTF-16', (text) => Buffer.from(text, 'utf16le')],
  ['with a letter in Latin-1', (text) => Buffer.from(led('"note":"caf\u00e9"')(text), 'latin1')],
  ['in compressed bytes', (text) => gzipSync(text)],
  ['with a control character', led('"note":"\\u0000"')],
  ['with half of a character', led('"note":"\\ud800"')],
  ['with a key twice', led('"note":1,"note":2')],
  ['cut off', (text) => text.slice(0, -1)],
  ['with another answer behind it', (text) => `${text}${text}`],
  ['in a list', (text) => `[${text}]`],
  ['in a text', (text) => JSON.stringify(text)],
  ...['2.5e3', '1e999', '-2500', '2500.5', '"2 500"', '"0x9C4"', '"\uff12500"', '["2500"]', 'null', 'true'].map(
    (amount): [string, (text: string) => string] => [`that states ${amount}`, stating(amount)],
  ),
]

/** Passes calls on to a twin, and spoils its answers about orders as `change` says. */
async function openDoor(twin: string) {
  let change: ((text: string) => string | Buffer) | null = null
  let changed = false
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = await Array.fromAsync(incoming)
    const { host: _, connection: __, ...headers } = incoming.headers
    const method = incoming.method ?? 'GET'
    const body = method === 'GET' ? {} : { body: Buffer.concat(chunks) }
    const answer = await fetch(`${twin}${incoming.url}`, {
      method,
      headers: headers as Record<string, string>,
      ...body,
    })
    const text = await answer.text()
    const told = change === null || /token\/?$/.test(incoming.url ?? '') ? text : change(text)
    changed ||= told !== text
    outgoing.on('error', () => {})
    outgoing.writeHead(answer.status, { 'content-type': 'application/json' }).end(told)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Sets the change of the next answers. `true` is returned later by `hasChanged`, if an answer had what it changes. */
    spoil(next: typeof change) {
      change = next
      changed = false
    },
    hasChanged: () => changed,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

for (const contract of contracts) {
  const { type } = contract.type
  for (const direction of ['collect', 'payout', 'refund'] as const) {
    const [operator] = contract.operators[direction]
    if (operator === undefined) continue

    test(`${type}: a spoiled answer about a ${direction} that succeeded proves nothing, and the true one does`, async () => {
      await using open = await openContract(contract)
      await using door = await openDoor(open.twin.url)
      const { base_url } = open.twin.connectors()[contract.api]!.settings
      const http = createOperatorHttp({ base_url: base_url!.replace(open.twin.url, door.url) })
      const connector = open.withSettings({}, http)
      const order = await open.order(direction, operator)
      open.twin.script({ outcome: 'succeed', after_seconds: 0 })
      const current = keeping(order, await connector.send(order))
      await open.twin.advance(30)
      let changes = 0
      for (const [how, change] of spoiled) {
        door.spoil(change)
        const { kind } = await connector.read(current)
        if (!door.hasChanged()) continue
        changes += 1
        assert.equal(kind, 'unknown', `an answer ${how}`)
      }
      assert.ok(changes >= 13, `${changes} answers were spoiled`)
      door.spoil(null)
      assert.equal((await connector.read(current)).kind, 'settled')
      assert.ok(open.said().length < 20_000, 'the evidence stays small')
      await http.close()
    })
  }
}
