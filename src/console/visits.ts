import { recordAct } from '../audit-log/record-act.ts'
import type { Session } from '../people/sessions/session.ts'
import type { OpenVisit } from '../people/visits/visit.ts'
import { type Html, html } from '../platform/http/html.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { asSeen } from '../values/as-seen.ts'
import { Msisdn, replaceNumbers } from '../values/msisdn.ts'
import { rightsOf } from '../values/rights.ts'
import { linkButton, panel } from './components.ts'
import type { ConsoleFrame } from './console-frame.ts'
import { icon } from './icons.ts'
import type { Say } from './say.ts'
import type { Screen, ScreenRequest, ScreenView } from './screen.ts'

/**
 * Reads the visit by which a staff member reads a merchant's console. Null when there is none, when they have roles at the merchant, or when
 * they lost the right to visit.
 */
export async function visitAt(
  frame: Pick<ConsoleFrame, 'readVisit'>,
  { door }: Screen<never>,
  session: Session,
  merchant: string,
): Promise<OpenVisit | null> {
  if (door !== 'console' || !/^[1-9]\d{0,14}$/.test(merchant)) return null
  const isMember = session.memberships.some(({ merchant_id }) => String(merchant_id) === merchant)
  if (isMember || !rightsOf(session.staff_roles).has('merchants.look')) return null
  return frame.readVisit(session.person.email, Number(merchant))
}

/** The banner above each page of a visit, with the link to end it. @param desk the address of the merchant on the desk */
export function visitBanner({ reason, merchant_name: name, ends_at }: OpenVisit, desk: string, say: Say): Html {
  const until = ends_at.toISOString().slice(11, 16)
  const says = say(
    [
      'Vous lisez ce compte pour «\u00a0{reason}\u00a0». {name} le voit. Rien ne peut être changé. Fin à {until}.',
      'You read this account for “{reason}”. {name} sees it. Nothing can be changed. It ends at {until}.',
    ],
    { reason, name, until },
  )
  const end = html`<a href="${desk}">${say(['Finir la lecture', 'End the visit'])}</a>`
  return html`<div class="toast care" role="status"><p>${says} ${end}</p></div>`
}

/**
 * Records a visitor's search for a number, or for four digits that may end one, before its screen reads anything. The number is masked.
 * @param typed the text of a screen that hides it from addresses
 */
export async function recordSearch(
  sql: Sql,
  { tenant, actor }: Pick<ScreenRequest<'console'>, 'tenant' | 'actor'>,
  typed: string,
): Promise<void> {
  // As the search reads it.
  const seen = asSeen(typed).trim()
  const number = Msisdn.parse(seen)
  if (number === null && !/^\d{4}$/.test(seen)) return
  const after = number === null ? { last4: seen } : { number: number.masked }
  await sql.begin(async (tx) => recordAct(tx, tenant, { actor, act: 'visit.search', after }))
}

/** The page that answers every act during a visit. */
export function visitOnlyView({ say, at }: { say: Say; at: (path: string) => string }): ScreenView {
  const title = say(['Une lecture ne change rien', 'A visit changes nothing'])
  const text = say([
    'Rien n’a été fait. Seules les personnes du marchand agissent ici.',
    'Nothing was done. Only the merchant’s own people act here.',
  ])
  const said = html`<span class="icon care">${icon('shut')}</span><h1>${title}</h1><p class="lead">${text}</p>`
  const leave = linkButton(at(''), say(['Revenir à l’accueil', 'Back to the first page']), 'second')
  const main = panel(null, html`<div class="blank">${said}<p class="acts">${leave}</p></div>`)
  return { kind: 'view', status: 403, title, main, facts: { error: { code: 'visit_only' } } }
}

/** Masks all phone numbers in a page or its facts to their ends, because a visitor may not see more. */
export function maskWholeNumbers(text: string): string {
  return replaceNumbers(text, (pair, last) => `•• ${pair} ${last}`)
}
