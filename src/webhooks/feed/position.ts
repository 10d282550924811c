/** A place in the feed of a merchant: behind the event with this epoch, transaction and id. With an empty id it is before all events of the transaction. */
export type Position = {
  readonly epoch: number
  /** A whole number of up to 20 digits. */
  readonly tx: string
  readonly id: string
}

/** The place before every event. */
export const BEGINNING: Position = { epoch: -1, tx: '0', id: '' }

/** The start of an epoch, behind everything of earlier ones. */
export function startOf(epoch: number): Position {
  return { epoch, tx: '0', id: '' }
}

/** Whether a place belongs to a later transaction than another, or null. */
export function isLater(position: Position, than: Position | null): boolean {
  if (than === null || position.epoch !== than.epoch) return than === null || position.epoch > than.epoch
  return BigInt(position.tx) > BigInt(than.tx)
}

/** Whether two places are the same. */
export function isSame(one: Position, other: Position): boolean {
  return one.epoch === other.epoch && one.tx === other.tx && one.id === other.id
}
