/** One allowed move of a thing that has states. Tables of these rows decide every move; nothing else does. */
export type Transition<Status extends string> = {
  readonly from: Status
  /** In the past tense of the business. */
  readonly trigger: string
  readonly to: Status
  /** The event the merchant is told, or null. */
  readonly event: string | null
}

/** The row for this state and trigger, or null when the table does not allow it. */
export function findTransition<Row extends Transition<string>>(
  rows: readonly Row[],
  from: string,
  trigger: Row['trigger'],
): Row | null {
  return rows.find((row) => row.from === from && row.trigger === trigger) ?? null
}
