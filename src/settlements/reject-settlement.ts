import { defineAct } from '../acts/act.ts'
import { type Field, reasonFact, reasonField } from '../acts/facts.ts'
import { readMoment } from '../values/read-typed.ts'
import { move, moveRefusals, moving } from './move-settlement.ts'

const common = moving('rejected')

/** The merchant sees it. On the command line it may be absent. */
const written = reasonField(['Pourquoi', 'Why'])
const reason = {
  ...written,
  option: { ...written.option, must: 'has 1 to 500 characters on one line.', absent: null },
} as Field<string | null>

const { words: transferPossible } = moveRefusals.transfer_possible

/** The `account_taken_at` after which, as the person states, no transfer was made, as `toISOString` writes it. Null: no statement. */
const no_transfer: Field<string | null> = {
  name: ['Virement', 'Transfer'],
  write: (since) => [`aucun depuis ${since}`, `none since ${since}`],
  read: (typed) => (typed === '' ? null : (readMoment(typed)?.toISOString() ?? undefined)),
  form: {
    label: ['La banque n’a fait aucun virement et n’en fera pas', 'The bank has made no transfer and will make none'],
    kind: 'line',
    fault: transferPossible,
  },
  option: {
    ...{ name: 'no-transfer-since', value: 'TIME', sample: '2027-01-01T09:30:00.123Z', absent: null },
    says: 'the account_taken_at since which the bank has made no transfer, and will make none',
    must: 'must be a time such as 2027-01-01T09:30:00.123Z.',
  },
}

/**
 * Rejects a settlement, validated or not: its amount returns to the merchant's available balance. The validator may do it as well, because
 * no money leaves. Once a person has taken the whole account, the transfer may be ordered: then the money would be paid and returned. So
 * the rejecting person states that no transfer followed. Refusals, in order of precedence: one that is paid or rejected already, the maker
 * or an API key, a taken account without this statement.
 */
export const rejectSettlement = defineAct({
  ...common,
  name: 'settlement.reject',
  summary: 'Reject a settlement, validated or not; the amount is available to the merchant again',
  title: ['Rejeter ce reversement', 'Reject this settlement'],
  right: 'settlements.validate',
  fields: { reason, no_transfer },
  load: (tx, call) => common.load(tx, call),
  facts: { ...common.facts, reason: reasonFact, no_transfer },
  content: (has, values) => ({ ...common.content(has), ...values }),
  note: ({ settlement: { account_taken_at } }) =>
    account_taken_at === null
      ? ['L’argent revient au marchand.', 'The money goes back to the merchant.']
      : [
          'L’argent revient au marchand. Vous attestez que la banque n’a fait aucun virement et n’en fera pas.',
          'The money goes back to the merchant. You state that the bank has made no transfer and will not make one.',
        ],
  decide(call, has, now) {
    const { reason: rejection_reason, no_transfer: since } = call.values
    const no_transfer_since = since === null ? null : new Date(since)
    const wanted = { trigger: 'rejected', merchant_active: true, rejection_reason, no_transfer_since } as const
    return move(call, has, wanted, now)
  },
  refusals: moveRefusals,
})
