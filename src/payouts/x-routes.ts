import Type from 'typebox'
import { nameMatches } from '../operators/port.ts'
import { defineRoute } from '../platform/http/route.ts'
import type { Caller } from '../values/caller.ts'
import { livemode, objectField, textOrNull, time } from '../values/fields.ts'
import type { CancelPayout } from './cancel-payout.ts'
import type { CheckDestination } from './check-recipient.ts'
import { Payout } from './payout.ts'
import { destinationFields, explainDestination, readDestination } from './routes.ts'

/** An addition of ours: ends a payout that waits to be sent. */
export const postPayoutCancel = defineRoute({
  auth: 'api',
  method: 'POST',
  path: '/x/payouts/:payout_id/cancel',
  operation: 'cancelPayout',
  summary: 'Cancel a payout that was not sent yet',
  description:
    'Ends a payout that is `created`: it is never sent, and its money is back in your transfer balance. It becomes `failed` with the ' +
    '`failure_code` `cancelled`, and you are told `payout.failed`. A payout that was sent cannot be called back: the answer is 409.',
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
  async handle({ caller, params, isWanted, reply, refuse }, deps: { cancelPayout: CancelPayout }) {
    const { merchant_id, livemode } = caller
    const call = { merchant_id, livemode, payout_id: params.payout_id }
    const result = await deps.cancelPayout(call, isWanted)
    if (result.kind !== 'refused') return reply.stored(result.status, result.text)
    const { code } = result
    if (code !== 'resource_not_found' && code !== 'payout_not_cancellable')
      throw new Error(`No key was claimed: ${code}.`)
    return refuse(code)
  },
})

/** The word of an operator about a name, as answers show it. */
export const checkResult = Type.Enum([...nameMatches], {
  description:
    '`match`: the name is that of the holder. `close`: nearly, look at it again. `no_match`: it is not. `unknown`: the operator cannot tell, ' +
    'or did not.',
})

const RecipientCheck = Type.Object(
  {
    object: objectField('recipient_check'),
    result: checkResult,
    operator: textOrNull('The operator that was meant, by its code; null: none follows from the number.'),
    livemode,
    checked_at: time('When it was checked.'),
  },
  { $id: 'RecipientCheck' },
)

/** An addition of ours: asks an operator whether a name is that of a number's holder, before money goes there. */
export const postRecipientCheck = defineRoute({
  auth: 'api',
  method: 'POST',
  path: '/x/recipients/check',
  operation: 'checkRecipient',
  summary: 'Ask whether a name is that of the holder of a number',
  description:
    'Name a destination as for a payout. Nothing is sent and nothing is saved. The operator through which the payout would go is asked; the ' +
    'name that it holds is never told. A number can be checked a few times in 24 hours: then `too_many_attempts`.',
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
  // The operator has its own deadline, which is shorter.
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
