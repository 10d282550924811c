import { Readable } from 'node:stream'
import MailComposer from 'nodemailer/lib/mail-composer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { Secret } from '../../values/secret.ts'

/** A mail: a plain text to one person. */
export type Mail = {
  /** An address that `isMailable` accepts. */
  to: string
  subject: string
  text: string
  date: Date
  /** The id of the mail, the same at each attempt, so that a mailbox shows it once. Letters, digits, dots and dashes. */
  id: string
}

/**
 * `not_taken`: the server certainly did not accept the mail; with `for_ever` it never will. `unclear`: the connection broke when the server
 * may have accepted it. `code` is a code of the protocol or the system, without any quotation.
 */
export type MailTried =
  | { kind: 'taken' }
  | { kind: 'not_taken'; for_ever: boolean; code: string }
  | { kind: 'unclear'; code: string }

export type Mailer = {
  /** Never throws. Takes about forty seconds at most. */
  send(mail: Mail): Promise<MailTried>
}

/** The time limit of each step of the protocol, in milliseconds. */
const STEP_MS = 10_000

/**
 * Sends mails by one mail server, with one connection for each mail. It sends a password over TLS only: `smtps:` begins with TLS, and with
 * `smtp:` the server must offer STARTTLS. A server on this machine needs no TLS, because nobody can listen in between, and its certificate is
 * usually self-signed.
 * @param url such as `smtps://user:password@mail.example.com:465`
 * @param from the sender's address
 */
export function createMailer(settings: { url: Secret; from: string; name: string }): Mailer {
  const { options, auth } = serverIn(settings.url)
  return {
    async send(mail) {
      const message = await compose(mail, settings)
      const connection = new SMTPConnection(options)
      // Each step handles its own failure. A later failure has no effect.
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

/** Composes the bytes of a mail. Its headers contain only our settings and our own texts. */
function compose({ to, subject, text, date, id }: Mail, { from, name }: { from: string; name: string }) {
  const mail = new MailComposer({
    from: { name, address: from },
    to: { name: '', address: to },
    subject,
    text,
    date,
    messageId: `<${id}@${from.split('@')[1]}>`,
    // So that no out-of-office reply answers it.
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return mail.compile().build()
}

type Failure = Error & { code?: string | undefined; responseCode?: number | undefined }

/** Connects and signs in. Null: it succeeded. */
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
    // The connection reads this once the server has accepted the envelope and waits for the mail.
    const read = function (this: Readable) {
      begun = true
      this.push(message)
      this.push(null)
    }
    const end = (error?: Failure | null) => {
      if (!error) resolve({ kind: 'taken' })
      // Without an answer to the mail itself, the server may have accepted it.
      else if (begun && error.responseCode === undefined) resolve({ kind: 'unclear', code: codeOf(error) })
      else resolve(notTaken(error))
    }
    connection.once('error', end)
    connection.send(envelope, new Readable({ read }), end)
  })
}

/** A refusal with a code of 500 or more is permanent, except a refusal of our user and password, which somebody will correct. */
function notTaken(error: Failure): MailTried {
  const for_ever = (error.responseCode ?? 0) >= 500 && error.code !== 'EAUTH'
  return { kind: 'not_taken', for_ever, code: codeOf(error) }
}

function codeOf({ code = 'EUNKNOWN', responseCode }: Failure): string {
  return responseCode === undefined ? code : `${code} ${responseCode}`
}
