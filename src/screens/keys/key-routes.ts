import { type AddressesSet, allowAddresses, type WiderDeps } from '../../api-keys/change-key.ts'
import { confirmKey } from '../../api-keys/confirm-key.ts'
import { createKey, type KeyCreated } from '../../api-keys/create-key.ts'
import { findKeyOf, keyStatus, newestKeys } from '../../api-keys/find-keys.ts'
import { revokeKey } from '../../api-keys/revoke-key.ts'
import type { ListedKey } from '../../api-keys/store.ts'
import { needed } from '../../console/acts/act-fields.ts'
import { type ActScreenDeps, consoleAct } from '../../console/acts/act-screen.ts'
import type { FieldError } from '../../console/forms.ts'
import { absent, defineConsoleScreen, moved, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import { ALONE_HOURS, approveAlone, keyWaits, stopAlone } from '../../payouts/alone/approve-alone.ts'
import { endAloneOf } from '../../payouts/alone/end-alone.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { stopWord } from '../approvals/alone-part.ts'
import { readAloneKeys, readPeopleOf } from './key-people.ts'
import {
  addressList,
  askAboutKey,
  type KeysPage,
  keyCreatedView,
  keysView,
  newKeyView,
  type TypedKey,
} from './key-views.ts'

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
export const postKeyConfirmAlone = defineConsoleScreen<KeyScreenDeps>({
  method: 'POST',
  path: '/keys/:key/approve-alone',
  operation: 'consoleConfirmKeyAlone',
  summary: 'Confirm a key of one’s own as the only person of a merchant, a day ahead',
  right: 'keys.confirm',
  async confirm(request, deps) {
    const key = await keyOf(request, deps)
    if (key === null) return absent
    const { may, last } = await readAloneKeys(deps.sql, request, [key])
    if (!may || last.get(key.key_id)?.ended_at === null || keyStatus(key) !== 'to_confirm')
      return moved(request.at('/keys'))
    return askAboutKey(request, key, {
      question: ['Confirmer seul cette clé ?', 'Confirm this key alone?'],
      lines: [
        { name: ['Adresses', 'Addresses'], value: addressList(request.say, key.allowed_addresses) },
        { name: ['Elle sert', 'It works'], value: request.say(['dans 24 heures', 'in 24 hours']) },
      ],
      content: { created_by: key.created_by, allowed_addresses: key.allowed_addresses, hours: ALONE_HOURS },
    })
  },
  async handle(request, { sql }) {
    const done = await approveAlone(
      sql,
      { ...request.tenant, subject_id: request.params.key! },
      request.actor,
      keyWaits,
    )
    return moved(request.at(`/keys${done.kind === 'approved' ? '?done=approved_alone' : ''}`))
  },
})

/** Stops such a confirmation before it takes effect, without a fresh factor: the key goes on waiting. */
export const postKeyStopAlone = defineConsoleScreen<KeyScreenDeps>({
  method: 'POST',
  path: '/keys/:key/stop-alone',
  operation: 'consoleStopKeyAlone',
  summary: 'Stop the confirmation of a key by one person before it takes effect',
  right: 'keys.confirm',
  async handle(request, deps) {
    const key = await keyOf(request, deps)
    if (key === null) return absent
    const done = await stopAlone(deps.sql, { ...request.tenant, subject_id: key.key_id }, request.actor)
    return moved(request.at(`/keys?done=${stopWord(done)}`))
  },
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
  postKey,
  postKeyAddresses,
  postKeyConfirm,
  postKeyConfirmAlone,
  postKeyStopAlone,
  postKeyRevoke,
] as const

function keyOf({ tenant, params }: Request, { sql }: KeyScreenDeps): Promise<ListedKey | null> {
  return findKeyOf(sql, tenant, params.key!)
}

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
