import { type Proof, performAct } from '../../acts/perform.ts'
import { type Decider, readDecider } from '../../acts/second-person.ts'
import { unlessBusy } from '../../acts/unless-busy.ts'
import { askForFactor, type FactorQuestion, factorOrQuestion } from '../../console/ask-for-factor.ts'
import { rows } from '../../console/components.ts'
import type { ConsoleFrame } from '../../console/console-frame.ts'
import { FORM_MAX_BYTES } from '../../console/read-fields.ts'
import { defineDeskScreen, type ScreenAnswer, type ScreenRequest, type ScreenView } from '../../console/screen.ts'
import { bankField, bankToRead } from '../../external-accounts/bank-field.ts'
import { BANK } from '../../external-accounts/external-account.ts'
import { readAccounts } from '../../external-accounts/store.ts'
import { readMerchantNames } from '../../merchants/store.ts'
import { readPersonNames } from '../../people/name-store.ts'
import { contentText, type StepUpAct } from '../../people/step-up/step-up.ts'
import { useStepUp } from '../../people/step-up/use-step-up.ts'
import type { Clock } from '../../platform/clock.ts'
import { sha256 } from '../../platform/digest.ts'
import { html } from '../../platform/http/html.ts'
import { drawAmount, writeAmount } from '../../platform/http/pages/write-values.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { bankColumns } from '../../settlements/bank/columns.ts'
import { readKnown } from '../../settlements/bank/find-known.ts'
import { settlementsOf } from '../../settlements/bank/line-match.ts'
import { matchBankLines } from '../../settlements/bank/match-lines.ts'
import { withoutOurAccount } from '../../settlements/bank/own-account.ts'
import { BANK_FILE_MAX_BYTES, type BankFileTold, readBankLines } from '../../settlements/bank/read-lines.ts'
import { payByBankLine } from '../../settlements/pay-settlement.ts'
import { type BankDays, noBankDays, type SettlementRow } from '../../settlements/settlement.ts'
import { findSettlements } from '../../settlements/store.ts'
import { bankReferenceIn } from '../../values/bank-reference.ts'
import { isDay } from '../../values/period.ts'
import { isIndependentOf } from './lines-read.ts'
import { linesView, TRANSFERS_MAX } from './lines-view.ts'
import { type Entered, outcomeView } from './outcome-view.ts'
import { columnField, type UploadRefusal, uploadView } from './upload-view.ts'

type Deps = { readonly sql: Sql; readonly clock: Clock; readonly console: ConsoleFrame }
type Request = ScreenRequest<'desk'>

const common = { right: 'settlements.pay' } as const

const getTransfers = defineDeskScreen<Deps>({
  ...common,
  method: 'GET',
  path: '/settlements/transfers',
  operation: 'deskTransfers',
  summary: 'Choose the bank’s file of the transfers that were made',
  handle: async (request) => uploadView(request, null),
})

/** Reads a bank's file and shows each line with its settlement. It enters nothing and stores nothing of the file. */
const postTransfers = defineDeskScreen<Deps>({
  ...common,
  method: 'POST',
  path: '/settlements/transfers',
  operation: 'deskReadTransfers',
  summary: 'Read the bank’s file and hold each line against the settlements',
  upload: {
    max_bytes: BANK_FILE_MAX_BYTES + FORM_MAX_BYTES,
    tooLarge: async (request) => uploadView(request, { code: 'too_large' }),
  },
  async handle(request, { sql, clock }) {
    const { fields, livemode } = request
    const refused = (refusal: UploadRefusal) => uploadView(request, refusal)
    const pasted = fields.text('pasted')
    const file = fields.file('file')
    if (file === null && pasted === '') return refused({ code: 'no_file' })
    const read = await readBankLines(file?.bytes ?? Buffer.from(pasted), toldOf(request))
    if (read.kind === 'refused') return refused(read.refusal)
    const { lines, left_aside, beneficiary_accounts } = read
    if (lines.length === 0) return refused({ code: 'empty' })
    const known = await readKnown(sql, livemode, lines)
    const bare = beneficiary_accounts ? null : withoutOurAccount(lines, known)
    const matched = matchBankLines(bare ?? lines, known, clock.now().toISOString().slice(0, 10))
    const names = await readNamesOf(
      sql,
      matched.flatMap(({ match }) => settlementsOf(match)),
    )
    const reader = await readDecider(sql, request.actor.person)
    const accounts = await readAccounts(sql, livemode)
    return linesView(request, { matched, left_aside, our_account: bare !== null, reader, accounts, ...names })
  },
})

/** Enters the chosen transfers with one fresh factor, each by the operation that enters one by hand. */
const postRecord = defineDeskScreen<Deps>({
  ...common,
  method: 'POST',
  path: '/settlements/transfers/record',
  operation: 'deskRecordTransfers',
  summary: 'Enter the transfers that paid settlements: the second of two people for each',
  async handle(request, deps) {
    const picked = await readPicked(request, deps)
    if (picked.length === 0) return uploadView(request, { code: 'nothing_chosen' })
    const reader = await readDecider(deps.sql, request.actor.person)
    const free = picked.filter(({ settlement }) => mayPay(reader, settlement))
    if (free.length === 0) return showOutcome(request, deps, picked)
    const proven = await proveList(request, deps, picked, free)
    if (proven.kind !== 'proven') return proven
    const entered: Entered[] = []
    for (const one of picked) {
      const result = free.includes(one) ? await enter(request, deps, one, proven.step_up_id) : null
      entered.push({ ...one, result, ...(result?.kind === 'done' && { settlement: result.result }) })
    }
    return showOutcome(request, deps, entered)
  },
})

/** Takes one fresh factor for the whole list, and uses it up. A page asks for it, or says why it is refused. */
async function proveList(
  request: Request,
  deps: Deps,
  picked: readonly Picked[],
  free: readonly Picked[],
): Promise<{ readonly kind: 'proven'; readonly step_up_id: string } | ScreenView> {
  const factors = deps.console.factorsAt('desk')
  const signed = signedList(request, free)
  const question = await questionOf(request, deps, picked, free)
  const factor = await factorOrQuestion(factors, request, signed, question)
  if (factor.kind !== 'confirmed') return factor
  const { step_up_id } = factor
  const { operation, subject, content } = signed
  const used = await deps.sql.begin((tx) => useStepUp(tx, request.session, step_up_id, operation, subject, content))
  if (used.kind === 'refused') return askForFactor(factors, request, signed, question, used)
  return { kind: 'proven', step_up_id }
}

/** Enters one transfer. The person has given the factor for the whole list, with this line in it. */
async function enter(
  { actor: by, livemode, fields }: Request,
  deps: Deps,
  { settlement, reference, days }: Picked,
  step_up_id: string,
) {
  const proof: Proof = { step_up_id, use: async () => null }
  const call = { by, id: settlement.id, within: { livemode }, values: { reference, account: accountOf({ fields }) } }
  const entered = await unlessBusy(performAct(payByBankLine(days), deps, call, proof))
  return entered.kind === 'ask_again' ? null : entered
}

/** The bank account that paid the whole list. An unknown one is refused with each transfer. */
function accountOf({ fields }: Pick<Request, 'fields'>): string {
  return fields.text('account').trim() || BANK
}

/** Reads a person's answers about the file: its columns, whether its first line is a transfer, and the meaning of a minus. */
function toldOf({ fields }: Request): BankFileTold {
  const named = bankColumns.flatMap((column) => {
    const typed = fields.text(columnField(column))
    return /^\d{1,2}$/.test(typed) ? [[column, Number(typed)] as const] : []
  })
  const minus = fields.text('minus')
  return {
    columns: named.length === 0 ? null : Object.fromEntries(named),
    minus: minus === 'left' || minus === 'came_back' ? minus : null,
    starts_at_once: fields.text('first_line') === 'transfer',
  }
}

type Picked = { readonly settlement: SettlementRow; readonly reference: string; readonly days: BankDays }

/** Reads the current settlements of the ticked lines, with the reference and dates of each. */
async function readPicked({ fields, livemode }: Request, { sql }: Deps): Promise<Picked[]> {
  const wanted = fields.all('pay').flatMap((value) => {
    const [, id, written = ''] = /^(stl_[0-9a-z]{26}) ([^\n]+)$/.exec(value) ?? []
    const reference = bankReferenceIn(written)
    return id === undefined || reference === null ? [] : [[id, reference] as const]
  })
  const references = new Map(wanted.slice(0, TRANSFERS_MAX))
  if (references.size === 0) return []
  const settlements = await findSettlements(sql, livemode, [...references.keys()])
  const days = new Map(fields.all('days').map(readDays))
  return settlements.map((settlement) => ({
    settlement,
    reference: references.get(settlement.id)!,
    days: days.get(settlement.id) ?? noBankDays,
  }))
}

/** Reads the dates of one line from the form. */
function readDays(value: string): readonly [id: string, BankDays] {
  const [id = '', booking_date = '', value_date = ''] = value.split(' ')
  const day = (text: string) => (isDay(text) ? text : null)
  return [id, { booking_date: day(booking_date), value_date: day(value_date) }]
}

function mayPay(reader: Decider, settlement: SettlementRow): boolean {
  return settlement.status === 'validated' && isIndependentOf(settlement, reader)
}

/**
 * The list as a person signs it: the number and sum of the transfers, the account that paid them unless it is `bank`, and the hash of each settlement,
 * its amount, its destination and its transfer's reference. A hundred transfers are more text than a question holds.
 */
function signedList({ at, fields }: Request, free: readonly Picked[]): StepUpAct {
  const transfers = free.map(({ settlement: { id, merchant_id, amount, name, last4 }, reference, days }) => ({
    ...{ settlement_id: id, merchant_id, amount, destination: { name, last4 }, bank_reference: reference, ...days },
  }))
  const transfers_sha256 = sha256(contentText({ transfers })).toString('hex')
  const account = bankToRead(accountOf({ fields }))
  const from = account === null ? {} : { account }
  const content = { transfer_count: free.length, amount: sumOf(free), transfers_sha256, ...from, at: at('') }
  return { operation: 'settlement.pay_listed', subject: null, content }
}

function sumOf(free: readonly Picked[]): number {
  return free.reduce((all, { settlement }) => all + settlement.amount, 0)
}

/** The question about a list: its sum, each transfer, and how many others cannot be entered. */
async function questionOf(
  { say, at, fields }: Request,
  { sql }: Deps,
  picked: readonly Picked[],
  free: readonly Picked[],
): Promise<FactorQuestion> {
  const { merchants } = await readNamesOf(
    sql,
    free.map(({ settlement }) => settlement),
  )
  const left = picked.length - free.length
  const made = say(['Virements faits : {n}.', 'Transfers made: {n}.'], { n: free.length })
  const notEntered = say(
    [
      'Autres, qui ne s’inscrivent pas : {n}. La page suivante dit pourquoi.',
      'Others, which cannot be entered: {n}. The next page says why.',
    ],
    { n: left },
  )
  const others = left > 0 && html`<p class="soft">${notEntered}</p>`
  const facts = free.map(({ settlement, reference }) => ({
    name: `${merchants.get(settlement.merchant_id) ?? settlement.merchant_id}, ${reference}`,
    value: writeAmount(settlement.amount),
  }))
  const account = bankToRead(accountOf({ fields }))
  const from = account === null ? [] : [{ name: say(bankField.name), value: account }]
  return {
    title: say(['Inscrire des virements', 'Enter transfers']),
    back: at('/settlements/transfers'),
    shown: html`<h1>${drawAmount(sumOf(free))}</h1><p class="say">${made}</p>${others}${rows([...from, ...facts])}`,
  }
}

async function showOutcome(
  request: Request,
  { sql }: Deps,
  entered: readonly (Omit<Entered, 'result'> & { readonly result?: Entered['result'] })[],
): Promise<ScreenAnswer> {
  const found = await readNamesOf(
    sql,
    entered.map(({ settlement }) => settlement),
  )
  const each = entered.map((one) => ({ ...one, result: one.result ?? null }))
  return outcomeView(request, each, found)
}

async function readNamesOf(sql: Sql, settlements: readonly SettlementRow[]) {
  const [merchants, names] = await Promise.all([
    readMerchantNames(
      sql,
      settlements.map(({ merchant_id }) => merchant_id),
    ),
    readPersonNames(
      sql,
      settlements.flatMap(({ validated_by, paid_by, rejected_by }) => [validated_by, paid_by, rejected_by]),
    ),
  ])
  return { merchants, names }
}

export const transferScreens = [getTransfers, postTransfers, postRecord] as const
