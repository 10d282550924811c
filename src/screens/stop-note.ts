import { note } from '../console/components.ts'
import { sayWords, type Words } from '../console/say.ts'
import type { ScreenRequest } from '../console/screen.ts'
import { readStopsOf, type StopOf } from '../payouts/store.ts'
import { type Html, html } from '../platform/http/html.ts'
import { writeShortDate } from '../platform/http/pages/write-values.ts'
import type { Db } from '../platform/postgres/database.ts'
import { isOperatorCode, operatorNames } from '../values/operators.ts'

// A merchant's note about a stop of payouts by the company. It names no person and no reason.

export type { StopOf }

/** Reads the stops in force that concern a merchant: of all payouts, of an operator, or of this merchant. */
export const readStopsFor = (db: Db, { merchant_id }: { merchant_id: number }): Promise<StopOf[]> =>
  readStopsOf(db, merchant_id)

/** The stop that holds a payout through this operator. Null: none. */
export function stopHolding(stops: readonly StopOf[], operator: string | null): StopOf | null {
  return stops.find(({ scope, value }) => scope !== 'operator' || value === operator) ?? null
}

/** One note about these stops, the widest first. Nothing without any. */
export function stopNotes(
  { say, language }: Pick<ScreenRequest<'console'>, 'say' | 'language'>,
  stops: readonly StopOf[],
): Html {
  const [first] = stops
  if (first === undefined) return html``
  const widest = stops.find(({ scope }) => scope === 'all') ?? stops.find(({ scope }) => scope === 'merchant')
  const since = say(['depuis le {when}', 'since {when}'], {
    when: writeShortDate((widest ?? first).stopped_at, language),
  })
  const kept = say([
    'Le service les a arrêtés, le temps de vérifier. Rien n’est perdu : ceux qui attendent partent à la reprise.',
    'The service has stopped them while it checks. Nothing is lost: those that wait leave when it resumes.',
  ])
  const others = widest === undefined ? ` ${say(['Les autres opérateurs marchent.', 'The other operators work.'])}` : ''
  return note(
    'care',
    `${sayWords(say, widest === undefined ? ofOperators(stops) : titles[widest.scope])} ${since}`,
    `${kept}${others}`,
  )
}

const titles: Readonly<Record<StopOf['scope'], Words>> = {
  all: ['Tous les envois sont arrêtés', 'All payouts are stopped'],
  merchant: ['Vos envois sont arrêtés', 'Your payouts are stopped'],
  operator: ['Des envois sont arrêtés', 'Payouts are stopped'],
}

function ofOperators(stops: readonly StopOf[]): Words {
  const names = stops.map(({ value }) => (isOperatorCode(value) ? operatorNames[value] : value))
  return [`Envois ${names.join(', ')} arrêtés`, `Payouts through ${names.join(', ')} stopped`]
}
