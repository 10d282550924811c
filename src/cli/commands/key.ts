import { type AddressBlock, parseAddressBlock } from '../../api-keys/address-blocks.ts'
import { setAllowedAddresses } from '../../api-keys/change-key.ts'
import { confirmKey } from '../../api-keys/confirm-key.ts'
import { createKey } from '../../api-keys/create-key.ts'
import { listKeys } from '../../api-keys/find-keys.ts'
import { revokeKey } from '../../api-keys/revoke-key.ts'
import { findKey } from '../../api-keys/store.ts'
import { endAloneOf } from '../../payouts/alone/end-alone.ts'
import { isBreakGlass } from '../../values/actor.ts'
import { actCommand } from '../act-command.ts'
import { type Command, CommandError, defineCommand, readTenant } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { listed, listOptions, readPage, readTenantOrAll } from '../page.ts'

const keyCreate = defineCommand({
  name: 'key create',
  summary: 'Create an API key; it is shown once',
  details: 'A payout key that a signed-in person creates works once a second person has confirmed it (key confirm).',
  right: 'keys.manage',
  fresh: true,
  options: { merchant: 'needed', mode: 'needed', scope: 'needed', allow: 'list', as: 'optional' },
  async run(context, { merchant, mode, scope, allow, as }) {
    if (scope !== 'collect' && scope !== 'payout') throw new CommandError('--scope is collect or payout.', 2)
    const { key_prefix } = context.config.brand
    const tenant = readTenant({ merchant, mode })
    const allowed_addresses = allow.map(readBlock)
    const by = context.actor(as)
    const needs_confirmation = scope === 'payout' && !isBreakGlass(by)
    const wanted = { key_prefix, scope, allowed_addresses, needs_confirmation } as const
    const { key_id, key } = await createKey(await context.sql(), tenant, wanted, by)
    if (needs_confirmation) context.advise('This key works once another person has confirmed it: bandama key confirm.')
    return { key_id, key: key.reveal(), scope, livemode: tenant.livemode }
  },
})

const keyList = defineCommand({
  name: 'key list',
  summary: 'Show API keys by their ids, never the secrets, with the last address that each was refused from',
  options: {
    ...listOptions,
    after: { kind: 'optional', value: 'K', says: 'continue after this key, the last one shown' },
  },
  table: {
    rows: 'keys',
    columns: [
      'key_id',
      'merchant',
      'scope',
      'revoked_at',
      'last_refused_at:refused',
      'last_refused_address:from',
      'allowed_addresses:allowed',
    ],
    empty: 'No such keys.',
  },
  async run(context, words) {
    const wanted = { tenant: readTenantOrAll(words), ...readPage(words, (text) => /^[0-9a-z]{13}$/.test(text)) }
    const page = await listKeys(await context.reads(), wanted)
    return listed('keys', page, ({ key_id, ...key }) => ({ key_id, ...key }))
  },
})

const keyConfirm = actCommand(confirmKey, {
  answer: ({ key_id }) => ({ key_id, confirmed: true }),
})

/** The merchant of a key. */
async function ownerOf(context: CommandContext, { 'key-id': key_id }: { 'key-id': string }): Promise<number | null> {
  return (await findKey(await context.sql(), key_id, null))?.merchant_id ?? null
}

const keyRevoke = actCommand(revokeKey, {
  merchantOf: (context, key_id) => ownerOf(context, { 'key-id': key_id }),
  answer: ({ key_id }) => ({ key_id, revoked: true }),
})

const keyRestrict = defineCommand({
  name: 'key restrict',
  summary: 'Replace the addresses that a key may be used from; without --allow: any',
  right: 'keys.manage',
  fresh: true,
  merchantOf: ownerOf,
  options: { 'key-id': 'needed', allow: 'list', as: 'optional' },
  async run(context, { 'key-id': key_id, allow, as }) {
    const blocks = allow.map(readBlock)
    const actor = context.actor(as)
    const result = await setAllowedAddresses(await context.sql(), key_id, blocks, actor, null, endAloneOf(actor))
    if (result.kind === 'refused') throw new CommandError(`There is no key ${key_id}.`)
    if (result.waits)
      context.advise(
        'The key may be used from more addresses, and works once a second person has confirmed it: bandama key confirm.',
      )
    return { key_id, allowed_addresses: blocks.map(({ text }) => text), to_confirm: result.waits }
  },
})

function readBlock(text: string): AddressBlock {
  const block = parseAddressBlock(text)
  if (block === null)
    throw new CommandError(`--allow takes an address or a block such as 192.0.2.0/24, not ${text}.`, 2)
  return block
}

export const commands: readonly Command[] = [keyCreate, keyList, keyConfirm, keyRestrict, keyRevoke]
