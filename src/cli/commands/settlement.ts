import { createMerchantSettings } from '../../merchants/settings.ts'
import type { ActFacts } from '../../people/terminals/act-facts.ts'
import type { SettlementMoved } from '../../settlements/move-settlement.ts'
import { paySettlement } from '../../settlements/pay-settlement.ts'
import { rejectSettlement } from '../../settlements/reject-settlement.ts'
import { readOpenSettlements, reviewSettlement, takeAccount } from '../../settlements/review-settlement.ts'
import { setMinimum } from '../../settlements/set-minimum.ts'
import { type SettlementRow, viewSettlement } from '../../settlements/settlement.ts'
import { validateSettlement } from '../../settlements/validate-settlement.ts'
import { actCommand } from '../act-command.ts'
import { type Command, CommandError, defineCommand, idOf, readTenant, readTime } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { factsOfTenant } from '../sign-in/act-facts.ts'

const settlementSetMinimum = actCommand(setMinimum, {
  deps: async ({ config }) => ({ usualTerms: config }),
  answer: (set) => set,
})

const settlementList = defineCommand({
  name: 'settlement list',
  summary: 'Show the settlements that wait to be validated or paid, oldest first: of all merchants, or of one',
  options: { merchant: 'optional', mode: 'optional' },
  table: {
    rows: 'settlements',
    columns: ['settlement_id', 'merchant', 'status', 'amount', 'created_at', 'name'],
    empty: 'No settlement waits to be validated or paid.',
  },
  async run(context, { merchant, mode }) {
    if ((merchant === undefined) !== (mode === undefined)) {
      throw new CommandError('Give --merchant and --mode together.', 2)
    }
    const tenant = merchant === undefined ? null : readTenant({ merchant, mode: mode! })
    return { settlements: (await readOpenSettlements(await context.sql(), tenant)).map(viewForStaff) }
  },
})

const settlementShow = defineCommand({
  name: 'settlement show',
  summary:
    'Show a settlement and the people who decided on it; --account shows the full account number while it waits to be paid',
  details:
    'A person who has the full account number may order the transfer. So the service records --account with its person, as it records a file for the bank, ' +
    'and settlement reject asks whether a transfer was made since.',
  right: ({ account }) => (account ? 'settlements.pay' : null),
  options: {
    id: idOf('stl', 'settlement'),
    account: { kind: 'flag', says: 'show the full account or wallet number' },
    as: 'optional',
  },
  async run(context, { id, account: full, as }) {
    const sql = await context.sql()
    const read = async () => {
      const result = await reviewSettlement(sql, id)
      if (result.kind === 'refused') throw new CommandError(`There is no settlement ${id}.`)
      return result
    }
    const found = await read()
    if (!full) return { ...viewForStaff(found.settlement), destination_today: found.destination_today }
    const account = await takeAccount({ sql, clock: context.clock }, found.settlement, context.actor(as))
    if (account === null)
      throw new CommandError('The full account is shown only while a settlement is validated and waits to be paid.')
    const { settlement, destination_today } = await read()
    return { ...viewForStaff(settlement), destination_today, account }
  },
})

/** The settlement that people decide on. */
async function factsOfSettlement(context: CommandContext, { id }: { id: string }): Promise<ActFacts> {
  const found = await reviewSettlement(await context.sql(), id)
  if (found.kind === 'refused') return {}
  const { amount, name, operator, last4: number_end, made_by: requested_by } = found.settlement
  const tenant = await factsOfTenant(context, found.settlement)
  const { destination_today: today } = found
  const changed = today === 'designated' ? {} : { destination_today: today }
  return { ...tenant, amount, recipient: { name, operator, number_end }, ...changed, requested_by }
}

const settlementValidate = defineCommand({
  name: 'settlement validate',
  summary: 'Validate a settlement, as the first of two people',
  right: 'settlements.validate',
  fresh: true,
  facts: factsOfSettlement,
  options: { id: idOf('stl', 'settlement'), as: 'optional' },
  async run(context, { id, as }) {
    const sql = await context.sql()
    const deps = { sql, clock: context.clock, settings: createMerchantSettings({ sql }) }
    return answer(id, await validateSettlement(deps, id, context.actor(as)))
  },
})

const settlementReject = defineCommand({
  name: 'settlement reject',
  summary: 'Reject a settlement, validated or not; the amount is available to the merchant again',
  right: 'settlements.validate',
  fresh: true,
  facts: factsOfSettlement,
  options: {
    id: idOf('stl', 'settlement'),
    as: 'optional',
    reason: 'optional',
    'no-transfer-since': {
      kind: 'optional',
      value: 'TIME',
      says: 'the account_taken_at since which the bank has made no transfer, and will make none',
      sample: '2027-01-01T09:30:00.123Z',
    },
  },
  async run(context, { id, as, reason, 'no-transfer-since': since }) {
    const deps = { sql: await context.sql(), clock: context.clock }
    const no_transfer_since = since === undefined ? null : readTime('no-transfer-since', since)
    const result = await rejectSettlement(deps, id, context.actor(as), reason ?? null, no_transfer_since)
    if (result.kind === 'refused' && result.code === 'invalid_reason') {
      throw new CommandError('--reason has 1 to 500 characters on one line.', 2)
    }
    return answer(id, result)
  },
})

const settlementPay = defineCommand({
  name: 'settlement pay',
  summary: 'Enter the bank transfer that paid a settlement, as the second of two people',
  right: 'settlements.pay',
  fresh: true,
  facts: factsOfSettlement,
  options: {
    id: idOf('stl', 'settlement'),
    as: 'optional',
    'bank-reference': {
      kind: 'needed',
      value: 'R',
      says: "the bank's reference of the transfer",
      sample: 'VIR-2026-0042',
    },
  },
  async run(context, { id, as, 'bank-reference': reference }) {
    const deps = { sql: await context.sql(), clock: context.clock }
    const result = await paySettlement(deps, id, context.actor(as), reference)
    if (result.kind === 'refused' && result.code === 'invalid_bank_reference') {
      throw new CommandError('--bank-reference has 1 to 140 characters.', 2)
    }
    return answer(id, result)
  },
})

/**
 * The answer to a decision. A refusal tells the settlement's present state, so that nobody has to guess whether it was
 * already done.
 */
function answer(id: string, result: SettlementMoved): object {
  if (result.kind === 'moved') return viewForStaff(result.settlement)
  switch (result.code) {
    case 'resource_not_found':
      throw new CommandError(`There is no settlement ${id}.`)
    case 'invalid_person':
      throw new CommandError('--as must name a person, in at most 200 characters.', 2)
    case 'not_now':
      throw new CommandError(stateInWords(result.settlement))
    case 'same_person':
      throw new CommandError(
        `Two people pay a settlement. The one who validated it (${result.settlement.validated_by ?? 'nobody yet'}) cannot enter the transfer, nor whoever let the requester or the validator in within 90 days, and an API key never can. Name another person with --as.`,
      )
    case 'merchant_inactive':
      throw new CommandError('This merchant is deactivated. The settlement keeps waiting for validation.')
    case 'transfer_possible': {
      const { account_taken_at, account_taken_by } = result.settlement
      throw new CommandError(
        `The transfer of ${id} may be ordered: ${account_taken_by} took its full account at ${account_taken_at!.toISOString()}. Ask the bank. If it has made no transfer since and will make none, give --no-transfer-since ${account_taken_at!.toISOString()}. If it has, enter the transfer with "bandama settlement pay".`,
      )
    }
    case 'bank_reference_used':
      throw new CommandError(`This transfer was already entered for the settlement ${result.paid_id}.`)
  }
}

/** The state of a settlement, in one sentence. */
function stateInWords(settlement: SettlementRow): string {
  const { id, status, validated_by, validated_at, paid_by, paid_at, rejected_by, rejected_at } = settlement
  switch (status) {
    case 'pending_validation':
      return `${id} waits to be validated; it can be paid after that.`
    case 'validated':
      return `${id} was validated already, by ${validated_by} at ${validated_at!.toISOString()}. It waits to be paid.`
    case 'paid':
      return `${id} is paid: transfer ${settlement.bank_reference}, entered by ${paid_by} at ${paid_at!.toISOString()}.`
    case 'rejected':
      return `${id} was rejected by ${rejected_by} at ${rejected_at!.toISOString()}. The amount went back.`
  }
}

/** A settlement as its merchant sees it, plus its merchant and the people who decided. */
function viewForStaff(settlement: SettlementRow): object {
  const { id: settlement_id, object: _, ...view } = viewSettlement(settlement)
  const { merchant_id, made_by, validated_by, paid_by, rejected_by, booking_date, value_date } = settlement
  const designated_at = settlement.designated_at.toISOString()
  const people = { made_by, validated_by, paid_by, rejected_by, account_taken_by: settlement.account_taken_by }
  const account_taken_at = settlement.account_taken_at?.toISOString() ?? null
  return { settlement_id, merchant_id, ...view, booking_date, value_date, designated_at, account_taken_at, ...people }
}

export const commands: readonly Command[] = [
  settlementSetMinimum,
  settlementList,
  settlementShow,
  settlementValidate,
  settlementReject,
  settlementPay,
]
