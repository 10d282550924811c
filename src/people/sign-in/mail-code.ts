import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'
import { sha256 } from '../../platform/digest.ts'
import type { Log } from '../../platform/log.ts'
import { isMailable } from '../../platform/mail/mailable.ts'
import type { Mail, Mailer } from '../../platform/mail/mailer.ts'
import type { Db } from '../../platform/postgres/database.ts'
import { defineJob, enqueue } from '../../platform/queue/jobs.ts'
import { SYSTEM } from '../../values/actor.ts'
import type { Language } from '../../values/language.ts'
import type { FactorDeps } from '../factors/factor-deps.ts'
import * as store from './invitation-store.ts'

// With a mail server, the first factors of an account prove its address: the person types a code that was sent there. The holder of a link
// alone, such as its maker, cannot.

/** The code of one sending. It is computed again, so that no table and no job has it. */
type CodeKey = { invitation_id: string; codes_sent: number }

export const mailCodeJob = defineJob<CodeKey>('send-mail-code', 'upkeep')

const DIGITS = 8

function codeOf(key: Buffer, { invitation_id, codes_sent }: CodeKey): string {
  const hash = createHmac('sha256', key).update(`mail code ${invitation_id} ${codes_sent}`).digest()
  return String(hash.readBigUInt64BE() % 10n ** BigInt(DIGITS)).padStart(DIGITS, '0')
}

type Proving = Pick<store.InvitationRow, 'email' | 'invited_by'>

/** Whether an invitation asks for a code: not without a mail server, for an address that gets no mail, or of the service's own demo. */
function asksForCode({ mails = false }: Pick<FactorDeps, 'mails'>, { email, invited_by }: Proving): boolean {
  return mails && isMailable(email) && invited_by !== SYSTEM.person
}

/** Reads whether the page of a link asks for a code, and whether one was sent. Null: it asks for none, or the link opens nothing. */
export async function readMailCode(
  deps: Pick<FactorDeps, 'sql' | 'mails'>,
  { token }: { token: string },
): Promise<{ sent: boolean } | null> {
  const invitation = await store.findInvitation(deps.sql, sha256(token))
  return invitation === null || !asksForCode(deps, invitation) ? null : { sent: invitation.code_is_fresh }
}

/** Sends a code to the address of an open link: at most five for one link, a minute apart. Otherwise nothing happens. */
export async function sendMailCode(
  deps: Pick<FactorDeps, 'sql' | 'mails'>,
  { token }: { token: string },
): Promise<void> {
  await deps.sql.begin(async (tx) => {
    const invitation = await store.findInvitation(tx, sha256(token))
    if (invitation === null || !asksForCode(deps, invitation)) return
    const { invitation_id, person_id } = invitation
    const codes_sent = await store.countCode(tx, invitation_id)
    if (codes_sent === null) return
    const job = { payload: { invitation_id, codes_sent }, partition_key: 'mail-security', owner: person_id }
    enqueue(tx, mailCodeJob, [job])
  })
}

export type MailCodeRefusal = 'mail_code_missing' | 'mail_code_wrong' | 'mail_code_over'

/**
 * Checks the code that a person typed. `proven`: it is the one that was sent to the address. `not_asked`: this link asks for none.
 * `mail_code_over`: an hour has passed, or ten codes were wrong, so that the person has another one sent.
 */
export async function checkMailCode(
  deps: Pick<FactorDeps, 'sql' | 'mails' | 'key'>,
  invitation: store.InvitationRow,
  typed: string,
): Promise<'proven' | 'not_asked' | MailCodeRefusal> {
  if (!asksForCode(deps, invitation)) return 'not_asked'
  if (invitation.codes_sent === 0) return 'mail_code_missing'
  // Counted before it is compared, so that of many at once no more than ten are.
  if (!(await store.countTypedCode(deps.sql, invitation))) return 'mail_code_over'
  const [given, right] = [sha256(typed.replace(/\s/g, '')), sha256(codeOf(deps.key, invitation))]
  return timingSafeEqual(given, right) ? 'proven' : 'mail_code_wrong'
}

type SendDeps = {
  sql: Db
  clock: Clock
  log: Log
  mailer: Mailer | null
  key: Buffer
  /** Writes the mail with the code, in the language of its person. */
  writeCode: (code: string, language: Language) => Pick<Mail, 'subject' | 'text'>
}

/** The job that sends a code. A mail server that certainly did not take it is asked again by the person. */
export function createSendMailCode({ sql, clock, log, mailer, key, writeCode }: SendDeps) {
  return async (wanted: CodeKey): Promise<void> => {
    const invitation = mailer === null ? null : await store.findInvitationToProve(sql, wanted)
    if (mailer === null || invitation === null) return
    const written = writeCode(codeOf(key, wanted), invitation.language)
    const id = `${wanted.invitation_id.replace(/\W/g, '')}.${wanted.codes_sent}`
    const tried = await mailer.send({ to: invitation.email, ...written, date: clock.now(), id })
    if (tried.kind !== 'taken') log.warn({ ...wanted, code: tried.code }, 'mail: code of an address not sent')
  }
}
