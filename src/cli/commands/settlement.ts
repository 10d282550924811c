import { paySettlement } from '../../settlements/pay-settlement.ts'
import { rejectSettlement } from '../../settlements/reject-settlement.ts'
import { readOpenSettlements, reviewSettlement, takeAccount } from '../../settlements/review-settlement.ts'
import { setMinimum } from '../../settlements/set-minimum.ts'
import { type SettlementRow, viewSettlement } from '../../settlements/settlement.ts'
import { validateSettlement } from '../../settlements/validate-settlement.ts'
import { actCommand } from '../act-command.ts'
import { type Command, CommandError, defineCommand, idOf, readTenant } from '../command.ts'

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

const settlementValidate = actCommand(validateSettlement, { answer: viewForStaff })
const settlementReject = actCommand(rejectSettlement, { answer: viewForStaff })
const settlementPay = actCommand(paySettlement, { answer: viewForStaff })

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
