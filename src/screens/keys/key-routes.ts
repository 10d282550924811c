import { type AddressesSet, allowAddresses, type WiderDeps } from '../../api-keys/change-key.ts'
import { confirmKey } from '../../api-keys/confirm-key.ts'
import { createKey, type KeyCreated } from '../../api-keys/create-key.ts'
import { findKeyOf, newestKeys } from '../../api-keys/find-keys.ts'
import { revokeKey } from '../../api-keys/revoke-key.ts'
import type { ListedKey } from '../../api-keys/store.ts'
import { needed } from '../../console/acts/act-fields.ts'
import { type ActScreenDeps, consoleAct } from '../../console/acts/act-screen.ts'
import type { FieldError } from '../../console/forms.ts'
import { absent, defineConsoleScreen, moved, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import { soloKey } from '../../payouts/alone/approve-key-alone.ts'
import { endAloneOf } from '../../payouts/alone/end-alone.ts'
import type { UsualLimits } from '../../payouts/caps/read-caps.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { keyDecisionView, readKeyDecision } from './key-decision.ts'
import { readPeopleOf } from './key-people.ts'
import { type KeysPage, keyCreatedView, keysView, newKeyView, type TypedKey } from './key-views.ts'

export type KeyScreenDeps = { readonly sql: Sql; readonly key_prefix: string }
type ActDeps = KeyScreenDeps & ActScreenDeps & WiderDeps
type Request = ScreenRequest<'console'>

const PAGE = 50

export const getKeys = defineConsoleScreen<KeyScreenDeps>({
  method: 'GET',
  path: '/keys',
  query: ['after'],
  operation: 'consoleKeys',
  summary: 'The API keys of a merchant',
  right: 'keys.read',
  menu: { group: 'developers', icon: 'key', words: ['Clés', 'Keys'] },
  async handle(request, { sql, key_prefix }) {
    const keys = await newestKeys(sql, request.tenant, { limit: PAGE, after: request.query.get('after') })
    return keysView(request, { keys, key_prefix, ...(await readPeopleOf(sql, request, keys.rows)) })
  },
})

export const getNewKey = defineConsoleScreen({
  method: 'GET',
  path: '/keys/new',
  operation: 'consoleNewKey',
  summary: 'The form of a new key',
  right: 'keys.manage',
  handle: async (request) => newKeyView(request, { name: '', scope: 'collect', addresses: '' }, []),
})

/** One key that waits for this reader. Every other key is one of the list. */
export const getKeyDecision = defineConsoleScreen<KeyScreenDeps & { readonly payoutCaps: UsualLimits }>({
  method: 'GET',
  path: '/keys/:id',
  operation: 'consoleKey',
  summary: 'A key that sends money, for the second person who confirms it',
  right: 'keys.confirm',
  async handle(request, { sql, key_prefix, payoutCaps }) {
    const key = await findKeyOf(sql, request.tenant, request.params.id!)
    if (key === null) return absent
    const { confirmable } = await readPeopleOf(sql, request, [key])
    if (!confirmable.has(key.key_id)) return moved(request.at('/keys'))
    return keyDecisionView(request, { key_prefix, ...(await readKeyDecision(sql, request.tenant, key, payoutCaps)) })
  },
})

export const postKey = consoleAct<{ key_prefix: string }, KeyCreated, ActDeps>(createKey, {
  path: '/keys',
  back: ({ at }) => at('/keys'),
  done: (request, { key, name, scope, addresses: allowed_addresses, to_confirm }) =>
    keyCreatedView(request, { key: key.reveal(), name: name!, scope, allowed_addresses, to_confirm }),
  again: async (request, _, errors) => newKeyView(request, typedIn(request), errors),
  // A key that people make here has a name.
  text: needed('name'),
})

/** The second button adds the last refused address to the allowed ones. */
export const postKeyAddresses = consoleAct<WiderDeps, AddressesSet, ActDeps>(allowAddresses, {
  path: '/keys/:id/addresses',
  back: ({ at }) => at('/keys'),
  done: (_, { waits }) => `/keys?done=${waits ? 'key_waits' : 'saved'}`,
  text: ({ fields, params }, name) => (name === 'addresses' ? fields.text(`addresses_${params.id}`) : undefined),
  prepare: async (_, deps) => ({ ...deps, onWider: endAloneOf }),
  again: refuseAddresses,
})

export const postKeyConfirm = consoleAct(confirmKey, {
  path: '/keys/:id/confirm',
  back: ({ at }) => at('/keys'),
  done: () => '/keys?done=confirmed',
  again: showRefused,
})

/** Confirms one's own key as the only person of a merchant: the key works a day later. */
export const postKeyConfirmAlone = consoleAct<unknown, unknown, ActDeps>(soloKey.approve, {
  path: '/keys/:id/approve-alone',
  back: ({ at }) => at('/keys'),
  done: () => '/keys?done=approved_alone',
  again: showRefused,
})

/** Stops such a confirmation before it takes effect: the key goes on waiting. */
export const postKeyStopAlone = consoleAct<unknown, null, ActDeps>(soloKey.stop, {
  path: '/keys/:id/stop-alone',
  back: ({ at }) => at('/keys'),
  done: () => '/keys?done=stopped',
  again: async ({ at }, _, __, refusal) => moved(at(`/keys?done=${refusal!.code}`)),
})

export const postKeyRevoke = consoleAct(revokeKey, {
  path: '/keys/:id/revoke',
  back: ({ at }) => at('/keys'),
  done: () => '/keys?done=revoked',
  again: showRefused,
})

export const keyScreens = [
  getKeys,
  getNewKey,
  getKeyDecision,
  postKey,
  postKeyAddresses,
  postKeyConfirm,
  postKeyConfirmAlone,
  postKeyStopAlone,
  postKeyRevoke,
] as const

function typedIn({ fields }: Request): TypedKey {
  return { name: fields.text('name'), scope: fields.text('scope'), addresses: fields.text('addresses') }
}

/** Reads the newest keys, and a key of a later page before them, so that its errors are seen. */
async function pageWith(sql: Sql, { tenant }: Request, key: ListedKey): Promise<KeysPage['keys']> {
  const keys = await newestKeys(sql, tenant, { limit: PAGE, after: null })
  const isThere = keys.rows.some(({ key_id }) => key_id === key.key_id)
  return isThere ? keys : { ...keys, rows: [key, ...keys.rows] }
}

async function refuseAddresses(
  request: Request,
  { sql, key_prefix }: KeyScreenDeps,
  errors: readonly FieldError[],
): Promise<ScreenAnswer> {
  const key_id = request.params.id!
  const key = await findKeyOf(sql, request.tenant, key_id)
  if (key === null) return absent
  const keys = await pageWith(sql, request, key)
  const field = `addresses_${key_id}`
  const sent = { key_id, typed: request.fields.text(field), errors: errors.map((error) => ({ ...error, field })) }
  return keysView(request, { keys, key_prefix, sent, ...(await readPeopleOf(sql, request, keys.rows)) })
}

/** Shows the current list with the reason why an act was refused. */
async function showRefused(
  request: Request,
  { sql, key_prefix }: KeyScreenDeps & ActScreenDeps,
  refused: readonly FieldError[],
): Promise<ScreenAnswer> {
  const keys = await newestKeys(sql, request.tenant, { limit: PAGE, after: null })
  return keysView(request, { keys, key_prefix, refused, ...(await readPeopleOf(sql, request, keys.rows)) })
}
