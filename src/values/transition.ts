/** One allowed transition. Only tables of these rows decide transitions. */
export type Transition<Status extends string> = {
  readonly from: Status
  /** The business's word for the cause, in the past tense. */
  readonly trigger: string
  readonly to: Status
  /** The merchant's event. Null: none. */
  readonly event: string | null
}

/** Finds the row for a state and a trigger. Null when the table has none. */
export function findTransition<Row extends Transition<string>>(
  rows: readonly Row[],
  from: string,
  trigger: Row['trigger'],
): Row | null {
  return rows.find((row) => row.from === from && row.trigger === trigger) ?? null
}
