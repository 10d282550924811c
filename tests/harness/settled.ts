import type { Sql } from '../../src/platform/postgres/database.ts'
import { waitFor } from './wait-for.ts'

/** Waits until the feed has everything that was committed before: until each transaction of the server that is open now has ended. */
export async function untilSettled(sql: Sql): Promise<void> {
  const [row] = await sql<{ next: string }[]>`select pg_snapshot_xmax(pg_current_snapshot())::text as next`
  await waitFor(
    async () => {
      const [found] = await sql<{ is_over: boolean }[]>`
        select pg_snapshot_xmin(pg_current_snapshot()) >= ${row!.next}::xid8 as is_over`
      return found!.is_over
    },
    { deadline_ms: 60_000, what: 'transactions of others to end' },
  )
}
