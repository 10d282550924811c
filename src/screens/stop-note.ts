import { note } from '../console/components.ts'
import { sayWords, type Words } from '../console/say.ts'
import type { ScreenRequest } from '../console/screen.ts'
import { readStopsOf, type StopOf } from '../payouts/store.ts'
import { type Html, html } from '../platform/http/html.ts'
import { writeShortDate } from '../platform/http/pages/write-values.ts'
import type { Db } from '../platform/postgres/database.ts'
import { isOperatorCode, operatorNames } from '../values/operators.ts'

// What a merchant reads about a stop of payouts by the company, which names no person and no reason.

export type { StopOf }

/** Reads the stops in force that concern a merchant: of all payouts, of an operator, or of this merchant. */
export const readStopsFor = (db: Db, { merchant_id }: { merchant_id: number }): Promise<StopOf[]> =>
  readStopsOf(db, merchant_id)

/** The stop that holds a payout through this operator. Null: none. */
export function stopHolding(stops: readonly StopOf[], operator: string | null): StopOf | null {
  return stops.find(({ scope, value }) => scope !== 'operator' || value === operator) ?? null
}

function titleOf({ scope, value }: StopOf): Words {
  if (scope === 'all') return ['Tous les envois sont arrêtés', 'All payouts are stopped']
  if (scope === 'merchant') return ['Vos envois sont arrêtés', 'Your payouts are stopped']
  const name = isOperatorCode(value) ? operatorNames[value] : value
  return [`Les envois ${name} sont arrêtés`, `Payouts through ${name} are stopped`]
}

/** One note for each of these stops: since when, and what becomes of the payouts. */
export function stopNotes(
  { say, language }: Pick<ScreenRequest<'console'>, 'say' | 'language'>,
  stops: readonly StopOf[],
): Html {
  const kept = say([
    'Le service les a arrêtés, le temps de vérifier. Rien n’est perdu : ceux qui attendent partent à la reprise.',
    'The service has stopped them while it checks. Nothing is lost: those that wait leave when it resumes.',
  ])
  const others = stops.every(({ scope }) => scope === 'operator')
  const work = others ? ` ${say(['Les autres opérateurs marchent.', 'The other operators work.'])}` : ''
  return html`${stops.map((stop) => {
    const since = say(['depuis le {when}', 'since {when}'], { when: writeShortDate(stop.stopped_at, language) })
    return note('care', `${sayWords(say, titleOf(stop))} ${since}`, `${kept}${work}`)
  })}`
}
