import type { LinkFacts, SessionFacts } from './facts.ts'

/** Every situation that somebody at the address of a session or a link can be in; each has a view of its own. */
export type Situation =
  /** Nothing tried yet: merchant and amount, number and operator. */
  | 'ask'
  /** The attempt is written down, and the operator not asked yet; or it has not said what comes next. */
  | 'starting'
  | 'approve_on_phone'
  | 'dial'
  | 'enter_code'
  | 'redirect'
  /** A code was typed, and the operator checks it. */
  | 'checking'
  /** It takes longer than it should, or an answer was lost: do not pay again. */
  | 'unsure'
  /** Nothing was taken; the payer may try again on the same page. */
  | 'failed'
  | 'receipt'
  | 'expired'
  | 'closed'
  /** A link that can be paid once is being paid by somebody right now. */
  | 'busy'
  | 'unavailable'

type Attempt = NonNullable<SessionFacts['attempt']>
type Step = NonNullable<Attempt['next_action']>['type'] | 'none'

/** While an attempt is with the operator: what it asks of the payer. */
const pageForStep = {
  none: 'starting',
  approve_on_phone: 'approve_on_phone',
  enter_code: 'enter_code',
  redirect: 'redirect',
} as const satisfies Record<Step, Situation>

/** In a session that is open: how the latest attempt stands. */
const pageForAttempt = {
  none: 'ask',
  created: 'starting',
  pending: pageForStep,
  failed: 'failed',
  expired: 'failed',
  // The session becomes paid in the same transaction, so these are seen with a session that is open by nobody.
  succeeded: 'receipt',
  refunded: 'receipt',
  partially_refunded: 'receipt',
} as const satisfies Record<Attempt['status'] | 'none', Situation | typeof pageForStep>

/** The page that a session shows. The compiler refuses a state that this table lacks. */
const pageForSession = {
  open: pageForAttempt,
  busy: 'busy',
  paid: 'receipt',
  closed: 'closed',
  expired: 'expired',
} as const satisfies Record<SessionFacts['status'], Situation | typeof pageForAttempt>

/** The page that a link shows to somebody who has no session yet. */
export const pageForLink = {
  open: 'ask',
  busy: 'busy',
  paid: 'unavailable',
  closed: 'unavailable',
  expired: 'unavailable',
} as const satisfies Record<LinkFacts['status'], Situation>

/** Finds the row of a session. A prompt that comes only after a code was dialled is a page of its own. */
export function situationOfSession({ status, attempt, receipt }: SessionFacts): Situation {
  // Before all else but a receipt: also where it failed, or the session has ended, nothing else is certain.
  if (attempt?.in_doubt === true && status !== 'paid') return 'unsure'
  const ofSession = pageForSession[status]
  if (ofSession === 'receipt') return receipt === null ? 'closed' : 'receipt'
  if (typeof ofSession === 'string') return ofSession
  const ofAttempt = ofSession[attempt?.status ?? 'none']
  // Not yet paid, and its payment has succeeded: the next look, a moment later, has the receipt.
  if (ofAttempt === 'receipt') return receipt === null ? 'starting' : 'receipt'
  if (typeof ofAttempt === 'string') return ofAttempt
  const { next_action, code_submitted } = attempt!
  if (code_submitted) return 'checking'
  const situation = ofAttempt[next_action?.type ?? 'none']
  return situation === 'approve_on_phone' && next_action?.dial_code !== undefined ? 'dial' : situation
}

/**
 * The state of a page, as one word that changes whenever another page is due. The script compares the word of the page it
 * stands on with that of the facts it polls; `page.js` computes it the same way.
 */
export function stateWord({ status, attempt }: SessionFacts): string {
  if (attempt === null) return status
  const { number, status: ofPayment, next_action, code_submitted, in_doubt } = attempt
  return [status, number, ofPayment, next_action?.type ?? '', code_submitted, in_doubt].join('-')
}
