import type { Instruction } from '../../operators/instruction.ts'
import {
  findPaymentsByReference,
  listPayments,
  type PaymentForStaff,
  readPaymentFile,
} from '../../payments/find-payments.ts'
import { paymentStatuses } from '../../payments/payment.ts'
import { type Command, CommandError, defineCommand, idOf, readText } from '../command.ts'
import { listed, listOptions, readList, readTenantOrAll } from '../page.ts'

const REFERENCE_MAX = 255

const columns = ['id', 'merchant', 'status', 'amount', 'created_at', 'merchant_reference:reference']

const paymentList = defineCommand({
  name: 'payment list',
  summary: 'Show payments, newest first: of all merchants or of one, in any state or in one',
  options: { ...listOptions, status: { kind: 'optional', says: 'only in this state', choices: paymentStatuses } },
  table: { rows: 'payments', columns, empty: 'No such payments.' },
  async run(context, { status, ...words }) {
    const page = await listPayments(await context.reads(), { ...readList(words, 'txn'), status: status ?? null })
    return listed('payments', page, inListOrder)
  },
})

const paymentShow = defineCommand({
  name: 'payment show',
  summary: 'Show a payment: its states with their times, and the exchange with its operator',
  options: { id: idOf('txn', 'payment') },
  async run(context, { id }) {
    const file = await readPaymentFile(await context.sql(), id)
    if (file === null) throw new CommandError(`There is no payment ${id}.`)
    const { payment, description, moves, instruction } = file
    return { ...inListOrder(payment), description, moves, instruction: viewInstruction(instruction) }
  },
})

const paymentFind = defineCommand({
  name: 'payment find',
  summary: "Find payments by their merchant's reference",
  options: {
    reference: { kind: 'needed', says: "the merchant's own reference, such as its order number" },
    merchant: 'optional',
    mode: 'optional',
  },
  table: { rows: 'payments', columns, empty: 'No payment has this reference.' },
  async run(context, { reference, ...words }) {
    const text = readText('reference', reference, REFERENCE_MAX)
    const payments = await findPaymentsByReference(await context.reads(), text, readTenantOrAll(words))
    return { payments: payments.map(inListOrder) }
  },
})

/** Puts the id first, as in every list, then the merchant and the mode. */
function inListOrder({ id, object: _, merchant_id, livemode, ...payment }: PaymentForStaff): object {
  return { id, merchant_id, livemode, ...payment }
}

/** An instruction as staff see it, with the references that the operator's support asks for. */
export function viewInstruction(instruction: Instruction | null): object | null {
  if (instruction === null) return null
  const { state, operator, connector, reference, operator_reference, attempts, asked, sent_at, next_check_at } =
    instruction
  return { state, operator, connector, reference, operator_reference, attempts, asked, sent_at, next_check_at }
}

export const commands: readonly Command[] = [paymentList, paymentShow, paymentFind]
