import { readBalances } from '../ledger/balances.ts'
import { depositToTransfer, moveToTransfer } from '../ledger/fill-transfer.ts'
import { setFees } from '../merchants/set-fees.ts'
import {
  type Command,
  CommandError,
  defineCommand,
  readAmount,
  readInteger,
  readMerchant,
  readPerson,
  readTenant,
  readTime,
} from './command.ts'

const deposit = defineCommand({
  name: 'deposit',
  summary: 'Book money that a merchant brought for its payouts',
  options: { merchant: 'needed', mode: 'needed', amount: 'needed', as: 'optional' },
  async run(bench, { merchant, mode, amount, as }) {
    const tenant = readTenant({ merchant, mode })
    const francs = readAmount('amount', amount)
    const result = await depositToTransfer(await bench.sql(), tenant, francs, bench.clock, readPerson(as))
    if (result.kind === 'refused') throw new CommandError(`There is no merchant ${tenant.merchant_id}.`)
    return { deposit_id: result.deposit_id, amount: francs, transfer: result.transfer }
  },
})

const transfer = defineCommand({
  name: 'transfer',
  summary: 'Move what is owed to a merchant to its transfer balance, to pay out from',
  options: { merchant: 'needed', mode: 'needed', amount: 'needed', as: 'optional' },
  async run(bench, { merchant, mode, amount, as }) {
    const tenant = readTenant({ merchant, mode })
    const francs = readAmount('amount', amount)
    const result = await moveToTransfer(await bench.sql(), tenant, francs, bench.clock, readPerson(as))
    if (result.kind === 'refused') {
      const short = result.code === 'insufficient_funds'
      throw new CommandError(short ? 'The available balance does not cover it.' : `There is no merchant ${merchant}.`)
    }
    return { transfer_id: result.transfer_id, amount: francs, transfer: result.transfer }
  },
})

const balance = defineCommand({
  name: 'balance',
  summary: 'Show what the service owes a merchant',
  options: { merchant: 'needed', mode: 'needed' },
  async run(bench, { merchant, mode }) {
    const tenant = readTenant({ merchant, mode })
    const balances = await readBalances(await bench.sql(), tenant)
    if (balances === null) throw new CommandError(`There is no merchant ${tenant.merchant_id}.`)
    return balances
  },
})

const feesSet = defineCommand({
  name: 'fees set',
  summary: 'Set what a merchant is charged, from now or from a later time; payments keep the fee they were made with',
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
  async run(bench, { merchant, service, bps, fixed, minimum, maximum, bearer = 'merchant', from, as }) {
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
      effective_from: from === undefined ? null : readTime('from', from),
    } as const
    const result = await setFees(await bench.sql(), fees, readPerson(as))
    if (result.kind === 'refused') throw new CommandError(feeRefusals[result.code])
    return { ...fees, effective_from: result.effective_from }
  },
})

const feeRefusals = {
  invalid_fees: 'These fees cannot be charged: the maximum is at least the minimum.',
  effective_in_past: '--from must not lie in the past: what exists keeps its fee.',
  schedule_exists: 'There is a schedule for that moment already.',
  resource_not_found: 'There is no such merchant.',
}

export const commands: readonly Command[] = [deposit, transfer, balance, feesSet]
