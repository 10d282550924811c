import { operatorName } from '../console/components.ts'
import { type IconName, icon } from '../console/icons.ts'
import { type Say, sayCount, type Words } from '../console/say.ts'
import type { WeatherReport } from '../operators/weather/follow-weather.ts'
import { isBad, type Weather } from '../operators/weather/weather.ts'
import { type Html, html } from '../platform/http/html.ts'
import { type OperatorCode, operatorCodes } from '../values/operators.ts'

/** The state of payments with one operator. */
export type Condition = 'unknown' | 'normal' | 'slow' | 'disturbed' | 'down'

export type OperatorWeather = Pick<Weather, 'operations' | 'success_rate' | 'median_seconds'> & {
  readonly operator: OperatorCode
  readonly condition: Condition
}

/** The median time of payments in seconds above which an operator is slow. */
const SLOW_FROM = 60
/** The success rate below which an operator is down. */
const DOWN_BELOW = 0.2

/** Returns the weather of payments with each operator in one mode: of the last quarter of an hour, or of the day if that has too few payments. */
export function operatorWeather(report: Pick<WeatherReport, 'at'>, livemode: boolean): readonly OperatorWeather[] {
  return operatorCodes.map((operator) => {
    const { last_15_minutes, last_24_hours } = report.at({ livemode, operator, direction: 'collect' })
    const told = last_15_minutes.success_rate === null ? last_24_hours : last_15_minutes
    const { operations, success_rate, median_seconds } = told
    return { operator, operations, success_rate, median_seconds, condition: conditionOf(told) }
  })
}

/** Returns the state for a weather. Pure. */
export function conditionOf(weather: Weather): Condition {
  const { success_rate, median_seconds } = weather
  if (success_rate === null) return 'unknown'
  if (success_rate < DOWN_BELOW) return 'down'
  if (isBad(weather)) return 'disturbed'
  return median_seconds !== null && median_seconds > SLOW_FROM ? 'slow' : 'normal'
}

export const conditionWords: Readonly<Record<Condition, readonly [icon: IconName, ink: string, words: Words]>> = {
  unknown: ['clock', '', ['Trop peu', 'Too few']],
  normal: ['sun', '', ['Normal', 'Normal']],
  slow: ['cloud', 'care-ink', ['Lent', 'Slow']],
  disturbed: ['storm', 'bad-ink', ['Perturbé', 'Disturbed']],
  down: ['storm', 'bad-ink', ['En panne', 'Down']],
}

/** The state of payments with one operator, as its picture and its word. */
export function drawCondition(condition: Condition, say: Say): Html {
  const [name, ink, words] = conditionWords[condition]
  return html`<b${ink !== '' && html` class="${ink}"`}>${icon(name)} ${say(words)}</b>`
}

/** The weather of all operators in a row. @param to the address of each link */
export function weatherStrip(weather: readonly OperatorWeather[], to: string, say: Say): Html {
  const links = weather.map(({ operator, condition, ...figures }) => {
    const share = html`<span class="sub">${shareInWords(figures, say)}</span>`
    return html`<a href="${to}">${operatorName(operator)}${drawCondition(condition, say)}${share}</a>`
  })
  return html`<div class="weather">${links}</div>`
}

/** Writes `97 % sur 412 · 14 s`, or only the number of operations when they are too few. */
export function shareInWords(
  { operations, success_rate, median_seconds }: Pick<Weather, 'operations' | 'success_rate' | 'median_seconds'>,
  say: Say,
): string {
  if (success_rate === null)
    return sayCount(say, operations, ['{n} opération', '{n} operation'], ['{n} opérations', '{n} operations'])
  const share = say(['{share} % sur {n}', '{share} % of {n}'], { share: Math.floor(success_rate * 100), n: operations })
  return median_seconds === null ? share : `${share} · ${secondsInWords(median_seconds)}`
}

/** Writes a duration: `14 s`, `3 min`. */
function secondsInWords(seconds: number): string {
  return seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`
}
