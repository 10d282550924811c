import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ConfigError, readConfig } from './config.ts'
import { fileSettings, withSecretFiles } from './secret-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'bandama-secrets-'))
after(() => rmSync(folder, { recursive: true }))

const KEY = 'a-key-of-many-random-characters-0123456789'

function written(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

test('each setting with a secret may come from a file, without its last line break', () => {
  for (const name of fileSettings) {
    const path = written('any', `${KEY}\n`)
    assert.equal(withSecretFiles({ [`${name}_FILE`]: path })[name], KEY)
    assert.equal(withSecretFiles({ [name]: KEY })[name], KEY)
  }
  rmSync(join(folder, 'any'))
})

test('a service under systemd finds its secrets in CREDENTIALS_DIRECTORY, and none there leaves the environment as it is', () => {
  const path = written('secret_key', KEY)
  const config = readConfig(withSecretFiles({ CREDENTIALS_DIRECTORY: folder }))
  assert.equal(config.secret_key?.reveal(), KEY)
  rmSync(path)
  assert.deepEqual(withSecretFiles({ CREDENTIALS_DIRECTORY: folder }), { CREDENTIALS_DIRECTORY: folder })
})

test('the files of other programs, and an empty name, are left alone', () => {
  const env = { SSL_CERT_FILE: '/etc/ssl/cert.pem', CA_FILE: '/etc/bandama/ca.pem', PORT_FILE: '' }
  assert.deepEqual(withSecretFiles(env), env)
})

test('two sources of a setting, a file that is missing and an empty one are refused by the name of the setting, never with a value', () => {
  const path = written('secret_key', KEY)
  const refused: [Record<string, string>, RegExp][] = [
    [
      { SECRET_KEY: KEY, SECRET_KEY_FILE: path },
      /^SECRET_KEY has two sources: SECRET_KEY and SECRET_KEY_FILE\. Keep one\.$/,
    ],
    [{ SECRET_KEY: KEY, CREDENTIALS_DIRECTORY: folder }, /SECRET_KEY and CREDENTIALS_DIRECTORY/],
    [{ SECRET_KEY_FILE: path, CREDENTIALS_DIRECTORY: folder }, /SECRET_KEY_FILE and CREDENTIALS_DIRECTORY/],
    [{ MAIL_URL_FILE: join(folder, 'none') }, /^The file of MAIL_URL cannot be read \(ENOENT\)\.$/],
    [{ PORT_FILE: path }, /^PORT_FILE is not read: PORT cannot come from a file\./],
    [{ REDIS_URL_FILE: written('empty', '\n') }, /^The file of REDIS_URL is empty\.$/],
  ]
  for (const [env, message] of refused)
    assert.throws(
      () => withSecretFiles(env),
      (error: Error) => error instanceof ConfigError && message.test(error.message) && !error.message.includes(KEY),
    )
})
