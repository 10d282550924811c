import { setTimeout as sleep } from 'node:timers/promises'
import { readBalances } from '../../ledger/balances.ts'
import { depositToTransfer, type Filled, moveToTransfer } from '../../ledger/fill-transfer.ts'
import { KNOWN_AFTER_SECONDS, setFees } from '../../merchants/set-fees.ts'
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
import { factsOfSum } from '../sign-in/act-facts.ts'

const deposit = defineCommand({
  name: 'deposit',
  summary: 'Book a deposit to the transfer balance of a merchant; the same --reference again books nothing',
  details:
    "Give the bank's reference of the transfer: the service books it once for a merchant and mode, so you can run the command again " +
    'when you did not see its answer. Without one, each run is another deposit.',
  right: 'deposits.record',
  fresh: true,
  facts: factsOfSum,
  options: {
    merchant: 'needed',
    mode: 'needed',
    amount: 'needed',
    reference: { kind: 'optional', value: 'R', says: "the bank's reference of the transfer", sample: 'VIR-2026-0042' },
    as: 'optional',
  },
  example: '--merchant 1 --mode test --amount 300000 --reference VIR-2026-0042',
  async run(context, { merchant, mode, amount, reference = null, as }) {
    const tenant = readTenant({ merchant, mode })
    const francs = readAmount('amount', amount)
    const order = { by: context.actor(as), reference }
    const filled = booked(
      await depositToTransfer(await context.sql(), tenant, francs, context.clock, order),
      merchant,
      'reference',
    )
    return { deposit_id: filled.id, amount: francs, transfer: filled.transfer, repeated: filled.kind === 'repeated' }
  },
})

const transfer = defineCommand({
  name: 'transfer',
  summary: 'Move money from the available to the transfer balance of a merchant; the same --key again moves nothing',
  right: 'payouts.make',
  fresh: true,
  facts: factsOfSum,
  options: {
    merchant: 'needed',
    mode: 'needed',
    amount: 'needed',
    key: { kind: 'optional', value: 'KEY', says: 'your own name for this transfer, which is then made once' },
    as: 'optional',
  },
  async run(context, { merchant, mode, amount, key: reference = null, as }) {
    const tenant = readTenant({ merchant, mode })
    const francs = readAmount('amount', amount)
    const order = { by: context.actor(as), reference }
    const filled = booked(
      await moveToTransfer(await context.sql(), tenant, francs, context.clock, order),
      merchant,
      'key',
    )
    return { transfer_id: filled.id, amount: francs, transfer: filled.transfer, repeated: filled.kind === 'repeated' }
  },
})

/** Returns the booking, made now or earlier. @param option the option with its reference @throws CommandError when it was refused */
function booked(filled: Filled, merchant: string, option: string): Exclude<Filled, { kind: 'refused' }> {
  if (filled.kind !== 'refused') return filled
  switch (filled.code) {
    case 'resource_not_found':
      throw new CommandError(`There is no merchant ${merchant}.`)
    case 'invalid_reference':
      throw new CommandError(`--${option} has 1 to 140 printable characters.`, 2)
    case 'insufficient_funds':
      throw new CommandError('The available balance does not cover it.')
    case 'reference_used': {
      const { id, amount, created_at } = filled.earlier
      throw new CommandError(
        `This --${option} was booked at ${created_at.toISOString()} as ${id}, with ${amount} francs. Nothing was booked now: check the amount.`,
      )
    }
  }
}

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
