import type { Sql } from '../platform/postgres/database.ts'

/** One check of the books: how many rows contradict it, and a few of them. */
export type AuditCheck = { check: string; wrong: number; examples: string[] }

export type AuditReport = {
  ok: boolean
  transactions: number
  entries: number
  accounts: number
  checks: AuditCheck[]
}

const EXAMPLES = 5

/**
 * Recomputes the whole ledger from its entries and says what does not hold. All checks read one snapshot, so that it can
 * run while payments are taken. Reads only.
 */
export async function audit(sql: Sql): Promise<AuditReport> {
  return sql.begin('isolation level repeatable read read only', async (tx) => {
    await tx`set local statement_timeout = '1h'`
    // Whole tables are read here, unlike anywhere else.
    await tx`select set_config(name, 'on', true)
               from unnest(array['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin']) as name`
    const [counts] = await tx<{ transactions: number; entries: number; accounts: number }[]>`
      select (select count(*) from ledger_transactions) as transactions,
             (select count(*) from ledger_entries) as entries,
             (select count(*) from accounts) as accounts`
    const checks: AuditCheck[] = []
    const check = async (name: string, query: PromiseLike<readonly { example: string }[]>) => {
      const rows = await query
      checks.push({ check: name, wrong: rows.length, examples: rows.slice(0, EXAMPLES).map((row) => row.example) })
    }

    await check(
      'every transaction sums to zero and has all its legs',
      tx`select t.subject_id || ' ' || t.operation as example
           from ledger_transactions t
           left join ledger_entries e using (merchant_id, livemode, subject_id, operation)
          group by t.merchant_id, t.livemode, t.subject_id, t.operation, t.legs
         having coalesce(sum(e.amount), 0) <> 0 or count(e.leg) <> t.legs`,
    )
    await check(
      'every balance is the sum of its entries',
      tx`select a.merchant_id || ' ' || a.livemode || ' ' || a.account as example
           from accounts a
           left join ledger_entries e using (merchant_id, livemode, account)
          group by a.merchant_id, a.livemode, a.account, a.balance, a.sequence
         having a.balance <> coalesce(sum(e.amount), 0) or a.sequence <> count(e.sequence)`,
    )
    await check(
      'every entry continues the one before',
      tx`select merchant_id || ' ' || account || ' ' || sequence as example
           from (select merchant_id, account, sequence, amount, balance_after,
                        lag(balance_after, 1, 0::bigint) over w as before,
                        lag(sequence, 1, 0::bigint) over w as number_before
                   from ledger_entries
                 window w as (partition by merchant_id, livemode, account order by sequence)) e
          where balance_after <> before + amount or sequence <> number_before + 1`,
    )
    await check(
      'no account of a merchant was ever below zero',
      tx`select merchant_id || ' ' || account || ' ' || sequence as example
           from ledger_entries
          where balance_after < 0
            and account in ('available', 'transfer', 'payouts_in_flight', 'settlements_in_flight')`,
    )
    await check(
      'every payment that succeeded is credited once with its net amount, and no other is',
      tx`select coalesce(p.id, e.subject_id) as example
           from (select merchant_id, livemode, id, net_amount, fee_amount, amount_collected
                   from payments
                  where status in ('succeeded', 'refunded', 'partially_refunded')) p
           full join (select merchant_id, livemode, subject_id,
                             sum(amount) filter (where account = 'available') as net,
                             sum(amount) filter (where account = 'fees') as fee,
                             -sum(amount) filter (where account like 'operator:%') as collected
                        from ledger_entries
                       where operation = 'collection_confirmed'
                       group by 1, 2, 3) e
             on (e.merchant_id, e.livemode, e.subject_id) = (p.merchant_id, p.livemode, p.id)
          where (p.net_amount, p.fee_amount, p.amount_collected)
                is distinct from (coalesce(e.net, 0), coalesce(e.fee, 0), e.collected)`,
    )
    return { ok: checks.every(({ wrong }) => wrong === 0), ...counts!, checks }
  })
}
