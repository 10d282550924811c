import type { Sql } from '../../src/platform/postgres/database.ts'

/** Entries that one statement inserts. */
const TOGETHER = 100_000

/** Fills a merchant's book as its inline destinations would have, through every trigger and index of the table. */
export async function fillBook(sql: Sql, merchant_id: number, count: number): Promise<void> {
  for (let first = 1; first <= count; first += TOGETHER) {
    const last = Math.min(first + TOGETHER - 1, count)
    await sql.begin(async (tx) => {
      await tx`set local statement_timeout = 0`
      await tx`set local synchronous_commit = off`
      await tx`
        insert into beneficiaries (merchant_id, livemode, kind, name, operator, msisdn, last4, created_at)
        select ${merchant_id}, false, 'payout', 'Awa Kone', 'orange_ci', msisdn, right(msisdn, 4),
               clock_now() - (${count} - n) * interval '1 millisecond'
          from (select n, '+22507' || to_char(n, 'FM00000000') as msisdn
                  from generate_series(${first}::bigint, ${last}::bigint) as n) numbered`
    })
  }
}
