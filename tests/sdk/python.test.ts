import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { cut, openScripted, refusal } from './scripted-server.ts'

const program = `
import pickle, sys, traceback
from bandama import Bandama, BandamaError

def call():
    Bandama(sys.argv[1], url=sys.argv[2], retries=0).payments.create({"amount": 500})

for _ in range(2):
    try:
        call()
    except BandamaError as error:
        error.__notes__ = ["order 417"]
        again = pickle.loads(pickle.dumps(error))
        print(type(again) is BandamaError, str(again) == str(error), vars(again) == vars(error), again.kind)
        print("".join(traceback.TracebackException.from_exception(error, capture_locals=True).format()))
`

test('no variable of a traceback holds the key, and an error with a note passes to another process', {
  skip: spawnSync('python3', ['--version']).status !== 0 && 'python3 is not installed',
}, async () => {
  const key = ['bdm_sk_live', 'abcdef', 'ghijkl'].join('_')
  await using server = await openScripted(refusal(401, 'invalid_api_key'), cut)
  const env = { ...process.env, PYTHONPATH: fileURLToPath(new URL('../../sdk/python', import.meta.url)) }
  const python = spawn('python3', ['-B', '-c', program, key, server.url], { env })
  let said = ''
  for (const output of [python.stdout, python.stderr]) output.setEncoding('utf8').on('data', (text) => (said += text))
  assert.deepEqual(await once(python, 'close'), [0, null], said)
  assert.equal(server.got[1]!.authorization, `Bearer ${key}`)
  assert.match(said, /^True True True refused$/m)
  assert.match(said, /^True True True no_answer$/m)
  // The variables are shown: the body is among them.
  assert.match(said, /'amount': 500/)
  assert.ok(!said.includes(key), said)
})
