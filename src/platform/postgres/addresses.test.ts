import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressOf, asksForWrites, serversIn } from './addresses.ts'

test('a URL of several servers is one URL for each, with the same caller, database and options', () => {
  const cases: [url: string, servers: string[]][] = [
    ['postgres://one/till', ['postgres://one/till']],
    ['postgres://one:5433,two/till', ['postgres://one:5433/till', 'postgres://two/till']],
    [
      'postgresql://cashier:a%40b@one:5432,two:5433/till?target_session_attrs=read-write&sslmode=require',
      [
        'postgresql://cashier:a%40b@one:5432/till?sslmode=require',
        'postgresql://cashier:a%40b@two:5433/till?sslmode=require',
      ],
    ],
    [
      'postgres://[::1]:5432,[2001:db8::2]:5433/till',
      ['postgres://[::1]:5432/till', 'postgres://[2001:db8::2]:5433/till'],
    ],
    ['postgres:///till?host=/run/postgresql', ['postgres:///till?host=%2Frun%2Fpostgresql']],
  ]
  for (const [url, servers] of cases) assert.deepEqual(serversIn(url), servers, url)
})

test('what is no address is refused', () => {
  for (const url of ['postgres://one:x/till', 'postgres://one:5432,two:y/till', 'postgres://one two/till']) {
    assert.throws(() => serversIn(url), TypeError, url)
  }
})

test('servers that take writes may be asked for, and no others', () => {
  for (const asked of ['', '?target_session_attrs=read-write', '?sslmode=require&target_session_attrs=primary']) {
    assert.ok(asksForWrites(`postgres://one,two/till${asked}`), asked)
  }
  for (const asked of ['any', 'standby', 'read-only', 'prefer-standby']) {
    assert.ok(!asksForWrites(`postgres://one,two/till?target_session_attrs=${asked}`), asked)
  }
})

test('an address for a message names the servers, and neither the caller nor the database', () => {
  assert.equal(addressOf('postgres://cashier:hunter2@one,two:5433/till'), 'one:5432, two:5433')
  assert.equal(addressOf('postgres://cashier:hunter2@[::1]/till'), '[::1]:5432')
  assert.equal(addressOf('postgres:///till?host=/run/postgresql'), '/run/postgresql')
})
