import { setTimeout as sleep } from 'node:timers/promises'
import { readBalances } from '../../ledger/balances.ts'
import { decideDeposit, moveToTransfer, recordDeposit, withdrawDeposit } from '../../ledger/fill-transfer.ts'
import { AT_ONCE_SECONDS, setFees } from '../../merchants/set-fees.ts'
import { matchDeposit } from '../../reconciliation/match-deposit.ts'
import { actCommand } from '../act-command.ts'
import { type Command, CommandError, defineCommand, readInteger, readTenant, readTime } from '../command.ts'
import { viewProposal } from '../view-proposal.ts'

const deposit = actCommand(recordDeposit, {
  name: 'deposit',
  details:
    "Give the bank's reference of the transfer: the service books it once for a merchant and mode, so you can run the command again " +
    'when you did not see its answer. Without one, each run is another deposit.',
  example: '--merchant 1 --mode test --amount 300000 --reference VIR-2026-0042',
  deps: async ({ config }) => ({ secondPersonAbove: config.second_person_above }),
  answer(made) {
    if ('proposal_id' in made) return made
    const { id, ...filled } = made
    return { deposit_id: id, ...filled }
  },
  advice: (made) =>
    'proposal_id' in made
      ? `Another person confirms it on the desk, or with bandama deposit approve --id ${made.proposal_id}.`
      : null,
})

const decided = { answer: viewProposal }
const depositApprove = actCommand(decideDeposit.approve, decided)
const depositMatch = actCommand(matchDeposit, decided)
const depositRefuse = actCommand(decideDeposit.refuse, decided)
const depositWithdraw = actCommand(withdrawDeposit, decided)

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

const feesSet = actCommand(setFees, {
  details:
    'A new schedule begins after three seconds, when every process knows it; effective_from is the exact time. Without --from the command ' +
    'returns once it is in force.',
  instead: {
    options: {
      service: 'needed',
      bps: 'optional',
      fixed: 'optional',
      minimum: 'optional',
      maximum: 'optional',
      bearer: 'optional',
      from: 'optional',
    },
    typed({ bps = '0', bearer = 'merchant', from, ...given }) {
      const { service, fixed, minimum, maximum } = given as Record<string, string | undefined>
      const percent = String(readInteger('bps', String(bps), 0, 10_000) / 100)
      const moment = from === undefined ? undefined : readTime('from', String(from)).toISOString()
      return { service, percent, fixed, minimum, maximum, bearer: String(bearer), from: moment }
    },
  },
  async answer(fees, context) {
    const left = fees.effective_from.getTime() - context.clock.milliseconds()
    // The next line of a script may request a payment, and the clocks of processes differ by some milliseconds.
    if (left <= AT_ONCE_SECONDS * 1_000) await sleep(Math.max(0, left) + CLOCKS_MS)
    return fees
  },
})

export const commands: readonly Command[] = [
  deposit,
  depositApprove,
  depositMatch,
  depositRefuse,
  depositWithdraw,
  transfer,
  balance,
  feesSet,
]
