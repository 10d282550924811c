import { miniTable, panel } from '../../console/components.ts'
import type { Words } from '../../console/say.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { bars, barsKey, scaleOf, writeCount } from '../charts/plot.ts'
import { type AgeClass, type AgeFilter, ageClasses, type CaseAges } from './case-ages.ts'
import { operatorWord } from './case-words.ts'

type Request = ScreenRequest<'desk'>

export const ageWords: Readonly<Record<AgeClass, Words>> = {
  hour: ['< 1\u00a0h', '< 1\u00a0h'],
  day: ['< 24\u00a0h', '< 24\u00a0h'],
  three_days: ['< 3\u00a0j', '< 3\u00a0d'],
  older: ['plus', 'older'],
}

/** Returns the address of the list of the cases that a figure counts. */
export function agesAddress({ at }: Pick<Request, 'at'>, { age, operator }: AgeFilter): string {
  const asked = { ...(age !== null && { age }), ...(operator !== null && { operator: operator || NO_OPERATOR }) }
  const query = new URLSearchParams(asked).toString()
  return at(query === '' ? '' : `?${query}`)
}

/** The value in an address for cases without an operator. */
const NO_OPERATOR = 'none'

/** Reads the filter from an address. An invalid value filters nothing. */
export function agesAsked(query: Request['query']): AgeFilter {
  const operator = query.get('operator') ?? ''
  return {
    age: ageClasses.find(({ name }) => name === query.get('age'))?.name ?? null,
    operator: /^\w{1,60}$/.test(operator) ? (operator === NO_OPERATOR ? '' : operator) : null,
  }
}

/** Writes an operator for a table or a filter. Empty: none. */
export function operatorOf({ say }: Pick<Request, 'say'>, operator: string): string {
  return operator === '' ? say(['aucun', 'none']) : operatorWord(operator, say)
}

/** The open doubts and mismatches by age, above a table of them by operator. False when there are none. Every figure links to its cases. */
export function agesPanel(request: Request, { classes, operators }: CaseAges): Html | false {
  const { say, language } = request
  if (operators.length === 0) return false
  const scale = scaleOf(Math.max(...classes.map(({ doubts, anomalies }) => doubts + anomalies)))
  const drawing = bars(
    'ages',
    classes.map(({ age, doubts, anomalies }) => ({
      to: agesAddress(request, { age, operator: null }),
      value: doubts,
      more: anomalies,
    })),
    { ...scale, language, days_max: classes.length, labels: classes.map(({ age }) => say(ageWords[age])) },
  )
  const figure = (count: number, to: AgeFilter) =>
    html`<td class="n">${count === 0 ? '0' : html`<a href="${agesAddress(request, to)}">${writeCount(count)}</a>`}</td>`
  const totals = classes.map(({ age, doubts, anomalies }) => figure(doubts + anomalies, { age, operator: null }))
  const lines = operators.map(({ operator, counts }) => {
    const all = html`<a href="${agesAddress(request, { age: null, operator })}">${operatorOf(request, operator)}</a>`
    const ofAge = counts.map((count, at) => figure(count, { age: ageClasses[at]!.name, operator }))
    return html`<tr><td>${all}</td>${ofAge}</tr>`
  })
  const total = html`<tr><td><b>${say(['Tous', 'All'])}</b></td>${totals}</tr>`
  const heads = {
    texts: [say(['Opérateur', 'Operator'])],
    numbers: classes.map(({ age }) => say(ageWords[age])),
  }
  const table = miniTable(heads, html`${lines}${total}`)
  const key = barsKey(say(['En vérification', 'Being checked']), say(['Anomalies', 'Mismatches']))
  return panel(say(['Âge des doutes', 'Age of doubts']), html`<div class="two">${drawing}<div>${table}</div></div>`, {
    more: key,
  })
}
