import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { machineMilliseconds } from '../../src/platform/clock.ts'
import { Secret } from '../../src/values/secret.ts'
import { signatureHeader } from '../../src/webhooks/delivery/sign.ts'

// The recipes of docs/samples, which merchants paste, must accept our signatures and no others.

const secret = 'whsec_example'
const body = '{"id":"evt_1","data":{"status":"succeeded","note":"déjà payé"}}'
const now = Math.floor(machineMilliseconds() / 1000)

const signed = signatureHeader(new Secret(secret), now, body)
const cases: { name: string; body: string; signature: string; accepted: boolean }[] = [
  { name: 'what we signed', body, signature: signed, accepted: true },
  { name: 'another body', body: `${body} `, signature: signed, accepted: false },
  {
    name: 'another secret',
    body,
    signature: signatureHeader(new Secret('whsec_other'), now, body),
    accepted: false,
  },
  {
    name: 'an old signature',
    body,
    signature: signatureHeader(new Secret(secret), now - 400, body),
    accepted: false,
  },
  { name: 'no signature', body, signature: '', accepted: false },
]

const recipe = (file: string) => readFile(new URL(`../../docs/samples/${file}`, import.meta.url), 'utf8')

test('the recipe for Node accepts what we sign and nothing else', async () => {
  const { readEvent } = (await import(
    `data:text/javascript,${encodeURIComponent(await recipe('javascript/verify.js'))}`
  )) as {
    readEvent(body: Buffer, signature: string, secret: string): { id: string } | null
  }
  for (const { name, body, signature, accepted } of cases) {
    assert.equal(readEvent(Buffer.from(body), signature, secret)?.id ?? null, accepted ? 'evt_1' : null, name)
  }
})

test('the recipe for Python accepts what we sign and nothing else', async (t) => {
  const questions = JSON.stringify(cases.map(({ body, signature }) => ({ body, signature })))
  const program = `${await recipe('python/verify.py')}
import sys
for asked in json.load(sys.stdin):
    event = read_event(asked["body"].encode(), asked["signature"], "${secret}")
    print(event["id"] if event else "None")
`
  const { status, stdout, stderr, error } = spawnSync('python3', ['-c', program], {
    input: questions,
    encoding: 'utf8',
  })
  if (error !== undefined) return t.skip('this machine has no python3')
  assert.equal(status, 0, stderr)
  assert.deepEqual(
    stdout.trim().split('\n'),
    cases.map(({ accepted }) => (accepted ? 'evt_1' : 'None')),
  )
})
