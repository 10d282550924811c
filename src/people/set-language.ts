import type { Sql } from '../platform/postgres/database.ts'
import type { Language } from '../values/language.ts'
import { recordActOf } from './record-act-of.ts'
import type { Browser } from './sessions/browser.ts'
import type { Session } from './sessions/session.ts'
import * as store from './store.ts'

/** Sets the language of all pages for a person, in each of their browsers. The same language again has no effect. */
export async function setLanguage(
  { sql }: { sql: Sql },
  { person }: Session,
  language: Language,
  from: Pick<Browser, 'address'>,
): Promise<void> {
  await sql.begin(async (tx) => {
    const before = await store.updateLanguage(tx, person.person_id, language)
    if (before === null) return
    const change = { before: { language: before }, after: { language } }
    recordActOf(tx, person.email, from, { act: 'person.set_language', subject: person.person_id, ...change })
  })
}
