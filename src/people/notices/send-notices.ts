import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { isMailable } from '../../platform/mail/mailable.ts'
import type { Mail, Mailer } from '../../platform/mail/mailer.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { defineJob, enqueue } from '../../platform/queue/jobs.ts'
import type { Tenant } from '../../values/caller.ts'
import { normalizePerson } from '../../values/independent-approver.ts'
import { rolesWith } from '../../values/rights.ts'
import { findHolders } from '../find-persons.ts'
import { claimDevices } from '../push/push-store.ts'
import { pushJob } from '../push/send-push.ts'
import { mayGet, noticeKinds, noticeNames } from './notice.ts'
import { type NoticeJob, placeOf } from './notify.ts'
import { type NoticeSettings, quietMillisecondsLeft, spreadMilliseconds } from './settings.ts'
import { readSettingsOf } from './settings-store.ts'
import * as store from './store.ts'

export const mailJob = defineJob<store.MailKey>('send-mail', 'upkeep')

type Dependencies = {
  sql: Sql
  clock: Clock
  log: Log
  /** Null: this service sends no mail. */
  mailer: Mailer | null
  /** Writes a notice in the language of its person. */
  write: (mail: store.WaitingMail) => Pick<Mail, 'subject' | 'text'>
  /** The person who created an API key. Null: unknown. */
  makerOfKey: (tenant: Tenant, key_id: string) => Promise<string | null>
}

/** The mail server did not accept a mail, and the queue tries again. The message has only a code, because the server's text may quote the mail. */
class MailWaits extends Error {
  override name = 'MailWaits'
  readonly code: string

  constructor(code: string) {
    super('The mail server did not take a mail.')
    this.code = code
  }
}

/** The two jobs of a notice: one finds the recipients, the other sends a mail to one of them. */
export function createSendNotices({ sql, clock, log, mailer, write, makerOfKey }: Dependencies) {
  return {
    /** Finds the recipients of a notice, and writes a mail for each. A second run writes none again. */
    async address({ notice_id, noticed_at = clock.milliseconds(), ...notice }: NoticeJob): Promise<void> {
      const kind = noticeNames[notice.name]
      const { right, always, asked = false, hourly_max } = noticeKinds[kind]
      const { about, to } = notice
      const told = to ?? (await findHolders(sql, about!.merchant_id, right!))
      const except = await Promise.all((notice.except ?? []).map((author) => personBehind(about, author)))
      const emails = told.flatMap((person) => normalizePerson(person) ?? []).filter((email) => !except.includes(email))
      await sql.begin(async (tx) => {
        const { to: _, except: __, ...written } = notice
        const members_of = right === null ? null : { merchant_id: about!.merchant_id, roles: rolesWith(right) }
        const mails = { notice_id, kind, notice: written, emails, members_of, asked, hourly_max }
        const person_ids = mailer === null ? [] : await store.insertMails(tx, mails)
        const devices = await claimDevices(tx, mails)
        const people = [...person_ids, ...devices.map(({ person_id }) => person_id)]
        const settings = always ? new Map<string, NoticeSettings>() : await readSettingsOf(tx, people)
        const quietLeft = (person_id: string) => {
          const left_ms = quietMillisecondsLeft(settings.get(person_id)?.quiet ?? null, clock.now())
          return left_ms === 0 ? 0 : left_ms + spreadMilliseconds(person_id)
        }
        enqueue(
          tx,
          pushJob,
          devices.flatMap(({ id: device_id, person_id, service }) => {
            const delay_ms = quietLeft(person_id)
            // In the morning nobody wants to hear of each payment of the night.
            if (kind === 'payment' && delay_ms > 0) return []
            const payload = { notice: written, notice_id, device_id, at: noticed_at + delay_ms }
            return [{ payload, delay_ms, ...placeOf(notice, `push-${service}`) }]
          }),
        )
        enqueue(
          tx,
          mailJob,
          person_ids.map((person_id) => {
            return { payload: { notice_id, person_id }, delay_ms: quietLeft(person_id), ...placeOf(notice, 'mail') }
          }),
        )
      })
    },

    /**
     * Sends one mail, at most once. If the server certainly did not accept it, the queue tries again for a day, less and less often.
     * @throws MailWaits so that the queue tries again
     */
    async send(key: store.MailKey): Promise<void> {
      if (mailer === null) return
      const mail = await store.beginMail(sql, key)
      if (mail === null) return
      if (mail.is_old) return store.endMail(sql, key, 'too_old')
      if (!mayGet(mail.kind, mail.roles)) return store.endMail(sql, key, 'left')
      if (!isMailable(mail.email)) return store.endMail(sql, key, 'refused')
      const id = `${key.notice_id}.${key.person_id.replace(/\W/g, '')}`
      const tried = await mailer.send({ to: mail.email, ...write(mail), date: clock.now(), id })
      if (tried.kind === 'taken') return store.endMail(sql, key, 'sent')
      const { notice_id, person_id } = key
      if (tried.kind === 'not_taken' && !tried.for_ever) {
        await store.waitAgain(sql, key)
        throw new MailWaits(tried.code)
      }
      log.warn({ notice_id, person_id, code: tried.code }, 'mail: given up')
      await store.endMail(sql, key, tried.kind === 'unclear' ? 'unclear' : 'refused')
    },
  }

  async function personBehind(about: NoticeJob['about'], author: string): Promise<string | null> {
    if (!author.startsWith('key:')) return normalizePerson(author)
    const { merchant_id, livemode } = about!
    const maker = livemode === null ? null : await makerOfKey({ merchant_id, livemode }, author.slice('key:'.length))
    return maker === null ? null : normalizePerson(maker)
  }
}
