import type { Db, Sql } from '../../platform/postgres/database.ts'
import { recordActOf } from '../record-act-of.ts'
import type { Browser } from '../sessions/browser.ts'
import type { Session } from '../sessions/session.ts'
import { lockPerson } from '../store.ts'
import type { NoticeKind } from './notice.ts'
import * as store from './store.ts'

/** The kinds of notices that a person has switched off. */
export function readMutedNotices(db: Db, person_id: string): Promise<string[]> {
  return store.readMuted(db, person_id)
}

/**
 * Keeps which of these kinds come by mail from now on. The same again changes nothing.
 * @param choosable the kinds that the person saw; others stay as they are
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
