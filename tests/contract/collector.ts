import type { Installation } from '../harness/installation.ts'
import { newPayer } from '../harness/installation.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkPayment } from './answers.ts'
import type { Payment } from './payment-fields.ts'
import { newSender, PATIENCE, type Sender } from './sender.ts'

/** A merchant that collects in test mode, with short functions for its tests. */
export type Collector = Sender & {
  /** Asks a payer for an amount and waits until it is paid. `to` is the payer's number, `simulate` pays at once. */
  collect(amount: number, more?: { to?: string; simulate?: boolean; operator?: string }): Promise<Payment>
  payment(id: string): Promise<Payment>
  untilPayment(id: string, status: string): Promise<Payment>
}

/** A new merchant that collects with a commission: in hundredths of a percent, borne by the merchant or the payer. */
export async function newCollector(
  installation: Installation,
  { basis_points = 100, bearer = 'merchant' }: { basis_points?: number; bearer?: 'merchant' | 'payer' } = {},
): Promise<Collector> {
  const sender = await newSender(installation, { funds: 0 })
  const { key, merchant_id } = sender.merchant
  await installation.db.sql`
    insert into fee_schedules (merchant_id, service, effective_from, basis_points, bearer)
    values (${merchant_id}, 'collection', clock_now(), ${basis_points}, ${bearer})`
  const payment = async (id: string) => checkPayment(await installation.read(key, id), 200)
  const untilPayment = (id: string, status: string) =>
    waitFor(
      async () => {
        const read = await payment(id)
        return read.status === status && read
      },
      { ...PATIENCE, what: `${id} to be ${status}` },
    )
  return {
    ...sender,
    payment,
    untilPayment,
    async collect(amount, { to = newPayer(), simulate = false, operator } = {}) {
      const body = {
        amount,
        counterparty: { msisdn: to },
        ...(simulate && { simulate: 'succeed' }),
        ...(operator && { operator }),
      }
      const created = checkPayment(await installation.pay(key, body), 201)
      return untilPayment(created.id, 'succeeded')
    },
  }
}
