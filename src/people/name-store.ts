import type { Db } from '../platform/postgres/database.ts'

/**
 * Reads the names of people by the e-mail addresses in the history, for pages that show an actor. An actor who is not one of our people is
 * absent.
 */
export async function readPersonNames(db: Db, emails: readonly (string | null)[]): Promise<Map<string, string>> {
  const wanted = [...new Set(emails.filter((email) => email !== null))]
  if (wanted.length === 0) return new Map()
  const rows = await db<{ email: string; name: string }[]>`
    select email, name
      from persons
     where email = any(${wanted}::text[])`
  return new Map(rows.map(({ email, name }) => [email, name]))
}

/** Reads the code by which a second person knows the holder of an account. Null: they have set no factors. */
export async function readAccountCode(db: Db, person_id: string): Promise<string | null> {
  const [row] = await db<{ account_code: string | null }[]>`
    select account_code
      from persons
     where person_id = ${person_id}`
  return row?.account_code ?? null
}
