import { defineEffect } from '../../platform/commands/effects.ts'
import type { Db } from '../../platform/postgres/database.ts'
import { insertRows } from '../../platform/postgres/rows.ts'
import { builtInProfiles } from '../built-in-profiles.ts'
import type { StatementProfile } from '../profile.ts'

export type ProfileRow = {
  readonly profile: string
  readonly version: number
  readonly settings: StatementProfile
  readonly set_by: string
  readonly set_at: Date
}

/** Writes new versions of profiles. The key refuses a version that somebody else wrote first. */
export const addProfile = defineEffect<ProfileRow>('new row', (tx, rows) => {
  insertRows(tx, 'statement_profiles', rows)
})

/** Reads the newest version of each profile that people set. */
export function readProfiles(db: Db): Promise<ProfileRow[]> {
  return db<ProfileRow[]>`
    select distinct on (profile) profile, version, settings, set_by, set_at
      from statement_profiles
     order by profile, version desc`
}

/** The profiles in force by their names: those that people set, before the built-in ones. */
export async function readProfilesInForce(db: Db): Promise<ReadonlyMap<string, StatementProfile>> {
  const set = (await readProfiles(db)).map(({ settings, version }) => ({ ...settings, version }))
  return new Map([...builtInProfiles, ...set].map((profile) => [profile.profile, profile]))
}
