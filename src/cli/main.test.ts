import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../bin/bandama', import.meta.url))

// Nobody listens on port 1, and only root could.
const env = {
  PATH: process.env.PATH,
  DATABASE_URL: 'postgres://cashier:hunter2@127.0.0.1:1/bandama',
  SECRET_KEY: 'abcdefghijklmnopqrstuvwxyz0123456789',
  PORT: '0',
  METRICS_PORT: '0',
}

for (const words of [['serve'], ['balance', '--merchant', '1', '--mode', 'test', '--json']]) {
  test(`without a database, bandama ${words[0]} says so in one line, without user or password, and ends with 1`, () => {
    const { status, stdout, stderr } = spawnSync(program, words, { env, encoding: 'utf8', timeout: 30_000 })
    assert.equal(stderr, 'The database at 127.0.0.1:1 cannot be reached.\n')
    assert.deepEqual({ status, stdout }, { status: 1, stdout: '' })
  })
}
