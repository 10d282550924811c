import type { Instruction } from '../operators/instruction.ts'
import {
  findPaymentsByReference,
  listPayments,
  type PaymentForTeam,
  readPaymentFile,
} from '../payments/find-payments.ts'
import { paymentStatuses } from '../payments/payment.ts'
import { type Command, CommandError, defineCommand, idOf, readText } from './command.ts'
import { listed, listOptions, readList, readTenantOrAll } from './page.ts'

const REFERENCE_MAX = 255

const columns = ['id', 'merchant', 'status', 'amount', 'created_at', 'merchant_reference:reference']

const paymentList = defineCommand({
  name: 'payment list',
  summary: 'Show payments, the newest first: of all merchants or of one, in any state or in one',
  options: { ...listOptions, status: { kind: 'optional', says: 'only in this state', choices: paymentStatuses } },
  table: { rows: 'payments', columns, empty: 'No such payments.' },
  async run(context, { status, ...words }) {
    const page = await listPayments(await context.reads(), { ...readList(words, 'txn'), status: status ?? null })
    return listed('payments', page, named)
  },
})

const paymentShow = defineCommand({
  name: 'payment show',
  summary: 'Show a payment: what it came to and when, and what its operator was asked and said',
  options: { id: idOf('txn', 'payment') },
  async run(context, { id }) {
    const file = await readPaymentFile(await context.sql(), id)
    if (file === null) throw new CommandError(`There is no payment ${id}.`)
    const { payment, description, moves, instruction } = file
    return { ...named(payment), description, moves, instruction: viewInstruction(instruction) }
  },
})

const paymentFind = defineCommand({
  name: 'payment find',
  summary: 'Find payments by the reference that their merchant gave them',
  options: {
    reference: { kind: 'needed', says: "the merchant's own, such as its order number" },
    merchant: 'optional',
    mode: 'optional',
  },
  table: { rows: 'payments', columns, empty: 'No payment has this reference.' },
  async run(context, { reference, ...words }) {
    const text = readText('reference', reference, REFERENCE_MAX)
    const payments = await findPaymentsByReference(await context.reads(), text, readTenantOrAll(words))
    return { payments: payments.map(named) }
  },
})

/** The id leads, as in every list, and whose it is follows. */
function named({ id, object: _, merchant_id, livemode, ...payment }: PaymentForTeam): object {
  return { id, merchant_id, livemode, ...payment }
}

/** An instruction as the team sees it, with the references that its operator asks for. */
export function viewInstruction(instruction: Instruction | null): object | null {
  if (instruction === null) return null
  const { state, operator, connector, reference, operator_reference, attempts, asked, sent_at, next_check_at } =
    instruction
  return { state, operator, connector, reference, operator_reference, attempts, asked, sent_at, next_check_at }
}

export const commands: readonly Command[] = [paymentList, paymentShow, paymentFind]
