import { batchStatuses } from '../../payout-batches/batch.ts'
import { listBatches } from '../../payout-batches/find-batches.ts'
import { listPayouts, readPayoutFile } from '../../payouts/find-payouts.ts'
import { listRequests } from '../../payouts/find-requests.ts'
import { payoutStatuses } from '../../payouts/payout.ts'
import { requestStatuses } from '../../payouts/payout-request.ts'
import { type Command, CommandError, defineCommand, idOf } from '../command.ts'
import { listed, listOptions, readList } from '../page.ts'
import { viewInstruction } from './payment.ts'

const payoutList = defineCommand({
  name: 'payout list',
  summary: 'Show payouts, newest first: of all merchants or of one, in any state or in one',
  options: { ...listOptions, status: { kind: 'optional', says: 'only in this state', choices: payoutStatuses } },
  table: {
    rows: 'payouts',
    columns: ['id', 'merchant', 'status', 'amount', 'created_at', 'reference'],
    empty: 'No such payouts.',
  },
  async run(context, { status, ...words }) {
    const page = await listPayouts(await context.reads(), { ...readList(words, 'txn'), status: status ?? null })
    return listed('payouts', page, inListOrder)
  },
})

const payoutShow = defineCommand({
  name: 'payout show',
  summary: 'Show a payout: its destination, its states with their times, and the exchange with its operator',
  options: { id: idOf('txn', 'payout') },
  async run(context, { id }) {
    const file = await readPayoutFile(await context.sql(), id)
    if (file === null) throw new CommandError(`There is no payout ${id}.`)
    const { payout, moves, instruction } = file
    return { ...inListOrder(payout), moves, instruction: viewInstruction(instruction) }
  },
})

const requestList = defineCommand({
  name: 'request list',
  summary: 'Show the payout requests (payouts above a cap) that wait for a person, oldest first',
  details: 'With --status it shows requests in another state, or in any, newest first.',
  options: {
    ...listOptions,
    status: {
      kind: 'optional',
      says: 'in this state; otherwise pending_approval',
      choices: [...requestStatuses, 'any'],
    },
  },
  table: {
    rows: 'requests',
    columns: ['id', 'merchant', 'status', 'amount', 'created_at', 'reference'],
    empty: 'No such payout requests.',
  },
  async run(context, { status = 'pending_approval', ...words }) {
    const wanted = { ...readList(words, 'por'), status: status === 'any' ? null : status }
    return listed('requests', await listRequests(await context.reads(), wanted), inListOrder)
  },
})

const batchList = defineCommand({
  name: 'batch list',
  summary: 'Show the batches of payouts that wait for approval, oldest first',
  details:
    'With --status it shows batches in another state, or in any, newest first. docs/states.md explains the French words.',
  options: {
    ...listOptions,
    status: {
      kind: 'optional',
      says: 'in this state; otherwise en_attente_validation',
      choices: [...batchStatuses, 'any'],
    },
  },
  table: {
    rows: 'batches',
    columns: ['id', 'merchant', 'status', 'total_amount:total', 'line_count:lines', 'created_at'],
    empty: 'No such batches.',
  },
  async run(context, { status = 'en_attente_validation', ...words }) {
    const wanted = { ...readList(words, 'pob'), status: status === 'any' ? null : status }
    return listed('batches', await listBatches(await context.reads(), wanted), inListOrder)
  },
})

type Listed = { id: string; object: string; merchant_id: number; livemode: boolean }

/** Puts the id first, as in every list, then the merchant and the mode. */
function inListOrder({ id, object: _, merchant_id, livemode, ...rest }: Listed): object {
  return { id, merchant_id, livemode, ...rest }
}

export const commands: readonly Command[] = [payoutList, payoutShow, requestList, batchList]
