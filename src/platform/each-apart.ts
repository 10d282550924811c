import type { Log } from './log.ts'
import type { Sql } from './postgres/database.ts'

/** Items named in one line of the log at most. */
const EXAMPLES = 5

type Apart<Item> = {
  act: (item: Item) => Promise<unknown>
  /** The name of an item in the log. No secret and no phone number. */
  nameOf: (item: Item) => string
  log: Log
  /** The name of the task in the log. */
  task: string
}

/**
 * Does something with each item, one after the other. One that fails is left for a later turn and holds up no other; the log says so
 * in one line for all of them. Returns how many went well.
 */
export async function eachApart<Item>(items: readonly Item[], apart: Apart<Item>): Promise<number> {
  const failed = await tryEach(items, apart)
  logFailed(failed, apart)
  return items.length - failed.length
}

/**
 * The same with all that is due, read a part at a time. One sweep meets an item once: items that fail each time do not fill the
 * parts, however many there are, and the next sweep tries them again.
 * @param read a part of what is due without the items of these names; an empty one ends the sweep
 * @throws when reading fails
 */
export async function sweepApart<Item>({
  read,
  ...apart
}: Apart<Item> & { read: (met: readonly string[]) => Promise<readonly Item[]> }): Promise<number> {
  const met: string[] = []
  const failed: Failed[] = []
  try {
    for (;;) {
      const due = await read(met)
      if (due.length === 0) return met.length - failed.length
      met.push(...due.map(apart.nameOf))
      failed.push(...(await tryEach(due, apart)))
    }
  } finally {
    logFailed(failed, apart)
  }
}

/**
 * Sweeps what is due, many in one transaction: of anybody, or merchant by merchant where their rows are spread over machines (`SHARDED`).
 * When such a transaction fails, the items are swept apart, so that only one that cannot be done is left. Returns how many went well.
 * @param together does what is due of a merchant, with null of anybody, and returns how many that was
 * @param merchants those of whom something is due; absent: where merchants are spread, items are swept apart from the first
 */
export async function sweepTogether<Item>(
  sql: Pick<Sql, 'sharded'>,
  {
    together,
    merchants,
    ...apart
  }: Parameters<typeof sweepApart<Item>>[0] & {
    together: (merchant_id: number | null) => Promise<number>
    merchants?: () => Promise<readonly number[]>
  },
): Promise<number> {
  try {
    if (!sql.sharded) return await together(null)
    if (merchants !== undefined) return await eachMerchant(together, merchants)
  } catch (error) {
    apart.log.warn({ error, task: apart.task }, 'task failed in one transaction, trying each alone')
  }
  return sweepApart(apart)
}

async function eachMerchant(
  together: (merchant_id: number) => Promise<number>,
  merchants: () => Promise<readonly number[]>,
): Promise<number> {
  let done = 0
  for (;;) {
    let count = 0
    for (const merchant_id of await merchants()) count += await together(merchant_id)
    // Nothing is due, or others hold the locks of what is and work on it.
    if (count === 0) return done
    done += count
  }
}

type Failed = { name: string; error: unknown }

async function tryEach<Item>(items: readonly Item[], { act, nameOf }: Apart<Item>): Promise<Failed[]> {
  const failed: Failed[] = []
  for (const item of items) {
    try {
      await act(item)
    } catch (error) {
      failed.push({ name: nameOf(item), error })
    }
  }
  return failed
}

function logFailed<Item>(failed: readonly Failed[], { log, task }: Apart<Item>): void {
  const [first] = failed
  if (first === undefined) return
  const examples = failed.slice(0, EXAMPLES).map(({ name }) => name)
  log.error({ error: first.error, task, failed: failed.length, examples }, 'task failed for some, retried next time')
}
