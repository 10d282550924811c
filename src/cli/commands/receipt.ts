import { findReceipt } from '../../checkout/find-receipt.ts'
import { type Command, CommandError, defineCommand } from '../command.ts'

const receiptFind = defineCommand({
  name: 'receipt find',
  summary: 'Find a payment by the short reference that a payer reads out from a receipt or a waiting page',
  details:
    'Case, spaces and the dash do not matter; O counts as 0, I and L as 1. Compare day and amount with the payer.',
  options: {
    reference: { kind: 'needed', value: 'R', says: 'the ten letters of the reference', sample: 'KAG5X-C6W0Z' },
  },
  table: {
    rows: 'payments',
    columns: ['payment_id', 'merchant_id', 'livemode', 'status', 'amount_collected', 'created_at'],
    empty: 'There is no payment with this reference.',
  },
  async run(context, { reference }) {
    const payments = await findReceipt({ sql: await context.sql(), clock: context.clock }, reference)
    if (payments === null) throw new CommandError('--reference must be ten letters and digits such as KAG5X-C6W0Z.', 2)
    return { payments }
  },
})

export const commands: readonly Command[] = [receiptFind]
