import assert from 'node:assert/strict'
import { addProposal } from '../../../src/acts/proposal-store.ts'
import { allowAddresses } from '../../../src/api-keys/change-key.ts'
import { confirmKey } from '../../../src/api-keys/confirm-key.ts'
import { createKey as createKeyAct } from '../../../src/api-keys/create-key.ts'
import { revokeKey } from '../../../src/api-keys/revoke-key.ts'
import { askPayer, askPayerAgain } from '../../../src/checkout/ask-payer.ts'
import { closeLink } from '../../../src/checkout/close-link.ts'
import { closeSession } from '../../../src/checkout/close-session.ts'
import { createLink } from '../../../src/checkout/create-link.ts'
import { createSale } from '../../../src/checkout/create-sale.ts'
import { nameLink } from '../../../src/checkout/name-link.ts'
import { createNonces } from '../../../src/checkout/nonces.ts'
import { assignCashier, releaseCashier } from '../../../src/checkout/till/assign-cashier.ts'
import { endPhone } from '../../../src/checkout/till/end-phone.ts'
import { invitePhone } from '../../../src/checkout/till/invite-phone.ts'
import { decideCheck, proposeCheck, withdrawCheck } from '../../../src/merchant-files/check-merchant.ts'
import { addOwner, endOwner } from '../../../src/merchant-files/owners.ts'
import { setFile } from '../../../src/merchant-files/set-file.ts'
import { createMerchant } from '../../../src/merchants/create-merchant.ts'
import { activateMerchant, deactivateMerchant } from '../../../src/merchants/set-active.ts'
import { setFees } from '../../../src/merchants/set-fees.ts'
import { createClock } from '../../../src/platform/clock.ts'
import { applyEffects } from '../../../src/platform/commands/effects.ts'
import { createEgress } from '../../../src/platform/egress/post.ts'
import { newId } from '../../../src/values/ids.ts'
import { Secret } from '../../../src/values/secret.ts'
import { emitEvents } from '../../../src/webhooks/emit.ts'
import * as creation from '../../../src/webhooks/endpoints/create-endpoint.ts'
import { rotateSecret } from '../../../src/webhooks/endpoints/rotate-secret.ts'
import { disableEndpoint, enableEndpoint } from '../../../src/webhooks/endpoints/switch-endpoint.ts'
import { testEndpoint, testEvent } from '../../../src/webhooks/endpoints/test-endpoint.ts'
import { replayEventAct } from '../../../src/webhooks/replay.ts'
import { newSession } from '../../contract/payer.ts'
import { actor } from '../../harness/actor.ts'
import { createEndpoint } from '../../harness/endpoints.ts'
import { createKey } from '../../harness/keys.ts'
import { mode } from '../../harness/mode.ts'
import { perform } from '../../harness/perform.ts'
import { newAddress, openMember } from '../../harness/teams.ts'
import { ofMerchant, rename, rowOf, type Stage, type Stand, type Subject } from './stage.ts'

async function merchantThatIs(stand: Stand, active: boolean): Promise<Subject> {
  const { sql, tenant } = stand
  const { merchant_id } = tenant
  await sql`update merchants set active = ${active} where merchant_id = ${merchant_id}`
  const state = async () => (await sql`select active from merchants where merchant_id = ${merchant_id}`)[0]
  return { params: { id: String(merchant_id) }, subject: null, state, change: () => rename(stand) }
}

/** Makes room for others, because a merchant has sixteen endpoints at most. */
async function dropEndpoints({ sql, tenant: { merchant_id } }: Stand): Promise<void> {
  await sql`delete from delivery_attempts where merchant_id = ${merchant_id}`
  await sql`delete from deliveries where merchant_id = ${merchant_id}`
  await sql`delete from endpoints where merchant_id = ${merchant_id}`
}

async function endpointThatIs(stand: Stand, status: 'enabled' | 'disabled'): Promise<Subject> {
  const { sql, tenant, installation } = stand
  const egress = createEgress({ allow: ['127.0.0.0/8'], loopback_http: true })
  const deps = { sql, egress, secretKey: new Secret(installation.secret_key), clock: createClock() }
  // It subscribes to nothing that other stages emit: a delivery that fails meanwhile would change it.
  const asked = { url: 'http://127.0.0.1:9/', event_types: ['endpoint.test'], test: false }
  const made = await createEndpoint(deps, tenant, asked)
  await egress.close()
  assert.ok(made.kind === 'created')
  const { endpoint_id } = made
  const disabled_at = status === 'disabled' ? sql`clock_now()` : sql`null`
  await sql`update endpoints set status = ${status}, disabled_at = ${disabled_at} where id = ${endpoint_id}`
  const change = () => sql`update endpoints set url = 'http://127.0.0.1:10/' where id = ${endpoint_id}`
  return { ...rowOf(stand, 'endpoints', endpoint_id), change }
}

/** The nonce of a form of a sale, as the page gives it. */
function formOfSale({ installation, tenant: { merchant_id, livemode } }: Stand): { form: string } {
  const nonces = createNonces({ secretKey: new Secret(installation.secret_key), clock: createClock() })
  return { form: nonces.make(`pay ${merchant_id} ${livemode}`) }
}

/** Makes room for the shares of others. */
const endOwners = ({ sql, tenant: { merchant_id } }: Stand) =>
  sql`update merchant_owners set ended_at = clock_now() where merchant_id = ${merchant_id} and ended_at is null`

/** The merchant, which nobody has checked, and no check of which waits. */
async function newUnchecked(stand: Stand): Promise<Subject> {
  const { merchant_id } = stand.tenant
  await stand.sql`update merchants set is_checked = false where merchant_id = ${merchant_id}`
  await stand.sql`
    update act_proposals set status = 'withdrawn', decided_by = proposed_by, decided_at = clock_now()
     where merchant_id = ${merchant_id} and act = 'merchant_check.propose' and status = 'proposed'`
  return ofMerchant(stand, 'act_proposals')
}

/** A check that the first person proposed, in the mode of the stand. */
async function newProposedCheck(stand: Stand, first: string): Promise<Subject> {
  await newUnchecked(stand)
  const id = newId('prp', Date.now())
  const asked = {
    act: 'merchant_check.propose',
    subject: null,
    key: 'file',
    amount: null,
    typed: {},
    content: {},
  } as const
  const row = { ...stand.tenant, ...asked, id, sealed: null, proposed_by: first, proposed_at: new Date() }
  await stand.sql.begin((tx) => applyEffects(tx, [addProposal(row)], new Date()))
  return { ...rowOf(stand, 'act_proposals', id), change: () => rename(stand) }
}

export const shop: readonly Stage[] = [
  {
    act: createMerchant,
    elsewhere: true,
    fields: { name: 'Maquis du Port' },
    otherFields: { name: 'Maquis du Plateau' },
    async open({ sql }) {
      const state = async () => (await sql`select count(*)::integer as count from merchants`)[0]
      return { params: {}, subject: null, state, change: () => sql`select nextval('merchants_merchant_id_seq')` }
    },
  },
  {
    act: setFile,
    otherOptions: true,
    fields: { legal_name: 'Wafou Restauration SARL', tax_number: '2509871 K', contact_number: '0700000010' },
    otherFields: { legal_name: 'Wafou SA' },
    async open(stand) {
      const { merchant_id } = stand.tenant
      await stand.sql`update merchant_files set legal_name = 'Avant', changed_at = clock_now() where merchant_id = ${merchant_id}`
      const words = ['--merchant', String(merchant_id), '--legal-name', 'Wafou Restauration SARL']
      const state = async () =>
        (
          await stand.sql`select legal_name, tax_number, changed_at from merchant_files where merchant_id = ${merchant_id}`
        )[0]
      return { ...ofMerchant(stand, 'merchant_files'), state, subject: null, words }
    },
  },
  { act: proposeCheck, inBothModes: true, single: true, open: newUnchecked },
  { act: decideCheck.approve, second: true, single: true, open: newProposedCheck },
  { act: decideCheck.refuse, second: true, single: true, open: newProposedCheck },
  { act: withdrawCheck, own: true, single: true, open: newProposedCheck },
  {
    act: addOwner,
    fields: { name: 'Affoué Konan', share: '33,34' },
    otherFields: { name: 'Affoué Konan', share: '60' },
    async open(stand) {
      await endOwners(stand)
      return ofMerchant(stand, 'merchant_owners')
    },
  },
  {
    act: endOwner,
    inBothModes: true,
    single: true,
    async open(stand) {
      await endOwners(stand)
      const { merchant_id } = stand.tenant
      const values = { name: 'Affoué Konan', share: 6_000 }
      const made = await perform(addOwner, { sql: stand.sql, clock: createClock() }, { merchant_id, values })
      assert.ok(made.kind === 'done')
      return { ...rowOf(stand, 'merchant_owners', made.result.id), change: () => rename(stand) }
    },
  },
  {
    act: setFees,
    otherOptions: true,
    fields: { service: 'collection', percent: '1,5', bearer: 'merchant' },
    otherFields: { service: 'collection', percent: '9', bearer: 'merchant' },
    async open(stand) {
      const words = ['--merchant', String(stand.tenant.merchant_id), '--service', 'collection', '--bps', '150']
      return { ...ofMerchant(stand, 'fee_schedules'), subject: 'collection', words }
    },
  },
  {
    act: createKeyAct,
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
      const { key_id } = await stand.collector.merchant.newKey(mode, 'collect')
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
    act: createLink,
    otherOptions: true,
    fields: { description: 'Un pagne', amount: '5 000', reusable: 'yes', until: '' },
    async open(stand) {
      const { change: _, ...links } = ofMerchant(stand, 'payment_links')
      const words = [...stand.collector.words, '--min', '500', '--max', '5000']
      return { ...links, named: formOfSale(stand), words }
    },
  },
  {
    act: createSale,
    fields: { amount: '5 000', description: 'Un pagne' },
    async open(stand) {
      const { change: _, ...sales } = ofMerchant(stand, 'checkout_sessions')
      return { ...sales, named: formOfSale(stand) }
    },
  },
  {
    act: askPayer,
    fields: { amount: '5 000', description: 'Un pagne', number: '07 58 41 12 34' },
    async open(stand) {
      const { change: _, ...payments } = ofMerchant(stand, 'payments')
      return { ...payments, named: formOfSale(stand) }
    },
  },
  {
    act: askPayerAgain,
    fields: { number: '07 58 41 12 35' },
    async open(stand) {
      const { id } = await newSession(stand.installation, stand.collector.merchant.key)
      return rowOf(stand, 'checkout_sessions', id)
    },
  },
  {
    act: nameLink,
    fields: { handle: 'boutique-du-plateau' },
    async open(stand) {
      const words = ['--amount', '500', '--description', 'Pagne', '--reusable']
      const { link_id } = await stand.installation.bandama('link', 'create', ...stand.collector.words, ...words)
      return rowOf(stand, 'payment_links', String(link_id))
    },
  },
  {
    act: invitePhone,
    fields: { name: 'Awa' },
    async open(stand) {
      const link_id = await newTill(stand)
      const state = () => stand.sql`select id from till_phones where link_id = ${link_id}`
      return { params: { id: link_id }, subject: 'new', state }
    },
  },
  {
    act: endPhone,
    async open(stand) {
      const link_id = await newTill(stand)
      const { phone_id } = await stand.installation.bandama('till', 'invite', '--id', link_id, '--name', 'Awa')
      const phone = rowOf(stand, 'till_phones', String(phone_id))
      return { ...phone, params: { ...phone.params, link: link_id } }
    },
  },
  { act: assignCashier, open: (stand) => cashierAt(stand, false) },
  { act: releaseCashier, open: (stand) => cashierAt(stand, true) },
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
  {
    act: creation.createEndpoint,
    otherOptions: true,
    shows: true,
    fields: { url: 'http://127.0.0.1:9/', types: '' },
    otherFields: { url: 'http://127.0.0.1:9/other', types: '' },
    async open(stand) {
      await dropEndpoints(stand)
      return { ...ofMerchant(stand, 'endpoints'), words: [...stand.collector.words, '--url', 'http://127.0.0.1:9/'] }
    },
  },
  {
    act: replayEventAct,
    async open(stand) {
      const { sql, tenant } = stand
      await dropEndpoints(stand)
      const { subject } = await endpointThatIs(stand, 'disabled')
      const event = testEvent(tenant, subject!, { event_types: [] })
      const [id] = await sql.begin((tx) => emitEvents(tx, [event], createClock().now()))
      const state = () => sql`select fence from deliveries where event_id = ${id!}`
      const words = [...stand.collector.words, '--event', id!]
      return { params: { delivery: 'dlv_1' }, named: { event: id! }, words, subject: id!, state }
    },
  },
  // These two in this order, so that the merchant is active again.
  { act: deactivateMerchant, open: (stand) => merchantThatIs(stand, true) },
  { act: activateMerchant, open: (stand) => merchantThatIs(stand, false) },
]

/** A permanent code, with which telephones are paired. */
async function newTill(stand: Stand): Promise<string> {
  const words = ['--min', '100', '--max', '5000', '--reusable', '--description', 'Caisse 1']
  const { link_id } = await stand.installation.bandama('link', 'create', ...stand.collector.words, ...words)
  return String(link_id)
}

/** A till, and a cashier who works there or not yet. */
async function cashierAt(stand: Stand, isPlaced: boolean): Promise<Subject> {
  const { merchant_id } = stand.tenant
  const link_id = await newTill(stand)
  const { person_id } = await openMember(stand.installation, newAddress('Serge'), { merchant_id, roles: ['cashier'] })
  if (isPlaced) await stand.installation.bandama('till', 'assign', '--id', link_id, '--person', person_id)
  const state = () => stand.sql`select person_id from till_people where link_id = ${link_id}`
  const words = ['--id', link_id, '--person', person_id]
  return { params: { id: link_id }, named: { person: person_id }, words, subject: link_id, state }
}
