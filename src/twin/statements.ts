import { RuleError } from './rules.ts'
import type { Execution, Operation } from './state.ts'
import { transactionOf } from './wave/sessions.ts'

/** A line of a statement, before its form. Francs; `fee` beside the amount. */
type Line = {
  readonly at: string
  readonly number: string
  readonly ours: string
  readonly out: boolean
  readonly direction: Execution['direction']
  readonly amount: number | string
  readonly fee: number
  readonly msisdn: string
  readonly balance: number
}

const francs = ({ amount }: Line) => (typeof amount === 'number' ? amount : 0)
const effectOf = (line: Line) => (line.out ? -francs(line) - line.fee : francs(line) - line.fee)

/** Errors of a statement, for tests of reconciliation. Each changes the first line, and keeps the balances true to what it lists. */
const plants: Readonly<Record<string, (lines: readonly Line[]) => Line[]>> = {
  missing_here: ([first, ...rest]) => [first!, { ...first!, number: `${first!.number}X`, ours: '' }, ...rest],
  missing_there: ([, ...rest]) => rest,
  duplicate: ([first, ...rest]) => [first!, { ...first!, number: `${first!.number}D` }, ...rest],
  amount_differs: ([first, ...rest]) => [{ ...first!, amount: francs(first!) + 1 }, ...rest],
  reversed: ([first, ...rest]) => [
    first!,
    { ...first!, number: `${first!.number}R`, out: !first!.out, fee: 0 },
    ...rest,
  ],
  fee: ([first, ...rest]) => [{ ...first!, fee: first!.fee + 1 }, ...rest],
  unreadable: ([first, ...rest]) => [{ ...first!, amount: 'x' }, ...rest],
}

type Form = { readonly titles: string; readonly write: (line: Line) => readonly (string | number)[] }

const waveTypes = { collection: 'api_checkout', refund: 'api_checkout_refund', payout: 'api_payout' } as const
const mtnTitles =
  'Id,External id,Date,Status,Type,Provider category,From,From account,From name,From handler name,To,To account,To name,To handler name,To message,Initiated by,Initiated by,On behalf of,On behalf of,Approved by,From / Fee,Currency,From / External fee,Currency,To / Fee,Currency,To / External fee,Currency,From / Refunded fee,Currency,To / Refunded fee,Currency,From / Taxes,Currency,To / Taxes,Currency,From / Refunded taxes,Currency,To / Refunded taxes,Currency,Discount,Currency,From / Promotion,Currency,To / Promotion,Currency,Coupon,Currency,Amount,Currency,Balance,Currency,External amount,Currency,External FX rate,External service provider'

/** The forms of the operators' exports, as their portals write them. */
const forms: Readonly<Record<string, Form>> = {
  wave: {
    titles:
      'Horodatage,Identifiant de transaction,Type de transaction,Montant,Frais,Solde,Devise,Nom de contrepartie,Numéro de téléphone de contrepartie,Référence client',
    write: (line) => [
      ...[line.at.replace('T', ' ').replace('Z', '+00:00'), line.number, waveTypes[line.direction]],
      // The export shows what the wallet moves, fee inside.
      ...[typeof line.amount === 'string' ? line.amount : effectOf(line), line.fee, line.balance, 'XOF'],
      ...['', line.msisdn, line.ours],
    ],
  },
  mtn: {
    titles: mtnTitles,
    write: (line) => {
      const party = line.msisdn === '' ? '' : `FRI:${line.msisdn.slice(1)}/MSISDN`
      const sign = line.out && typeof line.amount === 'number' ? -line.amount : line.amount
      const [from, to] = line.out ? [line.fee, ''] : ['', line.fee]
      const none = (times: number) => Array.from({ length: times }, () => ['', 'XOF']).flat()
      return [
        ...[line.number, line.ours, line.at.replace('T', ' ').replace('Z', ''), 'Successful'],
        ...[line.out ? 'Transfer' : 'Debit', '', line.out ? '' : party, '', '', '', line.out ? party : '', '', '', ''],
        ...['', '', '', '', '', '', from, 'XOF', ...none(1), to, 'XOF', ...none(11), sign, 'XOF', ...none(2), '', ''],
      ]
    },
  },
  pawapay: {
    titles: 'Creation Date,MSISDN,Transaction ID,Amount,Currency,Country,MNO,Type,Status',
    write: (line) => [
      ...[line.at, line.msisdn.slice(1), line.ours, line.amount, 'XOF', 'CIV', ''],
      ...[{ collection: 'DEPOSIT', payout: 'PAYOUT', refund: 'REFUND' }[line.direction], 'COMPLETED'],
    ],
  },
}

/**
 * Writes what an operator says it moved on a day, as the export of its portal.
 * @param plant the names of errors to plant, with commas between
 * @throws RuleError for an unknown operator, day or error
 */
export function writeStatement(
  api: string,
  day: string,
  plant: string | null,
  {
    movements,
    operationOf,
    text,
  }: {
    readonly movements: readonly Execution[]
    readonly operationOf: (execution: Execution) => Operation | null
    readonly text: (at: number) => string
  },
): string {
  const form = forms[api]
  if (form === undefined) throw new RuleError(`There are statements of ${Object.keys(forms).join(', ')}.`)
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) throw new RuleError('The day is such as 2026-03-02.')
  const planted = (plant ?? '').split(',').filter((name) => name !== '')
  const unknown = planted.find((name) => !Object.hasOwn(plants, name))
  if (unknown !== undefined) throw new RuleError(`The errors are ${Object.keys(plants).join(', ')}.`)
  const moved = movements.filter((one) => one.api === api && text(one.at).startsWith(day))
  let lines = moved.map((one): Line => {
    const { direction, reference, amount, fee, msisdn, wallet_after: balance } = one
    const transaction = operationOf(one)?.transaction ?? reference
    const number = api === 'wave' ? transactionOf(transaction) : transaction
    const common = { at: text(one.at), number, ours: reference, out: direction !== 'collection', direction }
    return { ...common, amount, fee, msisdn: msisdn ?? '', balance }
  })
  let balance = lines[0] === undefined ? 0 : lines[0].balance - effectOf(lines[0])
  for (const name of planted) if (lines.length > 0) lines = plants[name]!(lines)
  const rows = lines.map((line) => {
    balance += effectOf(line)
    return form.write({ ...line, balance }).join(',')
  })
  return `${[form.titles, ...rows].join('\n')}\n`
}
