import { randomUUID } from 'node:crypto'
import type { FieldError } from '../../console/forms.ts'
import { absent, defineDeskScreen, moved, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import { readMerchantName } from '../../merchants/store.ts'
import { createCanRefund } from '../../operators/can-refund.ts'
import { askRefused, type RefusedOrder } from '../../operators/doubts/ask-refused.ts'
import type { Registry } from '../../operators/routing/registry.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { createRefund, repeated } from '../../refunds/create-refund.ts'
import { decideRefundOf, isByHand, readRefundable } from '../../refunds/read-refundable.ts'
import { readRefundByKey } from '../../refunds/store.ts'
import { looksLikeId } from '../../values/ids.ts'
import { readFrancs, readLine, writeFrancs } from '../../values/read-typed.ts'
import { askingRefund, isAsking } from '../ask-first.ts'
import { findPaymentScreens } from './find-payment-routes.ts'
import {
  REASON_MAX,
  type RefundGround,
  type RefundRefusal,
  refundConfirmation,
  refundFormView,
  sayRefusal,
} from './refund-form-view.ts'

type Deps = { readonly sql: Sql; readonly clock: Clock; readonly registry: Registry }
type Request = ScreenRequest<'desk'>

export const getRefundPayment = defineDeskScreen<Deps>({
  method: 'GET',
  path: '/payments/:id/refund',
  operation: 'deskRefundForm',
  summary: 'Read the refundable part of a payment, with the form of a refund',
  right: 'refunds.manage',
  handle: (request, deps) => withPayment(request, deps, async (ground) => show(request, ground)),
})

/** Refunds a payment with a fresh factor, by the operation behind `bandama refund create`. */
export const postRefundPayment = defineDeskScreen<Deps>({
  method: 'POST',
  path: '/payments/:id/refund',
  operation: 'deskRefundPayment',
  summary: 'Refund a payment or a part of it',
  right: 'refunds.manage',
  confirm: (request, deps) =>
    withPayment(request, deps, async (ground) => {
      const { found } = ground
      const typed = readTyped(request)
      if (typed.key === null) return show(request, ground)
      const before = await readRefundByKey(deps.sql, found.payment, typed.key)
      if (before !== null) {
        const given = repeated(before, { payment_id: found.payment.id, amount: typed.amount })
        return given.kind === 'refused' ? refused(request, ground, given) : done(request, before.id)
      }
      const errors = faultsOf(request, typed)
      if (errors.length > 0) return show(request, ground, errors)
      if (typed.given_seen !== found.given.amount)
        return refused(request, ground, { kind: 'refused', code: 'refunded_meanwhile' })
      const decision = decideRefundOf(found, typed.amount)
      if (decision.kind === 'refused') return refused(request, ground, decision)
      const by_hand = typed.by_hand || isByHand(found, decision.parts.amount)
      const asked = await askAboutFailed(request, deps, ground)
      if (isAsking(asked)) return show(request, ground, [{ field: 'main', text: request.say(askingRefund) }])
      return refundConfirmation(request, ground, { parts: decision.parts, by_hand, reason: typed.reason, asked })
    }),
  handle: (request, deps) =>
    withPayment(request, deps, async (ground) => {
      const { key, amount, given_seen, reason, by_hand } = readTyped(request)
      const result = await createRefund(
        { sql: deps.sql, clock: deps.clock, canRefund: createCanRefund(deps.registry) },
        {
          payment_id: ground.found.payment.id,
          livemode: request.livemode,
          amount,
          key,
          given_seen,
          requested_by: request.actor,
          reason,
          by_hand,
        },
      )
      return result.kind === 'refused' ? refused(request, ground, result) : done(request, result.refund.id)
    }),
})

async function withPayment<Answer>(
  { params, livemode }: Request,
  { sql, registry }: Deps,
  act: (ground: RefundGround) => Promise<Answer>,
): Promise<Answer | ScreenAnswer> {
  const payment_id = params.id ?? ''
  if (!looksLikeId('txn', payment_id)) return absent
  const found = await readRefundable({ sql, canRefund: createCanRefund(registry) }, { payment_id, livemode })
  if (found === null) return absent
  return act({ found, merchant: await readMerchantName(sql, found.payment.merchant_id) })
}

/** Reads the submitted form. `key` is null without a valid form id; `amount` and `reason` are null when they are invalid. */
function readTyped({ fields, session }: Request) {
  const form_id = fields.text('form')
  const known = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(form_id)
  return {
    // Made of the form and its person, so that it never matches another person's refund.
    key: known ? `desk_${session.person.person_id}_${form_id}` : null,
    amount: readFrancs(fields.text('amount')),
    given_seen: readFrancs(fields.text('given'), 0),
    reason: readLine(fields.text('reason'), REASON_MAX),
    by_hand: fields.text('by_hand') === '1',
  }
}

/** Asks the operator about the refunds of this payment that failed, because another one would return the money twice. */
function askAboutFailed({ actor, livemode }: Request, deps: Deps, { found }: RefundGround): Promise<RefusedOrder[]> {
  const { merchant_id } = found.payment
  const failed = found.refunds.flatMap(({ id, status }) => (status === 'failed' ? [id] : []))
  return askRefused(deps, { merchant_id, livemode }, failed, actor)
}

function faultsOf({ say, fields }: Request, { amount, reason }: ReturnType<typeof readTyped>): FieldError[] {
  return [
    ...(amount === null
      ? [{ field: 'amount', text: say(['Écrivez une somme en francs.', 'Write a sum in francs.']) }]
      : []),
    ...(reason === null && fields.text('reason') !== ''
      ? [
          {
            field: 'reason',
            text: say(
              [
                'Écrivez la raison sur une ligne de {max} signes au plus.',
                'Write the reason on a line of {max} characters at most.',
              ],
              { max: REASON_MAX },
            ),
          },
        ]
      : []),
  ]
}

/** Shows the form, new or as typed. */
function show(request: Request, ground: RefundGround, errors: readonly FieldError[] = []): ScreenAnswer {
  const { fields } = request
  const sent = readTyped(request).key !== null
  const typed = {
    amount: sent ? fields.text('amount') : writeFrancs(ground.found.left),
    reason: fields.text('reason'),
    by_hand: fields.text('by_hand') === '1',
    form_id: sent ? fields.text('form') : randomUUID(),
  }
  return refundFormView(request, ground, typed, errors)
}

function refused(request: Request, ground: RefundGround, refusal: RefundRefusal): ScreenAnswer {
  const ofAmount = refusal.code === 'amount_above_remaining' || refusal.code === 'insufficient_funds'
  return show(request, ground, [{ field: ofAmount ? 'amount' : 'main', text: sayRefusal(request.say, refusal) }])
}

function done({ at }: Request, refund_id: string): ScreenAnswer {
  return moved(at(`/refunds/${refund_id}?done=refund_asked`))
}

/** The screens from the search of a payment to its refund. */
export const refundScreens = [...findPaymentScreens, getRefundPayment, postRefundPayment] as const
