import { paySettlement } from '../../settlements/pay-settlement.ts'
import { rejectSettlement } from '../../settlements/reject-settlement.ts'
import { readOpenSettlements, reviewSettlement, takeAccount } from '../../settlements/review-settlement.ts'
import { setMinimum } from '../../settlements/set-minimum.ts'
import { setSchedule } from '../../settlements/set-schedule.ts'
import { type SettlementRow, viewSettlement } from '../../settlements/settlement.ts'
import { validateSettlement } from '../../settlements/validate-settlement.ts'
import { actCommand } from '../act-command.ts'
import { type Command, CommandError, defineCommand, idOf, readTenant } from '../command.ts'

const settlementSetMinimum = actCommand(setMinimum, {
  deps: async ({ config }) => ({ usualTerms: config }),
  answer: (set) => set,
})

const settlementSchedule = actCommand(setSchedule, {
  details: 'Give --every and --at, or --off alone. The hour is that of Abidjan.',
  example: '--merchant 1 --mode live --every mon,thu --at 06 --floor 50000',
  instead: {
    options: {
      every: { kind: 'optional', value: 'DAYS', says: 'day, or days such as mon,thu' },
      at: { kind: 'optional', value: 'HH', says: 'the hour, from 0 to 23' },
      floor: { kind: 'optional', value: 'FRANCS', says: 'francs that stay available' },
      off: { kind: 'flag', says: 'ask for nothing by itself any more' },
    },
    typed({ every, at, floor, off }) {
      if ((every === undefined) !== (off === true)) throw new CommandError('Give --every with --at, or --off alone.', 2)
      const text = (given: unknown) => (typeof given === 'string' ? given : '')
      return off === true
        ? { every: 'never', at: '', keep: '' }
        : { every: text(every), at: text(at), keep: text(floor) }
    },
  },
  answer: ({ keep: floor, ...set }) => ({ ...set, floor }),
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
  settlementSchedule,
  settlementList,
  settlementShow,
  settlementValidate,
  settlementReject,
  settlementPay,
]
