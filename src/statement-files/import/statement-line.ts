import type { LineRow } from './line-store.ts'

/** A line as commands show it. Francs; `effect` is signed. */
export function viewLine(line: LineRow) {
  const { id, account, day, file_id, row, class: its, direction, gross, fee, tax, effect, balance, currency } = line
  const { occurred_at, reference, our_reference, state, matched_by: by, subject_id, kind } = line
  return {
    ...{ id, account, day, file_id, row, class: its, direction, gross, fee, tax, effect, balance, currency },
    ...{ occurred_at, reference, our_reference, state, by, subject_id, kind },
  }
}
