import type { Db, Tx } from '../platform/postgres/database.ts'

/** Notes that one person gave another a role or a link, now. */
export async function upsertTie(tx: Tx, person: string, maker: string): Promise<void> {
  await tx`
    insert into person_ties (person, maker)
    values (person_in(${person}), person_in(${maker}))
    on conflict (person, maker) do update set tied_at = excluded.tied_at`
}

/** Reads the people to whom a person gave a role or a link within 90 days. */
export async function readLetIn(db: Db, maker: string): Promise<string[]> {
  const rows = await db<{ person: string }[]>`
    select person
      from person_ties
     where maker = person_in(${maker}) and tied_at > clock_now() - interval '90 days'`
  return rows.map(({ person }) => person)
}

/** Reads the people who gave any of these a role or a link within 90 days. */
export async function readMakers(db: Db, people: readonly string[]): Promise<string[]> {
  if (people.length === 0) return []
  const rows = await db<{ maker: string }[]>`
    select distinct maker
      from person_ties
     where person in (select person_in(one) from unnest(${people as string[]}::text[]) one)
       and tied_at > clock_now() - interval '90 days'`
  return rows.map(({ maker }) => maker)
}

/** Reads the name of a merchant. Null when there is none. */
export async function readMerchantName(db: Db, merchant_id: number): Promise<string | null> {
  const [row] = await db<{ name: string }[]>`
    select name
      from merchant_names
     where merchant_id = ${merchant_id}`
  return row?.name ?? null
}
