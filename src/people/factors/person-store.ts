import type { Db } from '../../platform/postgres/database.ts'

/** Everything that decides about a password: of the person, and of the address that asks. */
export type SigningPerson = {
  person_id: string
  email: string
  hash: string
  /** Whether the person has signed in from this address within 30 days. */
  known_address: boolean
}

/** A person who can sign in with a password and a telephone. Null: nobody, or somebody who cannot. */
export async function findSigningPerson(db: Db, email: string, address: string): Promise<SigningPerson | null> {
  const [row] = await db<SigningPerson[]>`
    select p.person_id, p.email, w.hash,
           exists (select 1
                     from person_sessions s
                    where s.person_id = p.person_id and s.address = ${address}::inet
                      and s.created_at > clock_now() - interval '30 days') as known_address
      from persons p
      join person_passwords w on w.person_id = p.person_id
      join person_totp t on t.person_id = p.person_id
     where p.email = ${email} and p.status = 'active'`
  return row ?? null
}

/** When the password was chosen and the telephone confirmed; null: the person has none. */
export async function readPasswordAndTotp(
  db: Db,
  person_id: string,
): Promise<{ changed_at: Date | null; confirmed_at: Date | null }> {
  const [row] = await db<{ changed_at: Date | null; confirmed_at: Date | null }[]>`
    select w.changed_at, t.confirmed_at
      from persons p
      left join person_passwords w on w.person_id = p.person_id
      left join person_totp t on t.person_id = p.person_id
     where p.person_id = ${person_id}`
  return row ?? { changed_at: null, confirmed_at: null }
}
