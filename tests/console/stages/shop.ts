import assert from 'node:assert/strict'
import { allowAddresses } from '../../../src/api-keys/change-key.ts'
import { confirmKey } from '../../../src/api-keys/confirm-key.ts'
import * as creation from '../../../src/api-keys/create-key.ts'
import { revokeKey } from '../../../src/api-keys/revoke-key.ts'
import { closeLink } from '../../../src/checkout/close-link.ts'
import { closeSession } from '../../../src/checkout/close-session.ts'
import { activateMerchant, deactivateMerchant } from '../../../src/merchants/set-active.ts'
import { createClock } from '../../../src/platform/clock.ts'
import { createEgress } from '../../../src/platform/egress/post.ts'
import { Secret } from '../../../src/values/secret.ts'
import { createEndpoint } from '../../../src/webhooks/endpoints/create-endpoint.ts'
import { rotateSecret } from '../../../src/webhooks/endpoints/rotate-secret.ts'
import { disableEndpoint, enableEndpoint } from '../../../src/webhooks/endpoints/switch-endpoint.ts'
import { testEndpoint } from '../../../src/webhooks/endpoints/test-endpoint.ts'
import { newSession } from '../../contract/payer.ts'
import { actor } from '../../harness/actor.ts'
import { createKey } from '../../harness/keys.ts'
import { ofMerchant, rename, rowOf, type Stage, type Stand, type Subject } from './stage.ts'

async function merchantThatIs(stand: Stand, active: boolean): Promise<Subject> {
  const { sql, tenant } = stand
  const { merchant_id } = tenant
  await sql`update merchants set active = ${active} where merchant_id = ${merchant_id}`
  const state = async () => (await sql`select active from merchants where merchant_id = ${merchant_id}`)[0]
  return { params: { id: String(merchant_id) }, subject: null, state, change: () => rename(stand) }
}

async function endpointThatIs(stand: Stand, status: 'enabled' | 'disabled'): Promise<Subject> {
  const { sql, tenant, installation } = stand
  const egress = createEgress({ allow: ['127.0.0.0/8'] })
  const deps = { sql, egress, secretKey: new Secret(installation.secret_key), clock: createClock() }
  const made = await createEndpoint(deps, tenant, { url: 'http://127.0.0.1:9/', event_types: [], test: false })
  await egress.close()
  assert.ok(made.kind === 'created')
  const { endpoint_id } = made
  const disabled_at = status === 'disabled' ? sql`clock_now()` : sql`null`
  await sql`update endpoints set status = ${status}, disabled_at = ${disabled_at} where id = ${endpoint_id}`
  const change = () => sql`update endpoints set url = 'http://127.0.0.1:10/' where id = ${endpoint_id}`
  return { ...rowOf(stand, 'endpoints', endpoint_id), change }
}

export const shop: readonly Stage[] = [
  {
    act: creation.createKey,
    otherOptions: true,
    shows: true,
    fields: { name: 'Boutique', scope: 'payout', addresses: '192.0.2.7' },
    otherFields: { name: 'Boutique', scope: 'payout', addresses: '' },
    open: async (stand) => ({
      ...ofMerchant(stand, 'api_keys'),
      words: [...stand.collector.words, '--scope', 'payout', '--allow', '192.0.2.7'],
    }),
  },
  {
    act: allowAddresses,
    otherOptions: true,
    async open(stand) {
      const wanted = { key_prefix: 'bdm', scope: 'collect', name: 'Boutique' } as const
      const { key_id } = await createKey(stand.sql, stand.tenant, wanted)
      const change = () => stand.sql`update api_keys set name = 'Une autre' where key_id = ${key_id}`
      const named = { [`addresses_${key_id}`]: '192.0.2.9' }
      return {
        ...rowOf(stand, 'api_keys', key_id, 'key_id'),
        ...{ change, named, words: ['--key-id', key_id, '--allow', '192.0.2.9'] },
      }
    },
  },
  {
    act: revokeKey,
    async open(stand) {
      const { key_id } = await stand.collector.merchant.newKey('test', 'collect')
      const change = () => stand.sql`update api_keys set name = 'Une autre' where key_id = ${key_id}`
      return { ...rowOf(stand, 'api_keys', key_id, 'key_id'), change }
    },
  },
  {
    act: confirmKey,
    second: true,
    async open(stand, first) {
      const wanted = { key_prefix: 'bdm', scope: 'payout', name: 'Paie', needs_confirmation: true } as const
      const { key_id } = await createKey(stand.sql, stand.tenant, wanted, actor(first))
      const change = () => stand.sql`update api_keys set allowed_addresses = '{192.0.2.0/24}' where key_id = ${key_id}`
      return { ...rowOf(stand, 'api_keys', key_id, 'key_id'), change }
    },
  },
  {
    act: closeLink,
    async open(stand) {
      const words = ['--amount', '500', '--description', 'Pagne', '--reusable']
      const { link_id } = await stand.installation.bandama('link', 'create', ...stand.collector.words, ...words)
      return rowOf(stand, 'payment_links', String(link_id))
    },
  },
  {
    act: closeSession,
    async open(stand) {
      const { id } = await newSession(stand.installation, stand.collector.merchant.key)
      return rowOf(stand, 'checkout_sessions', id)
    },
  },
  { act: testEndpoint, open: (stand) => endpointThatIs(stand, 'enabled') },
  { act: rotateSecret, shows: true, open: (stand) => endpointThatIs(stand, 'enabled') },
  { act: disableEndpoint, open: (stand) => endpointThatIs(stand, 'enabled') },
  { act: enableEndpoint, open: (stand) => endpointThatIs(stand, 'disabled') },
  // These two in this order, so that the merchant is active again.
  { act: deactivateMerchant, open: (stand) => merchantThatIs(stand, true) },
  { act: activateMerchant, open: (stand) => merchantThatIs(stand, false) },
]
