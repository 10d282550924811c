import { recordAct } from '../audit-log/record-act.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Actor } from '../values/actor.ts'
import * as store from './store.ts'

/**
 * Assigns a case to the person who acts, also when another person has it: the audit line names the one before. Taking one's own case again
 * does nothing. The caller has checked that the case exists.
 */
export async function takeCase(sql: Sql, key: store.CaseKey, by: Actor): Promise<void> {
  await sql.begin(async (tx) => {
    const owner = await store.writeOwner(tx, key, by.person)
    if (owner === by.person) return
    const before = owner === null ? null : { owner }
    recordAct(tx, key, { actor: by, act: 'case.take', subject: key.subject_id, before, after: { owner: by.person } })
  })
}

/** Releases one's own case. A case of another person, or of nobody, stays as it is. */
export async function giveBackCase(sql: Sql, key: store.CaseKey, by: Actor): Promise<void> {
  await sql.begin(async (tx) => {
    if (!(await store.deleteOwner(tx, key, by.person))) return
    const before = { owner: by.person }
    recordAct(tx, key, { actor: by, act: 'case.give_back', subject: key.subject_id, before, after: { owner: null } })
  })
}
