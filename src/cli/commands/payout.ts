import type { ActCall } from '../../acts/act.ts'
import { createOrderKeys } from '../../operators/order-keys.ts'
import { predictOperator } from '../../operators/prediction/prediction.ts'
import { approveBatch, rejectBatch } from '../../payout-batches/decide-batch.ts'
import { findBatch } from '../../payout-batches/store.ts'
import { approveRequest, rejectRequest } from '../../payouts/decide-request.ts'
import { keyOfPayout, makePayout } from '../../payouts/make-payout.ts'
import { findPayoutRequest } from '../../payouts/request-store.ts'
import { readPayoutStops, resumePayouts, stopPayouts } from '../../payouts/stop-payouts.ts'
import { alikeIds } from '../../screens/send/send-facts.ts'
import { Msisdn } from '../../values/msisdn.ts'
import { isOperatorCode, operatorCodes } from '../../values/operators.ts'
import { actCommand } from '../act-command.ts'
import { type Command, CommandError, defineCommand, readMerchant } from '../command.ts'
import type { CommandContext } from '../command-context.ts'

/** The merchant concerned by a decision of its people. */
const ownerOfRequest = async (context: CommandContext, id: string) =>
  (await findPayoutRequest(await context.sql(), id))?.merchant_id ?? null
const ownerOfBatch = async (context: CommandContext, id: string) =>
  (await findBatch(await context.sql(), id))?.merchant_id ?? null

const approving = async ({ config }: CommandContext) => ({ payoutCaps: config })

const payoutMake = actCommand(makePayout, {
  details:
    'Within the caps the service sends it at once; above them it waits as a payout request, which another person of the merchant approves. ' +
    'Use a --key once: the service knows it for IDEMPOTENCY_RETENTION_DAYS (30), and another payout under an older key could be taken for the first one ' +
    'by its operator. The command does not ask the operator about failed payouts like this one, as the console does.',
  example: '--merchant 1 --mode test --to 0500000010 --amount 5000 --key rent-2026-11',
  async deps(context, call, { to }) {
    const { tenant, by, values } = call as ActCall<{ kind: 'merchant' }, { key: string }>
    const sql = await context.sql()
    const msisdn = typeof to === 'string' ? Msisdn.parse(to) : null
    return {
      payoutCaps: context.config,
      request_expiry_days: context.config.payout_request_expiry_days,
      order_key: await createOrderKeys({ sql })(tenant, keyOfPayout(by.person, values.key)),
      predicted: msisdn && predictOperator(msisdn, null),
      readAlike: alikeIds(context.clock.now()),
    }
  },
  answer: ({ id, status }) => ({ id, status }),
  advice: ({ id, status }) =>
    status === 'created'
      ? null
      : `Another person of the merchant approves it in the console, or with bandama request approve --id ${id}.`,
})

const requestApprove = actCommand(approveRequest, {
  name: 'request approve',
  merchantOf: ownerOfRequest,
  deps: approving,
  answer: ({ request_id, payout_id }) => ({ request_id, status: 'approved', payout_id }),
})
const requestReject = actCommand(rejectRequest, {
  name: 'request reject',
  merchantOf: ownerOfRequest,
  answer: ({ request_id }) => ({ request_id, status: 'rejected' }),
})
const batchApprove = actCommand(approveBatch, {
  name: 'batch approve',
  merchantOf: ownerOfBatch,
  deps: approving,
  answer: (decided) => decided,
})
const batchReject = actCommand(rejectBatch, {
  name: 'batch reject',
  merchantOf: ownerOfBatch,
  answer: (decided) => decided,
})

/** The options that name the payouts, in place of the fields of the form. */
const scopeOptions = {
  options: { all: 'flag', operator: 'optional', merchant: 'optional' },
  typed: readScope,
} as const

const payoutsStop = actCommand(stopPayouts, {
  details:
    'Payouts and refunds that no operator has yet wait, with their money held. Those that an operator has continue to their end. ' +
    'Two people resume them (payouts resume).',
  example: '--all',
  instead: scopeOptions,
  answer: (scope) => ({ stopped: scope }),
  advice: () =>
    'Payouts and refunds that no operator has yet now wait. Two people resume them: bandama payouts resume.',
})

const payoutsResume = actCommand(resumePayouts, {
  details:
    'The first person asks to resume, and the stop remains. Another person, who may be the one who stopped payouts, lifts it. ' +
    'Stopping again cancels that request to resume.',
  example: '--operator orange_ci',
  instead: scopeOptions,
  answer({ waiting, scope, stop }) {
    const { stopped_by, resume_asked_by, resume_asked_at, lifted_by, cause, cause_detail } = stop
    const people = { stopped_by, resume_asked_by, resume_asked_at, lifted_by, cause, cause_detail }
    if (!waiting) return { waiting, resumed: scope, ...people }
    const message = `${resume_asked_by} has asked to resume. Payouts stay stopped until another person runs the same command.`
    return { waiting, message, ...people }
  },
  advice: ({ stop }) =>
    stop.cause === null
      ? null
      : 'With this you say: All indexes were rebuilt after the collation of the database had changed (docs/deploy.md), and bandama audit finds no fault.',
})

const payoutsStops = defineCommand({
  name: 'payouts stops',
  summary: 'Show the stops of payouts, with the people who stopped them and asked to resume',
  options: { history: { kind: 'flag', says: 'also the stops that were lifted' } },
  table: {
    rows: 'stops',
    columns: ['scope', 'value', 'cause', 'stopped_by', 'stopped_at', 'resume_asked_by', 'lifted_by', 'lifted_at'],
    empty: 'No payouts are stopped.',
  },
  async run(context, { history }) {
    return { stops: await readPayoutStops(await context.sql(), { lifted: history }) }
  },
})

/** Reads the payouts that the options name. @throws CommandError when they name none, or several */
function readScope({ all, operator, merchant }: Readonly<Record<string, unknown>>) {
  if ([all === true, operator !== undefined, merchant !== undefined].filter(Boolean).length !== 1) {
    throw new CommandError('Give one of --all, --operator and --merchant.', 2)
  }
  if (typeof merchant === 'string') return { what: 'merchant', merchant: String(readMerchant(merchant)) }
  if (typeof operator !== 'string') return { what: 'all' }
  if (!isOperatorCode(operator)) throw new CommandError(`--operator must be one of ${operatorCodes.join(', ')}.`, 2)
  return { what: operator }
}

export const commands: readonly Command[] = [
  payoutMake,
  requestApprove,
  requestReject,
  batchApprove,
  batchReject,
  payoutsStop,
  payoutsResume,
  payoutsStops,
]
