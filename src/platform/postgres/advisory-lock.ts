import type { Tx } from './database.ts'

/** Takes the advisory lock with this name until the transaction ends. Waits for the transaction that holds it. */
export async function takeAdvisoryLock(tx: Tx, name: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtext(${`bandama ${name}`}::text))`
}

/** The same without waiting. False when another transaction holds the lock. */
export async function tryAdvisoryLock(tx: Tx, name: string): Promise<boolean> {
  const [row] = await tx<{ ours: boolean }[]>`
    select pg_try_advisory_xact_lock(hashtext(${`bandama ${name}`}::text)) as ours`
  return row!.ours
}
