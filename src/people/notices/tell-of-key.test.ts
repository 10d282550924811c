import assert from 'node:assert/strict'
import { test } from 'node:test'
import { actor } from '../../../tests/harness/actor.ts'
import { rowsOf } from '../../../tests/harness/effects.ts'
import { createKey } from '../../api-keys/create-key.ts'
import { SYSTEM } from '../../values/actor.ts'
import { tellOfKey } from './tell-of-key.ts'

const tenant = { merchant_id: 1, livemode: false }

test('a key that sends money tells those who may confirm it, without its maker; other keys tell nobody', () => {
  const told = (scope: 'payout' | 'collect', by = actor('aya@example.ci')) => {
    const values = { name: 'Site web', scope, addresses: [] }
    const has = { about: tenant, key_prefix: 'bdm', onWaiting: tellOfKey }
    const decided = createKey.decide({ by, tenant, values, within: tenant } as never, has as never, new Date())
    assert.ok(decided.kind === 'accepted')
    return rowsOf<{ name: string; except: string[] }>(decided.effects, 'job').map(({ name, except }) => [name, except])
  }
  const seated = { ...actor('aya@example.ci'), door: 'console' } as ReturnType<typeof actor>
  assert.deepEqual(told('payout', seated), [['key_waits', ['aya@example.ci']]])
  assert.deepEqual(told('collect', seated), [])
  assert.deepEqual(told('payout', SYSTEM), [], 'a command on the host needs nobody')
})
