import type { LinkFacts, SessionFacts } from './facts.ts'

/** Every situation of a visitor to a session or a link. Each has its own view. */
export type Situation =
  /** No attempt yet: the page asks for the number and the operator. */
  | 'ask'
  /** The attempt is not sent to the operator yet, or the operator has not answered with the next step. */
  | 'starting'
  | 'approve_on_phone'
  | 'dial'
  | 'enter_code'
  | 'redirect'
  /** The payer typed a code, and the operator checks it. */
  | 'checking'
  /** The attempt takes too long, or its outcome is uncertain: the payer must not pay again. */
  | 'unsure'
  /** No money was taken. The payer can try again on the same page. */
  | 'failed'
  | 'receipt'
  | 'expired'
  | 'closed'
  /** Another payer is paying a link that can be paid once. */
  | 'busy'
  | 'unavailable'

type Attempt = NonNullable<SessionFacts['attempt']>
type Step = NonNullable<Attempt['next_action']>['type'] | 'none'

/** The page for each next step that the operator asks of the payer. */
const pageForStep = {
  none: 'starting',
  approve_on_phone: 'approve_on_phone',
  enter_code: 'enter_code',
  redirect: 'redirect',
} as const satisfies Record<Step, Situation>

/** The page of an open session, by the state of its latest attempt. */
const pageForAttempt = {
  none: 'ask',
  created: 'starting',
  pending: pageForStep,
  failed: 'failed',
  expired: 'failed',
  // The session becomes paid in the same transaction, so an open session never has these.
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

/** The page of a link for a visitor without a session. */
export const pageForLink = {
  open: 'ask',
  busy: 'busy',
  paid: 'unavailable',
  closed: 'unavailable',
  expired: 'unavailable',
} as const satisfies Record<LinkFacts['status'], Situation>

/** The page of a session. A prompt that comes only after the payer dials a code has its own page, `dial`. */
export function situationOfSession({ status, attempt, receipt }: SessionFacts): Situation {
  // A doubt comes before everything except a receipt, also after a failure or the end of the session.
  if (attempt?.in_doubt === true && status !== 'paid') return 'unsure'
  const ofSession = pageForSession[status]
  if (ofSession === 'receipt') return receipt === null ? 'closed' : 'receipt'
  if (typeof ofSession === 'string') return ofSession
  const ofAttempt = ofSession[attempt?.status ?? 'none']
  // The payment has succeeded and the receipt is not there yet: the next poll has it.
  if (ofAttempt === 'receipt') return receipt === null ? 'starting' : 'receipt'
  if (typeof ofAttempt === 'string') return ofAttempt
  const { next_action, code_submitted } = attempt!
  if (code_submitted) return 'checking'
  const situation = ofAttempt[next_action?.type ?? 'none']
  const dials = next_action?.dial_code !== undefined && next_action.prompted !== true
  return situation === 'approve_on_phone' && dials ? 'dial' : situation
}

/**
 * The state of a page as one word, which changes whenever another page is due. The script of the page compares its word
 * with that of the facts it polls. `page.js` computes the word in the same way.
 */
export function stateWord({ status, attempt }: SessionFacts): string {
  if (attempt === null) return status
  const { number, status: ofPayment, next_action, code_submitted, in_doubt } = attempt
  return [status, number, ofPayment, next_action?.type ?? '', code_submitted, in_doubt].join('-')
}
