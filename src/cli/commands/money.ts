import { setTimeout as sleep } from 'node:timers/promises'
import { readBalances } from '../../ledger/balances.ts'
import { moveToTransfer, recordDeposit } from '../../ledger/fill-transfer.ts'
import { KNOWN_AFTER_SECONDS, setFees } from '../../merchants/set-fees.ts'
import { actCommand } from '../act-command.ts'
import {
  type Command,
  CommandError,
  defineCommand,
  readAmount,
  readInteger,
  readMerchant,
  readTenant,
  readTime,
} from '../command.ts'

const deposit = actCommand(recordDeposit, {
  name: 'deposit',
  details:
    "Give the bank's reference of the transfer: the service books it once for a merchant and mode, so you can run the command again " +
    'when you did not see its answer. Without one, each run is another deposit.',
  example: '--merchant 1 --mode test --amount 300000 --reference VIR-2026-0042',
  answer: ({ id, ...filled }) => ({ deposit_id: id, ...filled }),
})

const transfer = actCommand(moveToTransfer, {
  name: 'transfer',
  answer: ({ id, ...filled }) => ({ transfer_id: id, ...filled }),
})

const balance = defineCommand({
  name: 'balance',
  summary: 'Show the balances of a merchant',
  options: { merchant: 'needed', mode: 'needed' },
  async run(context, { merchant, mode }) {
    const tenant = readTenant({ merchant, mode })
    const balances = await readBalances(await context.sql(), tenant)
    if (balances === null) throw new CommandError(`There is no merchant ${tenant.merchant_id}.`)
    return balances
  },
})

/** The most milliseconds between the clocks of two processes, which follow the database's. */
const CLOCKS_MS = 250

const feesSet = defineCommand({
  name: 'fees set',
  summary: 'Set the fees of a merchant, from now or from a later time; an operation keeps the fee of its creation',
  details:
    'A new schedule begins after two seconds, when every process knows it; effective_from is the exact time. Without --from the command ' +
    'returns once it is in force.',
  right: 'fees.manage',
  fresh: true,
  options: {
    merchant: 'needed',
    service: 'needed',
    bps: 'optional',
    fixed: 'optional',
    minimum: 'optional',
    maximum: 'optional',
    bearer: 'optional',
    from: 'optional',
    as: 'optional',
  },
  async run(context, { merchant, service, bps, fixed, minimum, maximum, bearer = 'merchant', from, as }) {
    if (service !== 'collection' && service !== 'payout')
      throw new CommandError('--service is collection or payout.', 2)
    if (bearer !== 'merchant' && bearer !== 'payer') throw new CommandError('--bearer is merchant or payer.', 2)
    const fees = {
      merchant_id: readMerchant(merchant),
      service,
      basis_points: readInteger('bps', bps ?? '0', 0, 10_000),
      fixed: readAmount('fixed', fixed ?? '0', 0),
      minimum: readAmount('minimum', minimum ?? '0', 0),
      maximum: maximum === undefined ? null : readAmount('maximum', maximum, 0),
      bearer,
      effective_from: from === undefined ? 'when_known' : readTime('from', from),
    } as const
    const result = await setFees(await context.sql(), fees, context.actor(as))
    if (result.kind === 'refused') throw new CommandError(feeRefusals[result.code])
    // The next line of a script may request a payment, and the clocks of processes differ by some milliseconds.
    if (from === undefined) await sleep(KNOWN_AFTER_SECONDS * 1_000 + CLOCKS_MS)
    return { ...fees, effective_from: result.effective_from }
  },
})

const feeRefusals = {
  invalid_fees: 'These fees cannot be charged: the maximum must be at least the minimum.',
  effective_too_early: `--from must lie at least ${KNOWN_AFTER_SECONDS} seconds ahead, so that every process knows the new fee in time.`,
  schedule_exists: 'There is a schedule for that moment already. Give another --from.',
  resource_not_found: 'There is no such merchant.',
}

export const commands: readonly Command[] = [deposit, transfer, balance, feesSet]
