import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../../bin/bandama', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'twin-'))
after(() => rm(folder, { recursive: true }))

/** Starts the command. Returns its first line, and its exit code at the end. */
async function start(words: string[]) {
  const child = spawn(program, ['twin', ...words], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  const end = async (): Promise<number | null> => {
    child.kill('SIGTERM')
    const [code] = (await once(child, 'exit')) as [number | null]
    return code
  }
  return { line, end }
}

test('bandama twin prints its address and the settings that reach it, and keeps its state in the file', async () => {
  const state = join(folder, 'twin.json')
  const { line, end } = await start(['--port', '0', '--state', state, '--json'])
  const { url, phones, steering, connectors } = JSON.parse(line)
  const { base_url, api_token } = connectors.pawapay.settings
  assert.equal((await fetch(phones)).status, 200)
  assert.equal((await fetch(`${steering}/journal`)).status, 200)
  const headers = { Authorization: `Bearer ${api_token}` }
  assert.equal((await fetch(`${base_url}/v2/wallet-balances`, { headers })).status, 200)
  const patch = { method: 'PATCH', body: JSON.stringify({ display_name: 'Chez Awa' }) }
  assert.equal((await fetch(`${url}/_twin/apis/pawapay`, patch)).status, 200)
  assert.equal(await end(), 0)
  assert.match(await readFile(state, 'utf8'), /Chez Awa/)
})

test('with --callbacks the twin knows the callback address of each API', async () => {
  const { line, end } = await start(['--port', '0', '--callbacks', 'http://127.0.0.1:3000', '--json'])
  const { steering } = JSON.parse(line)
  for (const api of ['pawapay', 'wave']) {
    const { callback_url } = (await (await fetch(`${steering}/apis/${api}`)).json()) as { callback_url: string }
    assert.equal(callback_url, `http://127.0.0.1:3000/operators/${api}/callbacks`)
  }
  assert.equal(await end(), 0)
  const none = spawnSync(program, ['twin', '--callbacks', '127.0.0.1:3000'], { encoding: 'utf8' })
  assert.deepEqual([none.status, none.stderr], [2, '--callbacks is an address such as http://127.0.0.1:3000.\n'])
})

test('for a person it prints one block of settings', async () => {
  const { line, end } = await start(['--port', '0'])
  assert.equal(line, "The operators' twin runs. End with Ctrl-C.")
  assert.equal(await end(), 0)
})

test('a port in use and an invalid port are refused in a sentence', async () => {
  const { line, end } = await start(['--port', '0', '--json'])
  const { port } = new URL(JSON.parse(line).url)
  const taken = spawnSync(program, ['twin', '--port', port], { encoding: 'utf8' })
  assert.deepEqual(
    [taken.status, taken.stdout, taken.stderr],
    [1, '', `The twin cannot start on port ${port}: another program listens there.\n`],
  )
  const none = spawnSync(program, ['twin', '--port', 'http'], { encoding: 'utf8' })
  assert.deepEqual([none.status, none.stderr], [2, '--port must be a whole number from 0 to 65535.\n'])
  assert.equal(await end(), 0)
})
