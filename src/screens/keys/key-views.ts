import { addressesFact, scopeWords, writeBlock } from '../../api-keys/key-facts.ts'
import { type KeyStatus, keyStatus } from '../../api-keys/states.ts'
import type { ListedKey } from '../../api-keys/store.ts'
import {
  backLink,
  blank,
  id,
  linkButton,
  note,
  pageHead,
  panel,
  rows,
  type StatusShape,
  status,
  toCopy,
} from '../../console/components.ts'
import { choices, errorList, type FieldError, field, form, textArea } from '../../console/forms.ts'
import { icon } from '../../console/icons.ts'
import { pages } from '../../console/list.ts'
import type { Say, Words } from '../../console/say.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { type Html, html, type Piece } from '../../platform/http/html.ts'
import { writeShortDate } from '../../platform/http/pages/write-values.ts'
import type { Scope } from '../../values/caller.ts'
import type { Page } from '../../values/page.ts'
import { alonePart, endedNote, type LastApproval } from '../approvals/alone-part.ts'
import { personName } from '../desk/case-words.ts'

type Request = ScreenRequest<'console'>

const statuses: Readonly<Record<KeyStatus, readonly [StatusShape, Words]>> = {
  active: ['ok', ['Active', 'Active']],
  to_confirm: ['wait', ['À confirmer', 'To confirm']],
  revoked: ['off', ['Révoquée', 'Revoked']],
}

/** Writes the public part of a key, which identifies it and gives no access. */
export function maskedKey(key_prefix: string, { livemode, key_id }: Pick<ListedKey, 'livemode' | 'key_id'>): string {
  return `${key_prefix}_sk_${livemode ? 'live' : 'test'}_${key_id}…`
}

/** Returns the name that a merchant gave a key, or its id when a command made it. */
export function keyName({ name, key_id }: Pick<ListedKey, 'name' | 'key_id'>): string {
  return name ?? key_id
}

/** Whether the reader may confirm their own keys alone, and the last such approval of each key. */
export type AloneKeys = { readonly may: boolean; readonly last: ReadonlyMap<string, LastApproval> }

/** The keys of one page, with the names of their people by e-mail address. */
export type KeysPage = {
  readonly keys: Page<ListedKey>
  readonly key_prefix: string
  readonly names: ReadonlyMap<string, string>
  readonly alone: AloneKeys
  /** The waiting keys that the reader may confirm, as far as the reader's own acts are concerned. */
  readonly confirmable: ReadonlySet<string>
  readonly sent?: RefusedAddresses
  /** Why an act about a key was refused. */
  readonly refused?: readonly FieldError[]
}

/** The page of a merchant's keys, each with its scopes, addresses and people. */
export function keysView(request: Request, shown: KeysPage): ScreenView {
  const { keys, sent, refused = [] } = shown
  const errors = sent?.errors ?? refused
  const { say, at, livemode, can } = request
  const make = can('keys.manage') && linkButton(at('/keys/new'), say(['Créer une clé', 'Create a key']))
  const lead = livemode
    ? say(['Pour vos serveurs seulement. Argent réel.', 'For your servers only. Real money.'])
    : say(['Pour vos serveurs seulement. Clés de test.', 'For your servers only. Test keys.'])
  const none = blank('key', {
    title: say(['Aucune clé pour le moment', 'No key yet']),
    text: say([
      'Une clé permet à votre programme d’encaisser ou d’envoyer de l’argent.',
      'A key lets your program collect or send money.',
    ]),
  })
  const drawn = keys.rows.map((key) => keyPanel(request, key, shown))
  const older = keys.after === null ? null : at(`/keys?after=${keys.after}`)
  const main = html`${pageHead({ title: say(['Clés', 'Keys']), lead, acts: make })}
${errorList(say, errors)}<div class="stack">${drawn.length === 0 ? panel(null, none) : drawn}</div>
${pages(say, { newer: request.query.has('after') ? at('/keys') : null, older })}`
  const facts = { keys: keys.rows.map(factsOf), after: keys.after, errors }
  return {
    kind: 'view',
    status: sent !== undefined ? 422 : refused.length > 0 ? 409 : 200,
    title: say(['Clés', 'Keys']),
    main,
    facts,
  }
}

/** The typed addresses of a key, and why they were refused. */
export type RefusedAddresses = {
  readonly key_id: string
  readonly typed: string
  readonly errors: readonly FieldError[]
}

function factsOf({ merchant_id: _, ...key }: ListedKey): object {
  return { ...key, status: keyStatus(key) }
}

function keyPanel(request: Request, key: ListedKey, { key_prefix, names, sent, alone, confirmable }: KeysPage): Html {
  const { say, language, at, can } = request
  const stands = keyStatus(key)
  const [shape, word] = statuses[stands]
  const time = (moment: Date | null) => moment !== null && writeShortDate(moment, language)
  const did = (person: string | null, moment: Date | null) =>
    [person !== null && personName(person, names, say), time(moment)].filter(Boolean).join(', ')
  const facts = rows([
    {
      name: say(['Peut', 'Can']),
      value: html`<span class="tag${key.scope === 'payout' && ' care'}">${say(scopeWords[key.scope])}</span>`,
    },
    { name: say(['Clé', 'Key']), value: id(maskedKey(key_prefix, key)) },
    { name: say(['Faite par', 'Created by']), value: did(key.created_by, key.created_at) },
    key.confirmed_by !== null && {
      name: say(['Confirmée par', 'Confirmed by']),
      value: did(key.confirmed_by, key.confirmed_at),
    },
    stands === 'revoked'
      ? { name: say(['Révoquée', 'Revoked']), value: did(key.revoked_by, key.revoked_at) }
      : {
          name: say(['Dernier usage', 'Last used']),
          value:
            key.last_used_at === null
              ? say(['jamais', 'never'])
              : `${time(key.last_used_at)}, ${key.last_used_address ?? ''}`,
        },
  ])
  const head = html`<header><h2>${keyName(key)}</h2>${status(shape, say(word))}</header>`
  if (stands === 'revoked') return html`<article class="panel">${head}<div>${facts}</div></article>`
  const act =
    stands === 'to_confirm' ? confirmPart(request, key, alone, confirmable) : addressesPart(request, key, sent)
  const words = html`${say(['Révoquer', 'Revoke'])}<span class="sr"> ${keyName(key)}</span>`
  const button = html`<button class="stop small">${words}</button>`
  const revoke =
    can('keys.manage') &&
    html`<footer>${form(request, at(`/keys/${key.key_id}/revoke`), button, { class: 'acts' })}</footer>`
  return html`<article class="panel">${head}<div class="half"><div>${facts}</div>${act}</div>${revoke}</article>`
}

/** The part for the second person. The key's maker reads that another person must confirm. */
function confirmPart(
  request: Request,
  key: ListedKey,
  { may, last: lasts }: AloneKeys,
  confirmable: KeysPage['confirmable'],
): Html {
  const { say, at, can } = request
  const own = !confirmable.has(key.key_id)
  const last = lasts.get(key.key_id) ?? null
  const isTheirs = own || last?.ended_at === null
  const alone = isTheirs ? alonePart(request, at(`/keys/${key.key_id}`), { may, last, expiring: null }) : null
  const ended = own ? endedNote(request, { last }) : null
  if (alone !== null) return html`<div class="stack">${ended}${alone}</div>`
  const button = html`<button class="small">${say(['Confirmer la clé', 'Confirm the key'])}</button>`
  const act =
    can('keys.confirm') && !own
      ? form(request, at(`/keys/${key.key_id}/confirm`), button, { class: 'acts' })
      : html`<p><b>${say(own ? otherConfirms : theyConfirm)}</b></p>`
  return html`<div class="stack">${ended}<div class="note plain"><p>${say(whySecond)}</p>${act}</div></div>`
}

const whySecond: Words = [
  'Une clé qui envoie de l’argent ne sert qu’une fois confirmée par une deuxième personne. La personne qui l’a faite, ou qui s’en sert, n’approuve pas ses demandes.',
  'A key that sends money works only once a second person has confirmed it. The person who makes or uses it does not approve its requests.',
]
const otherConfirms: Words = [
  'Vous l’avez faite ou élargie, ou vous avez fait entrer qui l’a fait depuis moins de 90 jours : une autre personne la confirme.',
  'You created or widened it, or let in within 90 days the person who did: another person confirms it.',
]
const theyConfirm: Words = ['Un propriétaire ou un approbateur la confirme.', 'An owner or an approver confirms it.']

function addressesPart(request: Request, key: ListedKey, sent: RefusedAddresses | undefined): Html {
  const { say, at, can } = request
  const refused = refusedCall(request, key)
  const shown = key.allowed_addresses.map(writeBlock)
  if (!can('keys.manage')) {
    const from = addressList(say, key.allowed_addresses)
    return html`<div class="stack">${rows([{ name: say(['Adresses permises', 'Allowed addresses']), value: from }])}${refused}</div>`
  }
  const mine = sent?.key_id === key.key_id ? sent : undefined
  const name = `addresses_${key.key_id}`
  const area = textArea(
    {
      name,
      label: say(['Permettre seulement', 'Allow only']),
      hint: say(['Une par ligne. Vide : toutes.', 'One per line. Leave empty to allow any.']),
      value: mine?.typed ?? shown.join('\n'),
      more: { rows: '2', spellcheck: 'false' },
    },
    mine?.errors,
  )
  const known = key.last_refused_address !== null && !shown.includes(key.last_refused_address)
  const words = say(['Permettre cette adresse', 'Allow this address'])
  const button = html`<button class="quiet small" name="add" value="${key.last_refused_address}">${words}</button>`
  const add = known && shown.length > 0 && html`<p class="acts">${button}</p>`
  const allowed =
    shown.length > SHOWN_MAX
      ? say(['Adresses permises : {n}', 'Allowed addresses: {n}'], { n: shown.length })
      : say(['Adresses permises : {list}', 'Allowed addresses: {list}'], {
          list: addressList(say, key.allowed_addresses),
        })
  const save = html`<p class="acts"><button class="second small">${say(['Enregistrer', 'Save'])}</button></p>`
  const summary = html`<summary>${allowed}<span class="sr"> ${keyName(key)}</span></summary>`
  const change = html`<details${mine !== undefined && html` open`}>${summary}<div class="stack">${area}${save}</div></details>`
  return form(request, at(`/keys/${key.key_id}/addresses`), html`${change}${refused}${add}`)
}

/** The last call with this key from an address that it does not allow. */
function refusedCall({ say, language }: Request, { last_refused_address: address, last_refused_at }: ListedKey): Piece {
  if (address === null || last_refused_at === null) return null
  const words = say([' : {address} n’est pas une adresse permise.', ': {address} is not an allowed address.'], {
    address,
  })
  const refused = say(['Appel refusé', 'Call refused'])
  return note('care', null, html`<b>${refused}</b>, ${writeShortDate(last_refused_at, language)}${words}`)
}

/** The most addresses that stand in one line. */
const SHOWN_MAX = 2

export type TypedKey = { readonly name: string; readonly scope: string; readonly addresses: string }

/** The form of a new key. */
export function newKeyView(request: Request, typed: TypedKey, errors: readonly FieldError[]): ScreenView {
  const { say, at } = request
  const title = say(['Créer une clé', 'Create a key'])
  const content = html`<div class="stack"><h1>${title}</h1>${field(
    {
      name: 'name',
      label: say(['Nom', 'Name']),
      hint: say(['Pour la reconnaître, comme « Boutique en ligne ».', 'To recognise it, such as “Online shop”.']),
      value: typed.name,
      more: { maxlength: '100' },
    },
    errors,
  )}${choices(
    {
      name: 'scope',
      legend: say(['Cette clé peut', 'This key can']),
      kind: 'radio',
      chosen: [typed.scope],
      choices: [
        {
          value: 'collect',
          label: say(scopeWords.collect),
          hint: say(['Elle ne fait jamais partir d’argent.', 'It never sends money out.']),
        },
        {
          value: 'payout',
          label: say(scopeWords.payout),
          hint: say([
            'Une deuxième personne la confirme avant qu’elle serve.',
            'A second person confirms it before it works.',
          ]),
        },
      ],
    },
    errors,
  )}${textArea(
    {
      name: 'addresses',
      label: say(['Adresses permises', 'Allowed addresses']),
      hint: say([
        'Celles de vos serveurs, une par ligne, comme 192.0.2.7 ou 192.0.2.0/24. Vide : toutes.',
        'Those of your servers, one per line, such as 192.0.2.7 or 192.0.2.0/24. Leave empty to allow any.',
      ]),
      value: typed.addresses,
      more: { rows: '2', spellcheck: 'false' },
    },
    errors,
  )}</div><div><button class="wide">${title}</button></div>`
  const back = backLink(at('/keys'), say(['Clés', 'Keys']))
  const slip = form(request, at('/keys'), content, { class: 'slip' })
  const main = html`${back}<div class="narrow wider">${errorList(say, errors)}${slip}</div>`
  return { kind: 'view', status: errors.length === 0 ? 200 : 422, title, main, facts: { typed, errors } }
}

/** The only page that shows a key. */
export function keyCreatedView(
  request: Request,
  made: { key: string; name: string; scope: Scope; allowed_addresses: readonly string[]; to_confirm: boolean },
): ScreenView {
  const { say, at, session } = request
  const title = say(['Copiez cette clé maintenant', 'Copy this key now'])
  const lead = say([
    'Elle ne sera plus jamais montrée. Si elle se perd, faites-en une autre.',
    'It will never be shown again. If it is lost, make another.',
  ])
  const waiting = say([
    'Elle ne sert pas encore : une deuxième personne doit la confirmer.',
    'It does not work yet: a second person has to confirm it.',
  ])
  const waits = made.to_confirm && html`<div>${note('care', null, waiting)}</div>`
  const beside = linkButton(at('/keys'), say(['Je l’ai rangée', 'I have stored it']), 'quiet')
  const copy = toCopy(made.key, { say, words: say(['Copier la clé', 'Copy the key']), beside })
  const facts = rows([
    { name: say(['Nom', 'Name']), value: made.name },
    { name: say(['Peut', 'Can']), value: say(scopeWords[made.scope]) },
    { name: say(['Adresses', 'Addresses']), value: addressList(say, made.allowed_addresses) },
    { name: say(['Faite par', 'Created by']), value: session.person.name },
  ])
  const stored = say([
    'Dans un coffre ou une variable de votre serveur ; jamais dans une page, une application ou un message.',
    'In a vault or a variable of your server; never in a page, an application or a message.',
  ])
  const head = html`<div><span class="icon">${icon('key')}</span><h1>${title}</h1><p class="lead">${lead}</p></div>`
  const main = html`<div class="narrow wider"><article class="slip">${head}
<div class="stack">${copy}</div>${waits}
<div>${facts}<p class="hint gap">${stored}</p></div></article></div>`
  return { kind: 'view', title, main, facts: { key: made.key, scope: made.scope } }
}

/** Writes the allowed addresses of a key. Without any, every address is allowed. */
export function addressList(say: Say, addresses: readonly string[]): string {
  return say(addressesFact.write(addresses))
}
