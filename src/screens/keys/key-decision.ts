import { newestKeys } from '../../api-keys/find-keys.ts'
import { keyStatus } from '../../api-keys/states.ts'
import type { ListedKey } from '../../api-keys/store.ts'
import { backLink, differs, id, rows, status } from '../../console/components.ts'
import { decideBar, form } from '../../console/forms.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { type CapsInForce, readCaps, type UsualLimits } from '../../payouts/caps/read-caps.ts'
import { readPersonNames } from '../../people/name-store.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeAmount, writeShortDate } from '../../platform/http/pages/write-values.ts'
import type { Db } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'
import { addressList, keyName, maskedKey } from './key-views.ts'

type Request = ScreenRequest<'console'>

/** Keys among which an earlier one that sends money is looked for. A merchant has a handful. */
const LOOKED_AT = 50

/** The facts for the second person of a key: the key, its powers, and the unusual about it. */
export type KeyDecision = {
  readonly key: ListedKey
  readonly key_prefix: string
  readonly caps: CapsInForce
  /** No other key of this merchant sends money in this mode now. */
  readonly is_first: boolean
  readonly made_by: string | null
  readonly widened_by: string | null
}

/** Reads the facts beside a key that waits. */
export async function readKeyDecision(db: Db, tenant: Tenant, key: ListedKey, usual: UsualLimits) {
  const { created_by, widened_by } = key
  const [caps, { rows: others }, names] = await Promise.all([
    readCaps(db, tenant, usual),
    newestKeys(db, tenant, { limit: LOOKED_AT, after: null }),
    readPersonNames(db, [created_by, widened_by]),
  ])
  const named = (person: string | null) => (person === null ? null : (names.get(person) ?? person))
  const sends = others.some((other) => other.scope === 'payout' && keyStatus(other) === 'active')
  return { key, caps, is_first: !sends, made_by: named(created_by), widened_by: named(widened_by) }
}

/** The page of one key that waits for its second person: its consequence, what is unusual, the facts, and the two buttons. */
export function keyDecisionView(request: Request, facts: KeyDecision): ScreenView {
  const { say, at } = request
  const { key, caps } = facts
  const may = say(
    [
      'Cette clé laissera un programme envoyer de l’argent sans personne, jusqu’à {sum} par envoi.',
      'This key will let a program send money without anybody, up to {sum} a payout.',
    ],
    { sum: writeAmount(caps.operation) },
  )
  const waits = status('wait', say(['À confirmer par vous', 'To be confirmed by you']))
  const head = html`<header><p>${waits}</p><h1>${keyName(key)}</h1><p class="say">${may}</p></header>`
  const before = html`<h2 id="u">${say(['Avant de confirmer', 'Before you confirm'])}</h2>`
  const unusual = html`<section aria-labelledby="u">${before}${differs(unusualOf(request, facts))}</section>`
  const main = html`${backLink(at(''), say(['Accueil', 'Home']))}
<div class="narrow"><article class="slip">${head}${unusual}<div>${factsOf(request, facts)}</div>${buttons(request, key)}</article></div>`
  return { kind: 'view', title: keyName(key), main, facts, deciding: true }
}

function unusualOf({ say }: Request, { key, is_first, made_by, widened_by }: KeyDecision) {
  const first = say(['Première clé qui envoie de l’argent.', 'The first key that sends money.'])
  const anywhere = say([
    'Aucune adresse fixée. Elle servirait depuis n’importe où.',
    'No address is set. It would work from anywhere.',
  ])
  const widened = say(['Ses adresses ont été élargies par {name}.', 'Its addresses were widened by {name}.'], {
    name: widened_by ?? '',
  })
  const by = say(['Faite par {name}.', 'Made by {name}.'], { name: made_by ?? '' })
  return [
    ...(is_first ? [{ same: false, text: html`<b>${first}</b>` }] : []),
    ...(key.allowed_addresses.length === 0 ? [{ same: false, text: html`<b>${anywhere}</b>` }] : []),
    ...(widened_by !== null ? [{ same: false, text: html`<b>${widened}</b>` }] : []),
    ...(made_by !== null ? [{ same: true, text: by }] : []),
  ]
}

function factsOf({ say, language }: Request, { key, key_prefix, caps, made_by }: KeyDecision): Html {
  return rows([
    made_by !== null && { name: say(['Faite par', 'Created by']), value: made_by },
    { name: say(['Quand', 'When']), value: writeShortDate(key.created_at, language) },
    { name: say(['Clé', 'Key']), value: id(maskedKey(key_prefix, key)) },
    { name: say(['Adresses', 'Addresses']), value: addressList(say, key.allowed_addresses) },
    { name: say(['Plafond de 24 heures', 'Cap of 24 hours']), value: writeAmount(caps.day) },
  ])
}

/** Refusing a key revokes it, which takes the right to manage keys. */
function buttons(request: Request, { key_id }: ListedKey): Html {
  const { say, at, can } = request
  const agree = { to: at(`/keys/${key_id}/confirm`), words: say(['Confirmer la clé', 'Confirm the key']) }
  if (can('keys.manage')) {
    return decideBar(request, { to: at(`/keys/${key_id}/revoke`), words: say(['Refuser', 'Decline']) }, agree)
  }
  return html`<div class="decide">${form(request, agree.to, html`<button class="wide">${agree.words}</button>`, { class: 'yes' })}</div>`
}
