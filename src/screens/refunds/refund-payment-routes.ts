import { randomUUID } from 'node:crypto'
import type { Waits } from '../../acts/proposal.ts'
import { type ActScreenDeps, deskAct } from '../../console/acts/act-screen.ts'
import type { FieldError } from '../../console/forms.ts'
import { absent, defineDeskScreen, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import { readMerchantName } from '../../merchants/store.ts'
import { askRefused, type RefusedOrder } from '../../operators/doubts/ask-refused.ts'
import type { Registry } from '../../operators/routing/registry.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { createRefund, type RefundDeps, type RefundMade } from '../../refunds/create-refund.ts'
import { decideProposedRefund, withdrawProposedRefund } from '../../refunds/decide-proposed-refund.ts'
import { decideRefundOf, type Refundable, readRefundable } from '../../refunds/read-refundable.ts'
import { refundFields } from '../../refunds/refund-fields.ts'
import { looksLikeId } from '../../values/ids.ts'
import { readFrancs, writeFrancs } from '../../values/read-typed.ts'
import { askedFacts, askingRefund, isAsking } from '../ask-first.ts'
import { proposalPaths } from '../desk/case-words.ts'
import { proposalScreens } from '../desk/proposal-screens.ts'
import { findPaymentScreens } from './find-payment-routes.ts'
import { drawRefund, type RefundContent, type RefundGround, refundFormView } from './refund-form-view.ts'

type Deps = { readonly sql: Sql; readonly clock: Clock; readonly registry: Registry } & Pick<RefundDeps, 'canRefund'>
type Request = ScreenRequest<'desk'>

export const getRefundPayment = defineDeskScreen<Deps>({
  method: 'GET',
  path: '/payments/:id/refund',
  operation: 'deskRefundForm',
  summary: 'Read the refundable part of a payment, with the form of a refund',
  right: 'refunds.manage',
  handle: (request, deps) => withPayment(request, deps, async (ground) => show(request, ground)),
})

/** The answers of operators about refunds of the payment that failed. */
type ActDeps = Deps & ActScreenDeps & RefundDeps & { readonly asked?: readonly RefusedOrder[] }

/** Refunds a payment with a fresh factor. */
export const postRefundPayment = deskAct<RefundDeps, RefundMade | Waits, ActDeps>(createRefund, {
  path: '/payments/:id/refund',
  back: ({ at, params }) => at(`/payments/${params.id}/refund`),
  done: (_, made) =>
    'proposal_id' in made
      ? `${proposalPaths['refund.create']}/${made.proposal_id}?done=proposed`
      : `/refunds/${made.refund.id}?done=refund_asked`,
  again: (request, deps, errors) =>
    // A post without a form only opens one.
    withPayment(request, deps, async (ground) => show(request, ground, hasForm(request) ? errors : [])),
  async prepare(request, given) {
    const deps = { ...given, form_of: request.session.person.person_id }
    const found = await readRefundable(deps, { payment_id: request.params.id ?? '', livemode: request.livemode })
    // An act that will be refused asks no operator.
    if (found === null || decideRefundOf(found, readFrancs(request.fields.text('amount'))).kind === 'refused')
      return deps
    const asked = await askAboutFailed(request, deps, found)
    if (!isAsking(asked)) return { ...deps, asked, ...askedFacts(asked) }
    return withPayment(request, deps, async (ground) =>
      show(request, ground, [{ field: 'main', text: request.say(askingRefund) }]),
    )
  },
  shown: async (request, deps, content) => {
    const found = await readRefundable(deps, { payment_id: request.params.id ?? '', livemode: request.livemode })
    const merchant = found && (await readMerchantName(deps.sql, found.payment.merchant_id))
    return drawRefund(request, { found: found!, merchant }, content as RefundContent, deps.asked ?? [])
  },
})

function hasForm({ fields }: Request): boolean {
  return refundFields.form.read(fields.text('form')) !== undefined
}

async function withPayment<Answer>(
  { params, livemode }: Request,
  { sql, canRefund }: Deps,
  act: (ground: RefundGround) => Promise<Answer>,
): Promise<Answer | ScreenAnswer> {
  const payment_id = params.id ?? ''
  if (!looksLikeId('txn', payment_id)) return absent
  const found = await readRefundable({ sql, canRefund }, { payment_id, livemode })
  if (found === null) return absent
  return act({ found, merchant: await readMerchantName(sql, found.payment.merchant_id) })
}

/** Asks the operator about the refunds of this payment that failed, because another one would return the money twice. */
function askAboutFailed({ actor, livemode }: Request, deps: Deps, found: Refundable): Promise<RefusedOrder[]> {
  const { merchant_id } = found.payment
  const failed = found.refunds.flatMap(({ id, status }) => (status === 'failed' ? [id] : []))
  return askRefused(deps, { merchant_id, livemode }, failed, actor)
}

/** Shows the form, new or as typed. */
function show(request: Request, ground: RefundGround, errors: readonly FieldError[] = []): ScreenAnswer {
  const { fields } = request
  const sent = hasForm(request)
  const typed = {
    amount: sent ? fields.text('amount') : writeFrancs(ground.found.left),
    reason: fields.text('reason'),
    by_hand: fields.text('by_hand') === '1',
    form_id: sent ? fields.text('form') : randomUUID(),
  }
  return refundFormView(request, ground, typed, errors)
}

/** A refund above the limit of one person, on the page of the second. The operators are asked once more about failed refunds of its payment. */
const proposedRefunds = proposalScreens<ActDeps>(
  { ...decideProposedRefund, withdraw: withdrawProposedRefund },
  {
    acts: ['refund.create'],
    path: proposalPaths['refund.create'],
    operation: 'deskProposedRefund',
    summary: 'Read a refund that waits for a second person',
    otherRole: ['Les opérations ou la finance décident.', 'Operations or finance decide.'],
    made: (refund) => `/refunds/${refund}`,
    async prepare(request, deps, { subject, status }) {
      if (status !== 'proposed') return deps
      const found = await readRefundable(deps, { payment_id: subject!, livemode: request.livemode })
      const asked = found === null ? [] : await askAboutFailed(request, deps, found)
      return isAsking(asked) ? { wait: askingRefund } : { ...deps, asked, ...askedFacts(asked) }
    },
    async shown(request, deps, { subject, livemode }, content) {
      const found = await readRefundable(deps, { payment_id: subject!, livemode })
      const merchant = found && (await readMerchantName(deps.sql, found.payment.merchant_id))
      return drawRefund(request, { found: found!, merchant }, content as RefundContent, deps.asked ?? [])
    },
  },
)

/** The screens from the search of a payment to its refund. */
export const refundScreens = [...findPaymentScreens, getRefundPayment, postRefundPayment, ...proposedRefunds] as const
