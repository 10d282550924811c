import { createCanRefund } from '../../operators/can-refund.ts'
import { giveUpRefund, recordPaidRefund } from '../../refunds/close-refund.ts'
import { createRefund } from '../../refunds/create-refund.ts'
import { decideProposedRefund, withdrawProposedRefund } from '../../refunds/decide-proposed-refund.ts'
import {
  readAwaitedRefund,
  readRefund,
  readRefundsOfMerchant,
  readRefundsOfPayment,
  readWaitingRefunds,
} from '../../refunds/find-refunds.ts'
import { type RefundRow, viewRefund } from '../../refunds/refund.ts'
import { actCommand } from '../act-command.ts'
import { type Command, CommandError, defineCommand, idOf, readTenant } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { openRegistry } from '../open-registry.ts'
import { viewProposal } from '../view-proposal.ts'

const refunding = async (context: CommandContext) => ({ canRefund: createCanRefund(await openRegistry(context)) })

const refundCreate = actCommand(createRefund, {
  deps: async (context) => ({
    ...(await refunding(context)),
    secondPersonAbove: context.config.second_person_above,
  }),
  instead: {
    options: {
      amount: { kind: 'optional', says: 'the francs to refund; otherwise the rest of the payment' },
      mode: { kind: 'optional', says: 'the mode of the payment, as a check' },
      reason: 'optional',
      key: { kind: 'optional', says: 'your own name for this refund: another key means another refund' },
      request: { kind: 'optional', value: 'rfq_…', says: 'the merchant’s request that this refund accepts' },
      manual: { kind: 'flag', says: 'a person refunds by hand, not the operator' },
    },
    typed: ({ manual, ...given }) => ({
      ...(given as Record<string, string | undefined>),
      by_hand: manual === true ? '1' : undefined,
    }),
  },
  answer(made) {
    if ('proposal_id' in made) return made
    const { refund, repeated } = made
    return { refund_id: refund.id, repeated, ...viewRefund(refund) }
  },
  advice: (made) =>
    'proposal_id' in made
      ? `Another person confirms it on the desk, or with bandama refund approve --id ${made.proposal_id}.`
      : null,
})

const decided = { deps: refunding, answer: viewProposal }
const refundApprove = actCommand(decideProposedRefund.approve, decided)
const refundRefuse = actCommand(decideProposedRefund.refuse, decided)
const refundWithdraw = actCommand(withdrawProposedRefund, decided)

const refundList = defineCommand({
  name: 'refund list',
  summary: 'Show the refunds of a merchant or a payment; without either, the manual ones and those unsent for an hour',
  options: {
    merchant: 'optional',
    mode: 'optional',
    payment: { kind: 'optional', value: 'txn_…', says: 'the payment' },
  },
  table: {
    rows: 'refunds',
    columns: ['id', 'status', 'amount', 'payment_id', 'created_at'],
    empty: 'No such refunds.',
  },
  async run(context, { merchant, mode, payment }) {
    if ((merchant === undefined) !== (mode === undefined) || (merchant !== undefined && payment !== undefined)) {
      throw new CommandError('Give --merchant with --mode, or --payment, or neither.', 2)
    }
    const sql = await context.sql()
    if (payment !== undefined) {
      const refunds = await readRefundsOfPayment(sql, payment)
      if (refunds === null) throw new CommandError(`There is no payment ${payment}.`)
      return { refunds: refunds.map(viewRefund) }
    }
    const refunds =
      merchant === undefined
        ? await readWaitingRefunds(sql, null)
        : await readRefundsOfMerchant(sql, readTenant({ merchant, mode: mode! }))
    return { refunds: refunds.map(viewRefund) }
  },
})

const refundShow = defineCommand({
  name: 'refund show',
  summary: 'Show a refund, and the earlier refund that it waits for',
  options: { id: idOf('rfd', 'refund') },
  async run(context, { id }) {
    const refund = await readRefund(await context.sql(), id)
    if (refund === null) throw new CommandError(`There is no refund ${id}.`)
    const deps = { sql: await context.sql(), registry: await openRegistry(context) }
    return { ...viewRefund(refund), waits_for: await readAwaitedRefund(deps, { ...refund, refund_id: id }) }
  },
})

const closed = { answer: (refund: RefundRow) => ({ refund_id: refund.id, ...viewRefund(refund) }) }
const refundConfirm = actCommand(recordPaidRefund, { name: 'refund confirm', ...closed })
const refundCancel = actCommand(giveUpRefund, closed)

export const commands: readonly Command[] = [
  refundCreate,
  refundApprove,
  refundRefuse,
  refundWithdraw,
  refundConfirm,
  refundCancel,
  refundList,
  refundShow,
]
