import type { Db } from '../../platform/postgres/database.ts'
import { countRecoveryCodes, listPasskeys } from './factor-store.ts'
import * as store from './person-store.ts'

/** The factors of a person, as their own page shows them. */
export type Factors = {
  password: { changed_at: Date } | null
  totp: { confirmed_at: Date } | null
  recovery_codes_left: number
  passkeys: { credential_id: string; name: string; created_at: Date; last_used_at: Date | null }[]
}

/** Lists the factors of a person. */
export async function listFactors({ sql }: { sql: Db }, person_id: string): Promise<Factors> {
  const [factors, passkeys, recovery_codes_left] = await Promise.all([
    store.readPasswordAndTotp(sql, person_id),
    listPasskeys(sql, person_id),
    countRecoveryCodes(sql, person_id),
  ])
  return {
    password: factors.changed_at === null ? null : { changed_at: factors.changed_at },
    totp: factors.confirmed_at === null ? null : { confirmed_at: factors.confirmed_at },
    recovery_codes_left,
    passkeys: passkeys.map(({ credential_id, name, created_at, last_used_at }) => ({
      credential_id,
      name,
      created_at,
      last_used_at,
    })),
  }
}

/** Whether a person can answer with a code of their phone. */
export async function hasTotp(db: Db, person_id: string): Promise<boolean> {
  return (await store.readPasswordAndTotp(db, person_id)).confirmed_at !== null
}
