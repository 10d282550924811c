import type { ByteSource } from '../../platform/tables/byte-source.ts'
import type { StatementProfile } from '../profile.ts'
import { readStatement, type StatementEnd } from '../read-statement.ts'
import type { StatementRow } from '../statement-row.ts'
import type { ImportRefusal } from './import-refusal.ts'
import type { Found } from './statement-file.ts'

/** The most days of one file. */
const DAYS_MAX = 400
const DAY_MS = 86_400_000

export type Inspected =
  | {
      readonly kind: 'read'
      readonly found: Found
      readonly profile: StatementProfile
      readonly from: string | null
      readonly to: string | null
    }
  | {
      readonly kind: 'refused'
      readonly code: ImportRefusal
      readonly line: number | null
      readonly faults: Found['faults']
    }

/**
 * Reads a file to its end, and returns what it is or why it is refused. A file is written only after that, so a refused one leaves no line.
 * @param take each row, for a trial
 */
export async function inspectFile(
  source: ByteSource,
  options: Parameters<typeof readStatement>[1],
  now: Date,
  take?: (row: StatementRow) => Promise<void> | undefined,
): Promise<Inspected> {
  const rows = readStatement(source, options)
  let next = await rows.next()
  while (!next.done) {
    const waited = take?.(next.value)
    if (waited !== undefined) await waited
    next = await rows.next()
  }
  return judgeEnd(next.value, now)
}

function judgeEnd(end: StatementEnd, now: Date): Inspected {
  if (end.kind === 'refused') return end
  const { form, totals, chain, faults, profile, reckoning, from, to, first_moment, last_moment } = end
  const refused = (code: ImportRefusal) => ({ kind: 'refused', code, line: null, faults }) as const
  if (to !== null && Date.parse(to) > now.getTime() + DAY_MS) return refused('in_future')
  if (from !== null && Date.parse(to!) - Date.parse(from) > DAYS_MAX * DAY_MS) return refused('period_too_long')
  if (!Object.values(totals).every((sums) => Object.values(sums).every(Number.isSafeInteger)))
    return refused('amounts_too_large')
  const { arithmetic, assumed } = reckoning
  const found = {
    form,
    totals,
    chain,
    faults,
    profile: profile.profile,
    arithmetic,
    assumed,
    first_moment,
    last_moment,
  }
  return { kind: 'read', found, profile, from, to }
}
