import { type AddressBlock, parseAddressBlock, parseAddressBlocks } from '../../api-keys/address-blocks.ts'
import { setAllowedAddresses } from '../../api-keys/change-key.ts'
import { confirmKey } from '../../api-keys/confirm-key.ts'
import { createKey } from '../../api-keys/create-key.ts'
import { findKeyOf, keyStatus, newestKeys } from '../../api-keys/find-keys.ts'
import { revokeKey } from '../../api-keys/revoke-key.ts'
import type { ListedKey } from '../../api-keys/store.ts'
import { type ActScreenDeps, consoleAct } from '../../console/acts/act-screen.ts'
import type { FieldError } from '../../console/forms.ts'
import type { Say } from '../../console/say.ts'
import { absent, defineConsoleScreen, moved, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import { ALONE_HOURS, approveAlone, keyWaits, stopAlone } from '../../payouts/alone/approve-alone.ts'
import { endAloneOf } from '../../payouts/alone/end-alone.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { Scope } from '../../values/caller.ts'
import { stopWord } from '../approvals/alone-part.ts'
import { readAloneKeys, readPeopleOf } from './key-people.ts'
import {
  addressList,
  askAboutKey,
  askToCreateKey,
  type KeysPage,
  keyCreatedView,
  keysView,
  newKeyView,
  type TypedKey,
} from './key-views.ts'

export type KeyScreenDeps = { readonly sql: Sql; readonly key_prefix: string }
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

export const postKey = defineConsoleScreen<KeyScreenDeps>({
  method: 'POST',
  path: '/keys',
  operation: 'consoleCreateKey',
  summary: 'Create a key, which is shown once; a payout key waits for a second person',
  right: 'keys.manage',
  async confirm(request) {
    const wanted = readNewKey(request)
    if (wanted.kind === 'refused') return newKeyView(request, typedIn(request), wanted.errors)
    const { name, scope, blocks } = wanted
    return askToCreateKey(request, { name, scope, allowed_addresses: blocks.map(({ text }) => text) })
  },
  async handle(request, { sql, key_prefix }) {
    const wanted = readNewKey(request)
    if (wanted.kind === 'refused') return newKeyView(request, typedIn(request), wanted.errors)
    const { name, scope, blocks } = wanted
    const to_confirm = scope === 'payout'
    const asked = { key_prefix, scope, name, allowed_addresses: blocks, needs_confirmation: to_confirm }
    const { key } = await createKey(sql, request.tenant, asked, request.actor)
    const allowed_addresses = blocks.map(({ text }) => text)
    return keyCreatedView(request, { key: key.reveal(), name, scope, allowed_addresses, to_confirm })
  },
})

export const postKeyAddresses = defineConsoleScreen<KeyScreenDeps>({
  method: 'POST',
  path: '/keys/:key/addresses',
  operation: 'consoleAllowAddresses',
  summary: 'Replace the addresses that a key may be used from',
  right: 'keys.manage',
  async confirm(request, deps) {
    const key = await keyOf(request, deps)
    if (key === null) return absent
    const read = readAddresses(request, key)
    if (read.blocks === null) return refuseAddresses(request, deps, key, read.typed)
    const allowed_addresses = read.blocks.map(({ text }) => text)
    return askAboutKey(request, key, {
      question: ['Changer les adresses permises ?', 'Change the allowed addresses?'],
      lines: [{ name: ['Adresses', 'Addresses'], value: addressList(request.say, allowed_addresses) }],
      content: { allowed_addresses },
    })
  },
  async handle(request, deps) {
    const key = await keyOf(request, deps)
    if (key === null) return absent
    const { blocks, typed } = readAddresses(request, key)
    if (blocks === null) return refuseAddresses(request, deps, key, typed)
    const result = await setAllowedAddresses(
      deps.sql,
      key.key_id,
      blocks,
      request.actor,
      request.tenant,
      endAloneOf(request.actor),
    )
    if (result.kind === 'refused') return absent
    return moved(request.at(`/keys?done=${result.waits ? 'key_waits' : 'saved'}`))
  },
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

type NewKeyRead =
  | { kind: 'read'; name: string; scope: Scope; blocks: AddressBlock[] }
  | { kind: 'refused'; errors: FieldError[] }

function readNewKey(request: Request): NewKeyRead {
  const { say } = request
  const { name, scope, addresses } = typedIn(request)
  const blocks = readBlocks(addresses)
  const errors: FieldError[] = []
  if (name === '' || name.length > 100)
    errors.push({
      field: 'name',
      text: say(['Donnez un nom, de 100 lettres au plus.', 'Give a name, of 100 letters at most.']),
    })
  if (scope !== 'collect' && scope !== 'payout') {
    errors.push({ field: 'scope', text: say(['Choisissez ce que la clé peut faire.', 'Choose what the key can do.']) })
    return { kind: 'refused', errors }
  }
  if (blocks === null) errors.push(unreadable(say, 'addresses', addresses))
  return errors.length > 0 || blocks === null ? { kind: 'refused', errors } : { kind: 'read', name, scope, blocks }
}

/** The most IP addresses of a key. A longer list is a mistake. */
const ADDRESSES_MAX = 100

const wordsIn = (typed: string) => typed.split(/[\s,;]+/).filter((text) => text !== '')

/** Says why typed addresses are refused, and names the first that is wrong. */
function unreadable(say: Say, field: string, typed: string): FieldError {
  const written = wordsIn(typed)
  if (written.length > ADDRESSES_MAX) {
    const text = say(['{n} adresses au plus.', '{n} addresses at most.'], { n: ADDRESSES_MAX })
    return { field, text }
  }
  const address = written.find((text) => parseAddressBlock(text) === null)?.slice(0, 60) ?? ''
  const text = say(
    [
      '« {address} » ne se lit pas. Écrivez les adresses comme 192.0.2.7 ou 192.0.2.0/24, une par ligne.',
      '“{address}” cannot be read. Write addresses as 192.0.2.7 or 192.0.2.0/24, one per line.',
    ],
    { address },
  )
  return { field, text }
}

function readBlocks(typed: string): AddressBlock[] | null {
  const written = wordsIn(typed)
  if (written.length > ADDRESSES_MAX) return null
  return parseAddressBlocks(written)
}

/** Reads the typed addresses. The second button adds the last refused address to the allowed ones. */
function readAddresses({ fields }: Request, key: ListedKey): { typed: string; blocks: AddressBlock[] | null } {
  const added = fields.text('add')
  const typed = added === '' ? fields.text(`addresses_${key.key_id}`) : [...key.allowed_addresses, added].join('\n')
  return { typed, blocks: readBlocks(typed) }
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
  key: ListedKey,
  typed: string,
): Promise<ScreenAnswer> {
  const { key_id } = key
  const keys = await pageWith(sql, request, key)
  const sent = { key_id, typed, errors: [unreadable(request.say, `addresses_${key_id}`, typed)] }
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
