import { type Say, sayCount } from '../../console/say.ts'
import { type Forecast, LIKE_IT_MIN } from '../../operators/doubts/forecast.ts'

/** Writes how earlier operations like this one ended, with their numbers. It never predicts this one's end. */
export function forecastInWords(forecast: Forecast, say: Say): string {
  const n = forecast.like_it
  if (forecast.kind === 'too_little_history') {
    return sayCount(
      say,
      n,
      [
        `Trop peu de cas passés : {n} opération de cet opérateur est restée en doute aussi longtemps, il en faut ${LIKE_IT_MIN}.`,
        `Too few past cases: {n} operation of this operator was in doubt for as long, and ${LIKE_IT_MIN} are needed.`,
      ],
      [
        `Trop peu de cas passés : {n} opérations de cet opérateur sont restées en doute aussi longtemps, il en faut ${LIKE_IT_MIN}.`,
        `Too few past cases: {n} operations of this operator were in doubt for as long, and ${LIKE_IT_MIN} are needed.`,
      ],
    )
  }
  const hours = forecast.within_minutes / 60
  const within = hours < 1 ? `${forecast.within_minutes} min` : `${Math.round(hours)} h`
  const filled = { n, within, ended: percent(forecast.ended), succeeded: percent(forecast.succeeded) }
  return say(
    [
      'Sur {n} cas semblables, {ended} se sont terminés d’eux-mêmes en {within} ; {succeeded} de ceux-là ont réussi.',
      'Of {n} similar cases, {ended} ended by themselves within {within}; {succeeded} of those succeeded.',
    ],
    filled,
  )
}

/** Writes a percentage. It shows 100 % only for all, and 0 % only for none. */
function percent(share: number): string {
  const rounded = Math.round(share * 100)
  if (share < 1 && rounded === 100) return '99 %'
  return share > 0 && rounded === 0 ? '1 %' : `${rounded} %`
}
