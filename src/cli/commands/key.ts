import { parseAddressBlock } from '../../api-keys/address-blocks.ts'
import { allowAddresses } from '../../api-keys/change-key.ts'
import { confirmKey } from '../../api-keys/confirm-key.ts'
import { createKey } from '../../api-keys/create-key.ts'
import { listKeys } from '../../api-keys/find-keys.ts'
import { revokeKey } from '../../api-keys/revoke-key.ts'
import { findKey } from '../../api-keys/store.ts'
import { endAloneOf } from '../../payouts/alone/end-alone.ts'
import { tellOfKey } from '../../people/notices/tell-of-key.ts'
import { actCommand } from '../act-command.ts'
import { type Command, CommandError, defineCommand } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { listed, listOptions, readPage, readTenantOrAll } from '../page.ts'

const keyCreate = actCommand(createKey, {
  details: 'A payout key that a signed-in person creates works once a second person has confirmed it (key confirm).',
  deps: async ({ config }) => ({ key_prefix: config.brand.key_prefix, onWaiting: tellOfKey }),
  instead: {
    options: { scope: 'needed', allow: 'list' },
    typed: ({ scope, allow }) => ({ scope: String(scope), addresses: readAllowed(allow) }),
  },
  answer: ({ key_id, key, scope, livemode }) => ({ key_id, key: key.reveal(), scope, livemode }),
  advice: ({ to_confirm }) =>
    to_confirm ? 'This key works once another person has confirmed it: bandama key confirm.' : null,
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

const keyRestrict = actCommand(allowAddresses, {
  name: 'key restrict',
  merchantOf: (context, key_id) => ownerOf(context, { 'key-id': key_id }),
  deps: async () => ({ onWider: endAloneOf }),
  instead: { options: { allow: 'list' }, typed: ({ allow }) => ({ addresses: readAllowed(allow) }) },
  answer: ({ key_id, allowed_addresses, waits }) => ({ key_id, allowed_addresses, to_confirm: waits }),
  advice: ({ waits }) =>
    waits
      ? 'The key may be used from more addresses, and works once a second person has confirmed it: bandama key confirm.'
      : null,
})

/** The addresses of a repeated option, as the field takes them. @throws CommandError when one cannot be read */
function readAllowed(allow: unknown): string {
  const written = allow as readonly string[]
  for (const text of written)
    if (parseAddressBlock(text) === null)
      throw new CommandError(`--allow takes an address or a block such as 192.0.2.0/24, not ${text}.`, 2)
  return written.join('\n')
}

export const commands: readonly Command[] = [keyCreate, keyList, keyConfirm, keyRestrict, keyRevoke]
