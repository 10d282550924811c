import type { BookCheck } from './book-check.ts'

/** Compares the stored sizes of books of beneficiaries with their entries. */
export const beneficiaryChecks: readonly BookCheck[] = [
  {
    check: 'the size of every book of beneficiaries is the number of its entries',
    contradictions: (tx) => tx`
      select coalesce(s.merchant_id, b.merchant_id) || ' ' || coalesce(s.livemode, b.livemode) as example
        from book_sizes s
        full join (select merchant_id, livemode, count(*) filter (where active) as active,
                          count(*) filter (where not active) as archived
                     from beneficiaries
                    group by merchant_id, livemode) b
          on (b.merchant_id, b.livemode) = (s.merchant_id, s.livemode)
       where (coalesce(s.active, 0), coalesce(s.archived, 0)) is distinct from (coalesce(b.active, 0), coalesce(b.archived, 0))`,
  },
]
