import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type About, thingOf } from './about.ts'

const session: About = { session: ({ cookie }) => cookie ?? null }
const call = { params: { token: 'abc' }, headers: {}, address: '2001:db8::7' }

test('a call is about the thing that its route declares', () => {
  const cases: [About, Partial<typeof call> & { headers?: object }, string | null][] = [
    ['nothing', {}, null],
    ['address', {}, 'address 2001:db8:0:0::/64'],
    ['address', { address: '::ffff:192.0.2.7' }, 'address 192.0.2.7'],
    [{ parameter: 'token' }, {}, 'token abc'],
    [session, { headers: { cookie: 'one' } }, 'session one'],
    [session, {}, 'address 2001:db8:0:0::/64'],
  ]
  for (const [about, changes, name] of cases) assert.equal(thingOf(about, { ...call, ...changes }), name)
})

test('a name of any length takes little memory, and two long ones are two things', () => {
  const nameOf = (token: string) => thingOf({ parameter: 'token' }, { ...call, params: { token } })!
  const [one, other] = [nameOf('a'.repeat(16_000)), nameOf('b'.repeat(16_000))]
  assert.ok(one.length < 100)
  assert.notEqual(one, other)
})
