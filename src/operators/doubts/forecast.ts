import type { InstructionState } from '../instruction-states.ts'

/** An operation that was in doubt. */
export type Doubted = {
  state: InstructionState
  /** From its send to its end; while it is open, to now. */
  seconds: number
  /** Whether two people concluded it, and not its operator. */
  by_people: boolean
}

/** The forecast for an operation in doubt, from the past of its operator. Shares from 0 to 1. */
export type Forecast =
  | {
      kind: 'told'
      /** The number of comparable operations behind the forecast. */
      like_it: number
      /** Minutes from now. */
      within_minutes: number
      /** The share of them that their operator concluded within these minutes. */
      ended: number
      /** The share of the concluded ones that succeeded. */
      succeeded: number
      says: string
    }
  | { kind: 'too_little_history'; like_it: number; says: string }

/** The fewest comparable operations from which a forecast is made. */
export const LIKE_IT_MIN = 20

/** The horizons of a forecast, in minutes. The shortest in which nine of ten operations end is used. */
const AHEAD = [1, 10, 60, 360, 1_440, 10_080]
const NEARLY_ALL = 0.9

/**
 * Forecasts the end of an operation in doubt, from operations of the same operator that were in doubt and still open at
 * the same age. An operation that is open, or that people concluded, counts as not concluded by its operator, and only
 * when its own age reaches the horizon. Pure.
 * @param age_seconds since its send
 */
export function forecast(age_seconds: number, doubted: readonly Doubted[]): Forecast {
  const like = doubted.filter(({ seconds }) => seconds > age_seconds)
  const tries = AHEAD.map((minutes) => lookAhead(age_seconds, minutes, like)).filter(({ told }) => told >= LIKE_IT_MIN)
  const best = tries.find(({ told, ended }) => ended / told >= NEARLY_ALL) ?? tries.at(-1)
  if (best === undefined) {
    const count = like.length === 0 ? 'no operation' : `only ${like.length} operation${like.length === 1 ? '' : 's'}`
    const says = `Too little history: ${count} of this operator stood in doubt for as long, and ${LIKE_IT_MIN} are needed to tell.`
    return { kind: 'too_little_history', like_it: like.length, says }
  }
  const { minutes, told, ended, succeeded } = best
  const within = `${percent(ended / told)} of such end within ${inWords(minutes)}`
  const says = ended === 0 ? `${within}.` : `${within}, ${percent(succeeded / ended)} of them as succeeded.`
  return {
    kind: 'told',
    like_it: told,
    within_minutes: minutes,
    ended: ended / told,
    succeeded: ended === 0 ? 0 : succeeded / ended,
    says: `${says.slice(0, -1)} (${told} like it).`,
  }
}

function lookAhead(age_seconds: number, minutes: number, like: readonly Doubted[]) {
  const until = age_seconds + minutes * 60
  // An operation that is open, or that people concluded, shows only that its operator had not concluded it by that age.
  const tells = like.filter((one) => isEnded(one) || one.seconds >= until)
  const ended = tells.filter((one) => isEnded(one) && one.seconds <= until)
  const succeeded = ended.filter(({ state }) => state === 'confirmed').length
  return { minutes, told: tells.length, ended: ended.length, succeeded }
}

function isEnded({ state, by_people }: Doubted): boolean {
  return !by_people && (state === 'confirmed' || state === 'refused')
}

/** Rounds a share, but to 100 % or 0 % only when it is exactly that. */
function percent(share: number): string {
  const rounded = Math.round(share * 100)
  const honest = share < 1 && rounded === 100 ? 99 : share > 0 && rounded === 0 ? 1 : rounded
  return `${honest} %`
}

function inWords(minutes: number): string {
  if (minutes < 60) return minutes === 1 ? 'a minute' : `${minutes} minutes`
  if (minutes < 1_440) return minutes === 60 ? 'an hour' : `${minutes / 60} hours`
  return minutes === 1_440 ? 'a day' : `${minutes / 1_440} days`
}
