import type { InstructionState } from '../instruction.ts'

/** An operation that was in doubt: how it stands, and how long after its send it ended, or how old it is. */
export type Doubted = {
  state: InstructionState
  /** From its send to its end, or to now. */
  seconds: number
  /** Two people have ended it, and not its operator. */
  by_people: boolean
}

/** The forecast for an operation in doubt, from the past of its operator. Shares from 0 to 1. */
export type Forecast =
  | {
      kind: 'told'
      /** Operations like it on which this rests. */
      like_it: number
      /** Minutes from now. */
      within_minutes: number
      /** Of them, how many ended by their operator's word within these minutes. */
      ended: number
      /** Of those that ended so, how many succeeded. */
      succeeded: number
      says: string
    }
  | { kind: 'too_little_history'; like_it: number; says: string }

/** Fewer operations like it tell nothing. */
export const LIKE_IT_MIN = 20

/** Minutes that a forecast looks ahead: the fewest in which nine of ten end. */
const AHEAD = [1, 10, 60, 360, 1_440, 10_080]
const NEARLY_ALL = 0.9

/**
 * Tells how an operation in doubt will probably end, from those of the same operator that were in doubt and were still open when they were as
 * old. One that two people have ended counts as not ended by its operator; one that is open counts only where it is old enough to tell. Pure.
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
  // An open one, or one that people ended, tells only that its operator had not ended it until then.
  const tells = like.filter((one) => isEnded(one) || one.seconds >= until)
  const ended = tells.filter((one) => isEnded(one) && one.seconds <= until)
  const succeeded = ended.filter(({ state }) => state === 'confirmed').length
  return { minutes, told: tells.length, ended: ended.length, succeeded }
}

function isEnded({ state, by_people }: Doubted): boolean {
  return !by_people && (state === 'confirmed' || state === 'refused')
}

/** Never 100 % of what was not all of it, and never 0 % of what was some. */
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
