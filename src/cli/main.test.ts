import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../bin/bandama', import.meta.url))

// No process listens on port 1, and only root could.
const env = {
  PATH: process.env.PATH,
  DATABASE_URL: 'postgres://cashier:hunter2@127.0.0.1:1/bandama',
  SECRET_KEY: 'abcdefghijklmnopqrstuvwxyz0123456789',
  PUBLIC_URL: 'https://pay.example',
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

const bandama = (words: string[], more: Record<string, string> = {}) =>
  spawnSync(program, words, { env: { ...env, ...more }, encoding: 'utf8', timeout: 30_000 })

test('help and the version are printed on standard output, and need neither settings nor a database', () => {
  for (const words of [
    [],
    ['help'],
    ['--help'],
    ['-h'],
    ['help', 'merchant'],
    ['merchant', '--help'],
    ['link', 'create', '-h'],
  ]) {
    const { status, stdout, stderr } = bandama(words, { PORT: 'no number' })
    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' }, words.join(' '))
    assert.match(stdout, /bandama (help|link create)/)
  }
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  assert.match(bandama(['--version']).stdout, new RegExp(`^bandama ${version} \\(Node \\d+\\.\\d+\\.\\d+\\)\\n$`))
  for (const words of [['help'], ['help', 'link'], ['help', 'link', 'create'], ['--version']]) {
    const { stdout } = bandama([...words, '--json'])
    assert.equal(typeof JSON.parse(stdout), 'object')
    assert.equal(stdout.indexOf('\n'), stdout.length - 1, 'one line')
  }
})

test('the answer to an unknown command is the probable one on standard error, and exit code 2', () => {
  const { status, stdout, stderr } = bandama(['merchnat', 'create', '--name', 'Awa'])
  assert.deepEqual({ status, stdout }, { status: 2, stdout: '' })
  assert.equal(
    stderr,
    'There is no command merchnat. Did you mean bandama merchant create?\n\nbandama help shows every command.\n',
  )
  assert.match(bandama(['help', 'merchnat']).stderr, /Did you mean bandama merchant\?/)
})

test('a command ends quietly when the reader of its output is gone', () => {
  const { status, stderr } = spawnSync('bash', ['--norc', '-c', `set -o pipefail; "${program}" help | true`], {
    env,
    encoding: 'utf8',
  })
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
})

test('an output that cannot be written is reported in a sentence', { skip: !existsSync('/dev/full') }, () => {
  const { status, stderr } = spawnSync('bash', ['--norc', '-c', `"${program}" help > /dev/full`], {
    env,
    encoding: 'utf8',
  })
  assert.equal(status, 1)
  assert.match(stderr, /^The answer could not be written \(ENOSPC\), .*\n$/)
})

const broken: [string, Record<string, string>, RegExp][] = [
  ['a setting that is malformed', { PORT: 'thirty' }, /^PORT must be a whole number from 0 to 65535\.\n$/],
  [
    'a DATA_DIR that is a file',
    { DATABASE_URL: '', DATA_DIR: program },
    /^DATA_DIR \(.*\) cannot be used: a file stands in its path \(ENOTDIR\)\.\n$/,
  ],
  [
    'a DATA_DIR below a file',
    { DATABASE_URL: '', DATA_DIR: `${program}/data` },
    /^DATA_DIR \(.*\) cannot be used: a file stands in its path \(ENOTDIR\)\.\n$/,
  ],
]
for (const [what, settings, message] of broken) {
  test(`${what} is reported in a sentence`, () => {
    const { status, stdout, stderr } = bandama(['balance', '--merchant', '1', '--mode', 'test'], settings)
    assert.match(stderr, message)
    assert.deepEqual({ status, stdout }, { status: 1, stdout: '' })
  })
}

test('a damaged demo.json is reported in a sentence', () => {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'bandama-cli-'))
  try {
    writeFileSync(join(DATA_DIR, 'demo.json'), '{"merchant_id":1,')
    const { status, stdout, stderr } = bandama(['listen'], { DATA_DIR })
    assert.match(stderr, /demo\.json is damaged: .*\n$/)
    assert.deepEqual({ status, stdout }, { status: 1, stdout: '' })
  } finally {
    rmSync(DATA_DIR, { recursive: true })
  }
})
