import Type from 'typebox'
import { nameMatches } from '../operators/port.ts'
import { defineRoute } from '../platform/http/route.ts'
import type { Caller } from '../values/caller.ts'
import { livemode, objectField, textOrNull, time } from '../values/fields.ts'
import type { CancelPayout } from './cancel-payout.ts'
import type { CheckDestination } from './check-recipient.ts'
import { Payout } from './payout.ts'
import { destinationFields, explainDestination, readDestination } from './routes.ts'

/** An extension: cancels a payout that has not been sent yet. */
export const postPayoutCancel = defineRoute({
  auth: 'api',
  method: 'POST',
  path: '/x/payouts/:payout_id/cancel',
  operation: 'cancelPayout',
  summary: 'Cancel a payout that was not sent yet',
  description:
    'Ends a payout that is `created`: it is never sent, and its money is back in your transfer balance. It becomes `failed` with the ' +
    '`failure_code` `cancelled`, and you receive the event `payout.failed`. A payout that was already sent cannot be cancelled: the answer is 409.',
  tags: ['Extensions'],
  scope: 'payout',
  params: { payout_id: 'txn' },
  paramDescriptions: { payout_id: 'The `id` of a payout, with prefix `txn_`, as `POST /v1-payouts` answers it.' },
  replies: { 200: Payout },
  errors: {
    404: ['resource_not_found'],
    409: ['payout_not_cancellable'],
    422: ['invalid_id'],
    500: ['payout_failed'],
  },
  fault: 'payout_failed',
  concurrency: 'batched',
  async handle({ call, params, reply, refuse }, deps: { cancelPayout: CancelPayout }) {
    const result = await deps.cancelPayout({ ...call, payout_id: params.payout_id })
    return result.kind === 'refused' ? refuse(result.code) : reply.stored(result.status, result.text)
  },
})

/** The operator's answer about a name. */
export const checkResult = Type.Enum([...nameMatches], {
  description:
    '`match`: the name is that of the holder. `close`: nearly the same, check it again. `no_match`: another name. `unknown`: the operator cannot tell, ' +
    'or did not answer.',
})

const RecipientCheck = Type.Object(
  {
    object: objectField('recipient_check'),
    result: checkResult,
    operator: textOrNull('The operator that was asked, by its code. Null when the number has no known operator.'),
    livemode,
    checked_at: time('When the name was checked.'),
  },
  { $id: 'RecipientCheck', description: 'The answer of an operator about a name and a number.' },
)

/** An extension: asks an operator whether a name is that of a number's holder, before money is sent. */
export const postRecipientCheck = defineRoute({
  auth: 'api',
  method: 'POST',
  path: '/x/recipients/check',
  operation: 'checkRecipient',
  summary: "Check a name against a number's holder",
  description:
    'Give a destination as for a payout. Nothing is sent and nothing is saved. The service asks the operator that would carry the payout. It never ' +
    'tells the name that the operator holds. A number can be checked only a few times in 24 hours; after that the answer is `too_many_attempts`.',
  tags: ['Extensions'],
  scope: 'payout',
  body: Type.Object(destinationFields),
  example: { body: { beneficiary: { msisdn: '0500000010', operator: 'mtn_ci', name: 'Awa Koné' } } },
  replies: { 200: RecipientCheck },
  errors: {
    400: ['invalid_body'],
    403: ['merchant_inactive'],
    404: ['resource_not_found'],
    422: ['invalid_beneficiary'],
    429: ['too_many_attempts'],
    500: ['payout_failed'],
  },
  invalid: { beneficiary_id: 'invalid_beneficiary', beneficiary: 'invalid_beneficiary', otherwise: 'invalid_body' },
  fault: 'payout_failed',
  // The call to the operator has a shorter deadline.
  deadlineMs: 20_000,
  async handle(
    { caller, body, turn, reply, refuse },
    deps: { checkDestination: CheckDestination; rateHeaders: (caller: Caller) => Promise<Record<string, string>> },
  ) {
    const destination = readDestination(body)
    if (destination === null) return refuse('invalid_beneficiary', { message: explainDestination(body) })
    const checked = await deps.checkDestination(caller, destination, (call) => turn.without(call))
    if (checked.kind === 'checked') {
      const { result, operator, checked_at } = checked
      return reply(200, {
        object: 'recipient_check',
        result,
        operator,
        livemode: caller.livemode,
        checked_at: checked_at.toISOString(),
      })
    }
    if (checked.code !== 'too_many_attempts') return refuse(checked.code)
    return refuse('too_many_attempts', { headers: await deps.rateHeaders(caller) })
  },
})
