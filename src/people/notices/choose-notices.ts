import type { Db, Sql } from '../../platform/postgres/database.ts'
import { recordActOf } from '../record-act-of.ts'
import type { Browser } from '../sessions/browser.ts'
import type { Session } from '../sessions/session.ts'
import { lockPerson } from '../store.ts'
import { type NoticeKind, noticeKinds } from './notice.ts'
import { initialSettings, type NoticeSettings } from './settings.ts'
import { readSettingsOf, writeSettings } from './settings-store.ts'
import * as store from './store.ts'

/** The choices of a person: the kinds that do not come by mail although all others do, and the rest. */
export type NoticeChoices = NoticeSettings & { readonly without: readonly string[] }

/** Reads what a person chose. */
export async function readNoticeChoices(db: Db, person_id: string): Promise<NoticeChoices> {
  const [without, settings] = await Promise.all([store.readMuted(db, person_id), readSettingsOf(db, [person_id])])
  return { ...(settings.get(person_id) ?? initialSettings), without: without.toSorted() }
}

/** Whether a kind comes to this person by mail. */
export function comesByMail({ without, mails_asked }: NoticeChoices, kind: NoticeKind): boolean {
  return noticeKinds[kind].asked ? mails_asked.includes(kind) : !without.includes(kind)
}

export type Chosen = Omit<NoticeSettings, 'mails_asked' | 'pushes_muted'> & {
  /** The kinds that the person saw; others do not change. */
  readonly choosable: readonly NoticeKind[]
  /** The kinds that come by mail from now on. Null: mails were not asked about, because the service sends none. */
  readonly by_mail: readonly string[] | null
  /** The kinds that come to devices from now on. */
  readonly by_push: readonly string[]
}

/** Stores what a person chose. The same choice again has no effect. */
export async function chooseNotices(
  { sql }: { sql: Sql },
  { person }: Session,
  { choosable, by_mail, by_push, ...settings }: Chosen,
  from: Pick<Browser, 'address'>,
): Promise<void> {
  const { person_id, email } = person
  await sql.begin(async (tx) => {
    await lockPerson(tx, { person_id })
    const before = await readNoticeChoices(tx, person_id)
    const asked = new Set(before.mails_asked)
    for (const kind of by_mail === null ? [] : choosable) {
      const wanted = by_mail!.includes(kind)
      if (noticeKinds[kind].asked) asked[wanted ? 'add' : 'delete'](kind)
      else if (wanted) await store.unmuteNotice(tx, person_id, kind)
      else await store.muteNotice(tx, person_id, kind)
    }
    const kept = before.pushes_muted.filter((kind) => !choosable.includes(kind))
    const pushes_muted = [...kept, ...choosable.filter((kind) => !by_push.includes(kind))].toSorted()
    // The least payment is a field of this kind alone.
    const payment_min = choosable.includes('payment') ? settings.payment_min : before.payment_min
    await writeSettings(tx, person_id, { ...settings, payment_min, mails_asked: [...asked].toSorted(), pushes_muted })
    const after = await readNoticeChoices(tx, person_id)
    if (JSON.stringify(before) === JSON.stringify(after)) return
    recordActOf(tx, email, from, { act: 'person.choose_notices', subject: person_id, before, after })
  })
}
