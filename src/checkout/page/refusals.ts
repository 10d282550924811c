import { writeAmount } from '../../platform/http/pages/write-values.ts'
import { operatorNames } from '../../values/operators.ts'
import type { LinkFacts, PageRefusal, SessionFacts, ViewContext } from './facts.ts'
import { sayIn } from './say.ts'

/** The fields of the payer's form, by their names. */
export type Field = 'amount' | 'msisdn' | 'operator' | 'code'

/**
 * The place of each refusal on a page with a form: at its field, above the form, or nowhere, because the page itself
 * shows the reason.
 */
const places = {
  invalid_request: 'above',
  merchant_inactive: 'above',
  resource_not_found: 'nowhere',
  method_not_allowed: 'nowhere',
  session_expired: 'nowhere',
  session_closed: 'nowhere',
  idempotency_in_progress: 'nowhere',
  lien_indisponible: 'nowhere',
  invalid_msisdn: 'msisdn',
  invalid_operator: 'operator',
  invalid_amount: 'amount',
  amount_too_small: 'amount',
  amount_too_large: 'amount',
  amount_above_limit: 'amount',
  rate_limit_exceeded: 'above',
  too_many_attempts: 'above',
  payment_failed: 'above',
  bornes_illisibles: 'above',
} as const satisfies Record<PageRefusal, Field | 'above' | 'nowhere'>

/** The wrong field of the last form, with the sentence beside it. Null when no field was refused. */
export function refusedField(
  facts: SessionFacts | LinkFacts,
  { refusal, language }: ViewContext,
): { field: Field; sentence: string } | null {
  if (refusal === null) return null
  const field = places[refusal]
  if (field === 'above' || field === 'nowhere') return null
  return { field, sentence: sentenceAtField(refusal, facts, language) }
}

function sentenceAtField(
  refusal: PageRefusal,
  facts: SessionFacts | LinkFacts,
  language: ViewContext['language'],
): string {
  const say = sayIn(language)
  const min = facts.kind === 'link' ? facts.min_amount : null
  const max = facts.kind === 'link' ? facts.max_amount : null
  if (refusal === 'invalid_msisdn') return say('error_number')
  const chosen = facts.kind === 'link' && facts.price === null
  if (refusal === 'invalid_operator') return (chosen && sayOutOfBounds(facts, language)) || say('error_operator')
  if (refusal === 'amount_too_small') return say('error_too_small', { min: writeAmount(min ?? 1) })
  if (refusal === 'amount_too_large' && max !== null) return say('error_too_large', { max: writeAmount(max) })
  if (refusal === 'amount_above_limit' || refusal === 'amount_too_large') return say('error_above_limit')
  return say('error_amount')
}

/** A sentence that names the operators that do not accept the amount to be collected. Null when none is known to refuse it. */
export function sayOutOfBounds(
  { out_of_bounds_operators }: SessionFacts | LinkFacts,
  language: ViewContext['language'],
): string | null {
  if (out_of_bounds_operators.length === 0) return null
  const operators = out_of_bounds_operators.map((operator) => operatorNames[operator]).join(', ')
  return sayIn(language)('operators_other_amounts', { operators })
}

/** The note of a refusal above the form: the cause and the next step. Null when there is none. */
export function refusedAbove({ refusal, language, request_id }: ViewContext): { title: string; text: string } | null {
  const say = sayIn(language)
  if (refusal === null || places[refusal] !== 'above') return null
  if (refusal === 'too_many_attempts') return { title: say('too_many_title'), text: say('too_many_text') }
  if (refusal === 'rate_limit_exceeded') return { title: say('busy_title'), text: say('busy_text') }
  if (refusal === 'invalid_request') return { title: say('stale_title'), text: say('stale_form_text') }
  return { title: say('fault_title'), text: `${say('fault_form_text')} ${say('request_id', { id: request_id })}` }
}
