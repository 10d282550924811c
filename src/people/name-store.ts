import type { Db } from '../platform/postgres/database.ts'

/**
 * The names of people by the address under which traces know them, for pages that say who did something. An actor who is no person of
 * ours is absent.
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
