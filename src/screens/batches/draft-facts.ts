import type { BatchDraft, DraftLine } from '../../batch-files/batch-draft.ts'
import { type JudgedLine, judgeLine } from '../../batch-files/judge-line.ts'
import { type FormerFile, readFormerFile } from '../../batch-files/store.ts'
import { type BookEntry, type PayoutBook, readBook } from '../../beneficiaries/payout-book.ts'
import { readBalances } from '../../ledger/balances.ts'
import { feesAt, type MerchantSettings } from '../../merchants/fees.ts'
import { readDayUse } from '../../payouts/caps/read-caps.ts'
import { type Tenant, tenantOf } from '../../values/caller.ts'
import { comparablePerson } from '../../values/comparable.ts'
import { type CapUse, capAfter, type Funds, fundsAfter } from '../approvals/differences.ts'
import type { ReadDeps } from '../approvals/read-request.ts'
import { type ComparedLine, type Repeated, readRepeated } from './read-repeated.ts'

/** A line compared with the book: the same name, another one, or no entry yet. */
export type BookWord = 'same' | 'other' | 'new'

/** A line as its maker sees it. */
export type DraftLineFacts = JudgedLine & {
  /** Null when the line has no readable number. */
  readonly book: BookWord | null
  /** Its entry in the book. */
  readonly entry: BookEntry | null
  /** The first earlier line with the same number. Null: none. */
  readonly same_number_as: number | null
}

/** A draft with the facts that its maker needs. Amounts are in francs, of the lines without faults. */
export type DraftFacts = {
  readonly draft: BatchDraft
  readonly lines: readonly DraftLineFacts[]
  readonly good_count: number
  readonly total_amount: number
  readonly fee_amount: number
  readonly funds: Funds
  readonly cap: CapUse
  /** An earlier draft of the same file. */
  readonly former: FormerFile | null
  /** Lines of the same number and amount, in other operations and among these. */
  readonly repeated: Repeated
}

/** Reads the facts on the page of a draft. */
export async function readDraftFacts(deps: ReadDeps, draft: BatchDraft): Promise<DraftFacts> {
  const { sql, clock, payoutCaps } = deps
  const tenant = tenantOf(draft)
  const asked_at = clock.now()
  const judged = draft.lines.map(judgeLine)
  const [settings, balances, day, former, book] = await Promise.all([
    deps.settings(tenant.merchant_id),
    readBalances(sql, tenant),
    readDayUse(sql, tenant, payoutCaps, draft.id),
    readFormerFile(sql, draft),
    sql.begin((tx) =>
      readBook(
        tx,
        judged.flatMap(({ order }) => (order === null ? [] : [{ ...tenant, ...order.destination }])),
      ),
    ),
  ])
  const lines = besideBook(tenant, judged, book)
  const amounts = lines.flatMap(({ order }) => (order === null ? [] : [order.amount]))
  const repeated = await readRepeated(sql, tenant, lines.flatMap(comparedOf), { own: draft.id, now: asked_at })
  const total_amount = amounts.reduce((sum, amount) => sum + amount, 0)
  const fee_amount = feesOf(settings, amounts, asked_at)
  return {
    draft,
    lines,
    good_count: amounts.length,
    total_amount,
    fee_amount,
    funds: fundsAfter(balances?.transfer ?? 0, total_amount + fee_amount),
    cap: capAfter({ ...day, amount: total_amount }),
    former,
    repeated,
  }
}

/** A good line as it is compared with others; its number is that of its entry when it names one. */
export function comparedOf({ line, order, entry }: DraftLineFacts): ComparedLine[] {
  if (order === null) return []
  const { amount, destination } = order
  const msisdn = destination.kind === 'inline' ? destination.msisdn.e164 : entry!.msisdn
  return [{ line, msisdn, amount, beneficiary_id: entry?.beneficiary_id ?? null }]
}

/** Compares the lines with the book. An unknown entry is a fault as well. */
function besideBook(tenant: Tenant, judged: readonly JudgedLine[], book: PayoutBook): DraftLineFacts[] {
  const first = new Map<string, DraftLine['line']>()
  return judged.map((line): DraftLineFacts => {
    const { order } = line
    if (order === null) return { ...line, book: null, entry: null, same_number_as: null }
    const { destination } = order
    const entry = book.find({ ...tenant, ...destination })
    if (destination.kind === 'book' && entry === null) {
      const fault = { column: 'beneficiary_id', code: 'book_unknown' } as const
      return { ...line, order: null, faults: [fault], book: null, entry: null, same_number_as: null }
    }
    const number = entry?.msisdn ?? (destination.kind === 'inline' ? destination.msisdn.e164 : '')
    const same_number_as = first.get(number) ?? null
    if (same_number_as === null) first.set(number, line.line)
    return { ...line, entry, same_number_as, book: wordOf(destination, entry) }
  })
}

function wordOf(destination: NonNullable<JudgedLine['order']>['destination'], entry: BookEntry | null): BookWord {
  if (entry === null) return 'new'
  if (destination.kind === 'book') return 'same'
  const plain = (name: string) => comparablePerson(name).trim().replace(/\s+/g, ' ').toLowerCase()
  return plain(entry.name) === plain(destination.name) ? 'same' : 'other'
}

function feesOf(merchant: MerchantSettings, amounts: readonly number[], at: Date): number {
  return amounts.reduce((sum, amount) => sum + feesAt(merchant, 'payout', amount, at).fee_amount, 0)
}
