import type { Log } from './log.ts'
import type { Sql } from './postgres/database.ts'

/** The most items that one line of the log names. */
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
 * Does something with each item, one after the other. An item that fails does not stop the others, and is left for a later run. One line of
 * the log names all failed items. Returns the number of successes.
 */
export async function eachApart<Item>(items: readonly Item[], apart: Apart<Item>): Promise<number> {
  const failed = await tryEach(items, apart)
  logFailed(failed, apart)
  return items.length - failed.length
}

/**
 * Does the same with all due items, read part by part. A sweep tries an item once, so that failing items never fill the parts. The next
 * sweep tries them again.
 * @param read reads a part of the due items, without those of these names; an empty part ends the sweep
 * @throws if reading fails
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
 * Sweeps due items, many in one transaction: of all merchants, or with `SHARDED` merchant by merchant. If such a transaction fails, it
 * sweeps each item alone, so that only the failing one is left. Returns the number of successes.
 * @param together does the due items of a merchant (null: of all merchants), and returns their number
 * @param merchants the merchants with due items. Absent: with `SHARDED` each item is swept alone
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
    // Nothing is due, or others have locked the due items and work on them.
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
