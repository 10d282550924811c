import type { Sql, Tx } from '../../src/platform/postgres/database.ts'

export type Held = AsyncDisposable & { letGo(): Promise<void> }

/** Holds what `lock` locks until it is let go, and not only until the server takes its holder for forgotten. */
export async function hold(sql: Sql, lock: (tx: Tx) => PromiseLike<unknown>): Promise<Held> {
  const released = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const holding = sql.begin(async (tx) => {
    await tx`set local idle_in_transaction_session_timeout = 0`
    await lock(tx)
    locked.resolve()
    await released.promise
  })
  await Promise.race([locked.promise, holding])
  const letGo = async () => {
    released.resolve()
    await holding
  }
  return { letGo, [Symbol.asyncDispose]: letGo }
}
