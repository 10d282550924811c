import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { ConfigError, readConfig } from './config.ts'

const secret = 'abcdefghijklmnopqrstuvwxyz0123456789'

test('without a variable the embedded database, the demo and webhooks to this machine are on', () => {
  const config = readConfig({})
  assert.equal(config.database_url, null)
  assert.equal(config.demo, true)
  assert.deepEqual(config.egress_allow, ['127.0.0.0/8', '::1/128'])
})

test('with a database of its own the demo is off and webhooks reach only the public network', () => {
  const config = readConfig({ DATABASE_URL: 'postgres://a:b@db/bandama', SECRET_KEY: secret })
  assert.equal(config.demo, false)
  assert.deepEqual(config.egress_allow, [])
})

test('secret settings print masked', () => {
  const config = readConfig({ DATABASE_URL: 'postgres://a:hunter2@db/bandama', SECRET_KEY: secret })
  for (const text of [inspect(config), JSON.stringify(config)]) {
    assert.ok(!text.includes('hunter2'))
    assert.ok(!text.includes(secret))
  }
})

/** A setting that cannot be used, and the variable that the message must name. */
const refused: [Record<string, string>, RegExp][] = [
  ...['', '0', '600,600', '3600,600', '1.5', '600, ', '2592001', '1,2,3,4,5,6,7,8,9,10,11'].map(
    (LATE_LOOKS_SECONDS): [Record<string, string>, RegExp] => [{ LATE_LOOKS_SECONDS }, /LATE_LOOKS_SECONDS/],
  ),
  [{ PORT: 'http' }, /^PORT must be/],
  [{ PORT: '65536' }, /^PORT must be/],
  [{ RATE_PER_KEY: '0' }, /^RATE_PER_KEY must be/],
  [{ RATE_PER_KEY: '1.5' }, /^RATE_PER_KEY must be/],
  [{ DEMO: 'yes' }, /^DEMO must be/],
  [{ LOG_LEVEL: 'loud' }, /^LOG_LEVEL must be/],
  [{ TRUST_PROXY: 'true' }, /^TRUST_PROXY must be/],
  [{ EGRESS_ALLOW: '10.0.0.0/33' }, /^EGRESS_ALLOW must be/],
  [{ REDIS_URL: 'localhost:6379' }, /^REDIS_URL must be/],
  [{ PUBLIC_URL: 'javascript:alert(1)' }, /^PUBLIC_URL must be/],
  [{ BRAND_KEY_PREFIX: 'BDM' }, /^BRAND_KEY_PREFIX must be/],
  [{ BRAND_HEADER_PREFIX: 'A\r\nB' }, /^BRAND_HEADER_PREFIX must be/],
  [{ DATABASE_URL: 'localhost/bandama' }, /^DATABASE_URL must be an address starting postgres:\/\/ or postgresql:\/\//],
  [{ DATABASE_URL: 'postgres://db:1,other:port/bandama' }, /^DATABASE_URL must be .* as one:5432,two:5432/],
  [
    { DATABASE_URL: 'postgres://db,other/b?target_session_attrs=any' },
    /^DATABASE_URL must be without target_session_attrs/,
  ],
  [{ DATABASE_READ_URL: 'db:5432' }, /^DATABASE_READ_URL must be/],
  [{ DATABASE_READ_URL: 'postgres://one,two/bandama' }, /^DATABASE_READ_URL must be one server/],
  [{ DATABASE_URL: 'postgres://a:b@db/bandama' }, /^SECRET_KEY is required/],
  [{ SECRET_KEY: 'short' }, /^SECRET_KEY must be/],
  [{ SECRET_KEY: 'a'.repeat(64) }, /^SECRET_KEY must be/],
]

for (const [env, message] of refused) {
  test(`${JSON.stringify(env)} is refused by the name of the variable, never with its value`, () => {
    assert.throws(
      () => readConfig(env),
      (error) => {
        assert.ok(error instanceof ConfigError)
        assert.match(error.message, message)
        for (const value of Object.values(env)) if (value.length > 3) assert.ok(!error.message.includes(value))
        return true
      },
    )
  })
}
