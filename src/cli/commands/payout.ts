import { createMerchantSettings } from '../../merchants/settings.ts'
import { approveBatch, type DecideBatchResult, refuseBatch } from '../../payout-batches/decide-batch.ts'
import { findBatch, readBatch } from '../../payout-batches/store.ts'
import { approveRequest, rejectRequest } from '../../payouts/decide-request.ts'
import { findPayoutRequest, readRequest } from '../../payouts/request-store.ts'
import { readPayoutStops, resumePayouts, stopPayouts } from '../../payouts/stop-payouts.ts'
import type { ActFacts } from '../../people/terminals/act-facts.ts'
import { isOperatorCode, operatorCodes } from '../../values/operators.ts'
import { actCommand } from '../act-command.ts'
import { type Command, CommandError, defineCommand, idOf, readMerchant, readText } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { factsOfTenant } from '../sign-in/act-facts.ts'

/** The merchant of a payout request. */
async function ownerOfRequest(context: CommandContext, { id }: { id: string }): Promise<number | null> {
  return (await findPayoutRequest(await context.sql(), id))?.merchant_id ?? null
}

/** The payout that a cap held back. */
async function factsOfRequest(context: CommandContext, { id }: { id: string }): Promise<ActFacts> {
  const sql = await context.sql()
  const key = await findPayoutRequest(sql, id)
  const row = key === null ? null : await readRequest(sql, key)
  if (row === null) return {}
  const { amount, name, label, operator, msisdn, made_by: requested_by } = row
  const recipient = { name: name ?? label, operator, number_end: msisdn.slice(-4) }
  return { ...(await factsOfTenant(context, row)), amount, recipient, requested_by }
}

const requestApprove = defineCommand({
  name: 'request approve',
  summary: 'Approve a payout request; the service debits its funds now',
  right: 'payouts.approve',
  fresh: true,
  facts: factsOfRequest,
  merchantOf: ownerOfRequest,
  options: { id: idOf('por', 'payout request'), as: 'optional' },
  async run(context, { id, as }) {
    const result = await approveRequest(await decisionDeps(context), id, context.actor(as))
    if (result.kind === 'refused') throw new CommandError(requestRefusals[result.code])
    return { request_id: id, status: 'approved', payout_id: result.payout_id }
  },
})

/** The most characters of a reason. */
const REASON_MAX = 500
const declineReason = { kind: 'optional', says: 'the reason, which the maker reads in the console' } as const

function readReason(reason: string | undefined): string | null {
  return reason === undefined ? null : readText('reason', reason, REASON_MAX)
}

const requestReject = defineCommand({
  name: 'request reject',
  summary: 'Reject a payout request',
  right: 'payouts.approve',
  fresh: true,
  facts: factsOfRequest,
  merchantOf: ownerOfRequest,
  options: { id: idOf('por', 'payout request'), reason: declineReason, as: 'optional' },
  async run(context, { id, reason, as }) {
    const result = await rejectRequest(await decisionDeps(context), id, context.actor(as), readReason(reason))
    if (result.kind === 'refused') throw new CommandError(requestRefusals[result.code])
    return { request_id: id, status: 'rejected' }
  },
})

const samePerson =
  'The one who asked for a payout cannot decide on it, nor the one who made its key, nor whoever let these in within 90 days, and an API key never can. Name another person with --as.'

const requestRefusals = {
  resource_not_found: 'There is no such payout request.',
  already_decided: 'This payout request was decided or has expired.',
  same_person: samePerson,
  merchant_inactive: 'This merchant is deactivated. The payout request goes on waiting for approval.',
  beneficiary_archived:
    'The destination of this payout was archived, so nothing can be sent there. Reject the payout request; to pay the same ' +
    'person, the merchant makes a new payout.',
  insufficient_funds: 'The transfer balance does not cover this payout yet. It goes on waiting for approval.',
}

const batchDecision = {
  right: 'payouts.approve',
  fresh: true,
  merchantOf: async (context: CommandContext, { id }: { id: string }) =>
    (await findBatch(await context.sql(), id))?.merchant_id ?? null,
  async facts(context: CommandContext, { id }: { id: string }): Promise<ActFacts> {
    const sql = await context.sql()
    const key = await findBatch(sql, id)
    const row = key === null ? null : await readBatch(sql, key)
    if (row === null) return {}
    const { total_amount: amount, line_count: lines, made_by: requested_by } = row
    return { ...(await factsOfTenant(context, row)), amount, lines, requested_by }
  },
} as const

const batchApprove = defineCommand({
  ...batchDecision,
  name: 'batch approve',
  summary: 'Approve a batch above the cap, so that it can be executed',
  options: { id: idOf('pob', 'batch'), as: 'optional' },
  async run(context, { id, as }) {
    return batchDecided(id, await approveBatch(await decisionDeps(context), id, context.actor(as)))
  },
})

const batchReject = defineCommand({
  ...batchDecision,
  name: 'batch reject',
  summary: 'Reject a batch above the cap',
  options: { id: idOf('pob', 'batch'), reason: declineReason, as: 'optional' },
  async run(context, { id, reason, as }) {
    const by = context.actor(as)
    return batchDecided(id, await refuseBatch(await decisionDeps(context), id, by, readReason(reason)))
  },
})

const batchRefusals = {
  resource_not_found: 'There is no such batch.',
  already_decided: 'This batch does not wait for approval.',
  same_person: samePerson,
}

function batchDecided(batch_id: string, result: DecideBatchResult) {
  if (result.kind === 'refused') throw new CommandError(batchRefusals[result.code])
  return { batch_id, status: result.status }
}

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
function readScope({ all, operator, merchant }: Readonly<Record<string, string | boolean | undefined>>) {
  if ([all === true, operator !== undefined, merchant !== undefined].filter(Boolean).length !== 1) {
    throw new CommandError('Give one of --all, --operator and --merchant.', 2)
  }
  if (typeof merchant === 'string') return { what: 'merchant', merchant: String(readMerchant(merchant)) }
  if (typeof operator !== 'string') return { what: 'all' }
  if (!isOperatorCode(operator)) throw new CommandError(`--operator must be one of ${operatorCodes.join(', ')}.`, 2)
  return { what: operator }
}

/** The dependencies of a decision on a request or a batch. */
async function decisionDeps(context: CommandContext) {
  const sql = await context.sql()
  return { sql, clock: context.clock, settings: createMerchantSettings({ sql }), caps: context.config }
}

export const commands: readonly Command[] = [
  requestApprove,
  requestReject,
  batchApprove,
  batchReject,
  payoutsStop,
  payoutsResume,
  payoutsStops,
]
