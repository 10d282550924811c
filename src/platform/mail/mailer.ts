import { Readable } from 'node:stream'
import MailComposer from 'nodemailer/lib/mail-composer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { Secret } from '../../values/secret.ts'

/** One plain text to one person. */
export type Mail = {
  /** An address that `isMailable` takes. */
  to: string
  subject: string
  text: string
  date: Date
  /** The same mail has the same one, so that a mailbox shows it once. Letters, digits, dots and dashes. */
  id: string
}

/**
 * `not_taken`: the server surely has not the mail. `for_ever`: and never takes it. `unclear`: the connection broke when it may have.
 * `code` is one of the protocol or the system, and quotes nothing.
 */
export type MailTried =
  | { kind: 'taken' }
  | { kind: 'not_taken'; for_ever: boolean; code: string }
  | { kind: 'unclear'; code: string }

export type Mailer = {
  /** Never throws. At most some forty seconds. */
  send(mail: Mail): Promise<MailTried>
}

/** Milliseconds for each step of a conversation with the server. */
const STEP_MS = 10_000

/**
 * Speaks with one mail server, one connection for each mail. A password goes over TLS alone: `smtps:` begins with it, and with `smtp:` the
 * server must offer STARTTLS, unless it is on this machine: there nobody listens on the way, and its certificate is mostly its own.
 * @param url such as `smtps://user:password@mail.example.com:465`
 * @param from the address that mails come from
 */
export function createMailer(settings: { url: Secret; from: string; name: string }): Mailer {
  const { options, auth } = serverIn(settings.url)
  return {
    async send(mail) {
      const message = await compose(mail, settings)
      const connection = new SMTPConnection(options)
      // Each step listens for its own failure. One that comes later changes nothing any more.
      connection.on('error', () => {})
      try {
        const before = await prepare(connection, auth)
        if (before !== null) return notTaken(before)
        return await hand(connection, { from: settings.from, to: [mail.to] }, message)
      } finally {
        connection.close()
      }
    },
  }
}

function serverIn(url: Secret) {
  const { protocol, hostname, port, username, password } = new URL(url.reveal())
  const secure = protocol === 'smtps:'
  const host = hostname.replace(/^\[|\]$/g, '')
  const local = /^(?:localhost|127(?:\.\d+){3}|::1)$/.test(host)
  const limits = { connectionTimeout: STEP_MS, greetingTimeout: STEP_MS, socketTimeout: STEP_MS, dnsTimeout: STEP_MS }
  return {
    options: {
      host,
      port: Number(port || (secure ? 465 : 587)),
      secure,
      requireTLS: !secure && !local,
      ignoreTLS: local,
      ...limits,
    },
    auth: username === '' ? null : { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
  }
}

/** The bytes of a mail. Its headers come from the settings and our own words. */
function compose({ to, subject, text, date, id }: Mail, { from, name }: { from: string; name: string }) {
  const mail = new MailComposer({
    from: { name, address: from },
    to: { name: '', address: to },
    subject,
    text,
    date,
    messageId: `<${id}@${from.split('@')[1]}>`,
    // Nobody's absence answers it.
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return mail.compile().build()
}

type Failure = Error & { code?: string | undefined; responseCode?: number | undefined }

/** Connects and signs in; null: done. */
async function prepare(
  connection: SMTPConnection,
  auth: { user: string; pass: string } | null,
): Promise<Failure | null> {
  const step = (begin: (done: (error?: Failure | null) => void) => void) =>
    new Promise<Failure | null>((resolve) => {
      connection.once('error', resolve)
      begin((error) => resolve(error ?? null))
    })
  const connected = await step((done) => connection.connect(done))
  if (connected !== null || auth === null) return connected
  return step((done) => connection.login({ ...auth, credentials: auth }, done))
}

function hand(
  connection: SMTPConnection,
  envelope: { from: string; to: string[] },
  message: Buffer,
): Promise<MailTried> {
  return new Promise((resolve) => {
    let begun = false
    // The connection reads it once the server has taken the envelope and waits for the mail.
    const read = function (this: Readable) {
      begun = true
      this.push(message)
      this.push(null)
    }
    const end = (error?: Failure | null) => {
      if (!error) resolve({ kind: 'taken' })
      // Without an answer to the mail itself the server may have the whole of it.
      else if (begun && error.responseCode === undefined) resolve({ kind: 'unclear', code: codeOf(error) })
      else resolve(notTaken(error))
    }
    connection.once('error', end)
    connection.send(envelope, new Readable({ read }), end)
  })
}

/** A refusal of 500 and more is for ever, but for one of our own name and password, which somebody will mend. */
function notTaken(error: Failure): MailTried {
  const for_ever = (error.responseCode ?? 0) >= 500 && error.code !== 'EAUTH'
  return { kind: 'not_taken', for_ever, code: codeOf(error) }
}

function codeOf({ code = 'EUNKNOWN', responseCode }: Failure): string {
  return responseCode === undefined ? code : `${code} ${responseCode}`
}
