import type { Db, Sql } from '../../platform/postgres/database.ts'
import { recordActOf } from '../record-act-of.ts'
import type { Browser } from '../sessions/browser.ts'
import type { Session } from '../sessions/session.ts'
import { lockPerson } from '../store.ts'
import type { NoticeKind } from './notice.ts'
import * as store from './store.ts'

/** Reads the kinds of notices that a person has turned off. */
export function readMutedNotices(db: Db, person_id: string): Promise<string[]> {
  return store.readMuted(db, person_id)
}

/**
 * Stores the kinds that a person gets by mail from now on. The same choice again has no effect.
 * @param choosable the kinds that the person saw; others do not change
 */
export async function chooseNotices(
  { sql }: { sql: Sql },
  { person }: Session,
  { choosable, wanted }: { choosable: readonly NoticeKind[]; wanted: readonly string[] },
  from: Pick<Browser, 'address'>,
): Promise<void> {
  const { person_id, email } = person
  await sql.begin(async (tx) => {
    await lockPerson(tx, { person_id })
    const before = (await store.readMuted(tx, person_id)).toSorted()
    for (const kind of choosable) {
      if (wanted.includes(kind)) await store.unmuteNotice(tx, person_id, kind)
      else await store.muteNotice(tx, person_id, kind)
    }
    const after = (await store.readMuted(tx, person_id)).toSorted()
    if (before.join() === after.join()) return
    const change = { before: { without: before }, after: { without: after } }
    recordActOf(tx, email, from, { act: 'person.choose_notices', subject: person_id, ...change })
  })
}
