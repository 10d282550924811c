import { createHash } from 'node:crypto'
import { AMOUNT_MAX } from '../../values/amount.ts'
import { keptText } from '../kept-text.ts'
import type { StatementProfile } from '../profile.ts'
import { addTo, emptyTotals, type StatementRow, settle } from '../statement-row.ts'
import type { AccountKey, FileRow } from './statement-file.ts'

/** The most bytes of their JSON. */
export const TYPED_BYTES_MAX = 1_000_000
/** The most lines that a person types. */
const TYPED_LINES_MAX = 500

const classes = ['operation', 'fee', 'tax', 'own_transfer'] as const

/** A line as a person types it, in francs: the change of the balance, and the fee inside. */
type TypedLine = {
  readonly effect: number
  readonly fee: number
  readonly reference: string | null
  readonly our_reference: string | null
  readonly text: string | null
  readonly class: (typeof classes)[number]
}

/** The day of an account as a person types it. */
export type TypedDay = AccountKey & {
  readonly day: string
  readonly opening: number
  readonly closing: number
  readonly lines: readonly TypedLine[]
}

const keys: ReadonlySet<string> = new Set(['effect', 'fee', 'reference', 'our_reference', 'text', 'class'])

/** Reads the JSON of typed lines: a list of at most 500 objects. `fault` names the first line that cannot be read, from 1; 0: the list itself. */
export function readTypedLines(
  json: string,
): { readonly lines: readonly TypedLine[] } | { readonly fault: number; readonly part: string } {
  let list: unknown
  try {
    list = JSON.parse(json)
  } catch {
    return { fault: 0, part: 'JSON' }
  }
  if (!Array.isArray(list) || list.length > TYPED_LINES_MAX) return { fault: 0, part: 'JSON' }
  const lines: TypedLine[] = []
  for (const [at, one] of list.entries()) {
    const line = readLine(one)
    if (typeof line === 'string') return { fault: at + 1, part: line }
    lines.push(line)
  }
  return { lines }
}

/** Reads one line, or names the part that is wrong. */
function readLine(typed: unknown): TypedLine | string {
  if (typeof typed !== 'object' || typed === null || Array.isArray(typed)) return 'object'
  const stranger = Object.keys(typed).find((key) => !keys.has(key))
  if (stranger !== undefined) return stranger.slice(0, 40)
  const { effect, fee = 0, class: its = 'operation', ...words } = typed as Record<string, unknown>
  if (!isFrancs(effect) || effect === 0) return 'effect'
  const charged = classes.find((one) => one === its)
  if (charged === undefined) return 'class'
  // Of money that leaves, the fee is a part; a fee alone has none.
  const fee_max = charged === 'fee' || charged === 'tax' ? 0 : effect < 0 ? -effect - 1 : AMOUNT_MAX
  if (!isFrancs(fee) || fee < 0 || fee > fee_max) return 'fee'
  const texts: Record<string, string | null> = {}
  for (const name of ['reference', 'our_reference', 'text']) {
    const text = words[name] ?? null
    if (text !== null && (typeof text !== 'string' || !isWords(text))) return name
    texts[name] = text === null ? null : text.trim()
  }
  const { reference = null, our_reference = null, text = null } = texts
  return { effect, fee, reference, our_reference, text: text === null ? null : keptText(text), class: charged }
}

/** Neither a control character nor half of a pair: the database stores no NUL, and a hash no half. */
function isWords(text: string): boolean {
  return text.trim() !== '' && text.length <= 400 && text.isWellFormed() && !/\p{Cc}/u.test(text)
}

function isFrancs(value: unknown): value is number {
  return Number.isSafeInteger(value) && Math.abs(value as number) <= AMOUNT_MAX
}

/** The rows of a typed day, with the balance after each. */
export function rowsOf({ day, opening, lines }: TypedDay): StatementRow[] {
  let balance = opening
  return lines.map((line, at) => {
    const { effect, fee, reference, our_reference, text, class: its } = line
    balance += effect
    const direction = effect < 0 ? ('out' as const) : ('in' as const)
    const written = {
      ...{ row: at + 1, class: its, fault: null, direction, amount: Math.abs(effect), fee, tax: 0, balance },
      ...{ currency: 'XOF', occurred_at: `${day}T00:00:00Z`, reference, our_reference, state: null, text, party: null },
    }
    return { ...written, ...settle(written, 'net'), is_fee_known: true }
  })
}

export function addsUp({ opening, closing, lines }: TypedDay): boolean {
  return lines.reduce((sum, { effect }) => sum + effect, opening) === closing
}

/** The hash that makes the same typed day one file. */
function hashOf(typed: TypedDay): { readonly hash: Buffer; readonly bytes: number } {
  const { day, opening, closing, lines } = typed
  const bytes = Buffer.from(JSON.stringify({ day, opening, closing, lines }))
  return { hash: createHash('sha256').update('typed\n').update(bytes).digest(), bytes: bytes.length }
}

const profile: StatementProfile = {
  ...{ profile: 'typed', version: 1, format: 'json', titles: [], columns: {} },
  ...{ date: 'year_first', currency: 'XOF', arithmetic: 'net' },
}

/** The file of a typed day, until a second person decides. */
export function typedFile(typed: TypedDay, id: string, imported_by: string, imported_at: Date): FileRow {
  const { livemode, account, day, opening, closing } = typed
  const totals = emptyTotals()
  for (const row of rowsOf(typed)) addTo(totals, row)
  const chain = { status: 'whole', opening, closing, breaks_count: 0, breaks: [] } as const
  const read = {
    profile: 'typed',
    arithmetic: 'net',
    assumed: false,
    faults: [],
    first_moment: null,
    last_moment: null,
  } as const
  return {
    ...{
      id,
      account,
      livemode,
      source: 'typed',
      status: 'proposed',
      ...hashOf(typed),
      settings: profile,
      opening: null,
    },
    ...{
      period_from: day,
      period_to: day,
      found: { form: 'typed', totals, chain, ...read },
      first_day: day,
      last_day: day,
    },
    ...{ counts: null, refusal: null, imported_by, imported_at, ended_at: null },
  }
}
