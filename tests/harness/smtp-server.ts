import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** A mail as the server accepted it: its envelope, its unfolded headers, and its decoded text. */
export type TakenMail = { from: string; to: string[]; headers: Record<string, string>; text: string; raw: string }

/**
 * The answer to a mail: the server accepts it, refuses it temporarily or permanently, or closes the connection without an answer.
 * `break_off_early`: it closes at the recipient. `bad_tls`: it offers STARTTLS with an untrusted certificate.
 */
export type Behaviour =
  | 'take'
  | 'refuse_now'
  | 'refuse_for_ever'
  | 'break_off'
  | 'break_off_early'
  | 'silent'
  | 'bad_tls'

export type SmtpServer = {
  port: number
  /** The accepted mails, in order. */
  mails: TakenMail[]
  /** The number of complete mails, accepted or not. */
  arrived: number
  /** The number of connections. */
  connections: number
  behave: Behaviour
  close(): Promise<void>
}

/** Starts a mail server on this machine. @param login the required name and password; absent: none */
export async function openSmtpServer(login?: { user: string; pass: string }): Promise<SmtpServer> {
  const sockets = new Set<Socket>()
  const listener = createServer((socket) => {
    sockets.add(socket.on('close', () => sockets.delete(socket)).on('error', () => {}))
    server.connections += 1
    if (server.behave !== 'silent') converse(socket)
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const server: SmtpServer = {
    port: (listener.address() as AddressInfo).port,
    mails: [],
    arrived: 0,
    connections: 0,
    behave: 'take',
    async close() {
      for (const socket of sockets) socket.destroy()
      listener.close()
      await once(listener, 'close')
    },
  }
  return server

  function converse(socket: Socket): void {
    let left = ''
    let inData = false
    let from = ''
    let to: string[] = []
    const say = (line: string) => socket.write(`${line}\r\n`)
    const right = login && Buffer.from(`\0${login.user}\0${login.pass}`).toString('base64')
    say('220 test')
    socket.setEncoding('utf8').on('data', (part) => {
      left += part
      for (;;) {
        const end = inData ? '\r\n.\r\n' : '\r\n'
        const at = left.indexOf(end)
        if (at === -1) return
        const text = left.slice(0, at)
        left = left.slice(at + end.length)
        if (inData) take(text)
        else answer(text)
      }
    })

    function answer(line: string): void {
      const [verb = '', words = ''] = [line.slice(0, 4).toUpperCase(), line.slice(5)]
      if (verb === 'EHLO' && server.behave === 'bad_tls') return void say('250-test\r\n250 STARTTLS')
      if (verb === 'STAR') return void socket.destroy()
      if (verb === 'RCPT' && server.behave === 'break_off_early') return void socket.destroy()
      if (verb === 'EHLO') return void say(login === undefined ? '250 test' : '250-test\r\n250 AUTH PLAIN')
      if (verb === 'AUTH') return void say(words === `PLAIN ${right}` ? '235 welcome' : `535 who is ${login?.user}`)
      if (verb === 'MAIL') [from, to] = [/<(.*?)>/.exec(words)![1]!, []]
      if (verb === 'RCPT') to.push(/<(.*?)>/.exec(words)![1]!)
      inData = verb === 'DATA'
      say(inData ? '354 go on' : verb === 'QUIT' ? '221 bye' : '250 ok')
    }

    function take(raw: string): void {
      inData = false
      server.arrived += 1
      if (server.behave === 'break_off') return void socket.destroy()
      if (server.behave === 'refuse_now') return void say('451 later, I have no room for your secrets')
      if (server.behave === 'refuse_for_ever') return void say('550 nobody is here')
      server.mails.push({ from, to, raw, ...read(raw) })
      say('250 taken')
    }
  }
}

function read(raw: string): Pick<TakenMail, 'headers' | 'text'> {
  const at = raw.indexOf('\r\n\r\n')
  const lines = raw
    .slice(0, at)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      decodeWords(line.slice(line.indexOf(':') + 2)),
    ]),
  )
  const body = raw.slice(at + 4)
  const encoding = headers['content-transfer-encoding'] ?? '7bit'
  if (encoding === 'base64') return { headers, text: Buffer.from(body, 'base64').toString() }
  return { headers, text: encoding === 'quoted-printable' ? decodeQuoted(body.replace(/=\r\n/g, '')) : body }
}

/** Decodes the encoded words of a header (RFC 2047). */
function decodeWords(text: string): string {
  return text
    .replace(/\?= =\?/g, '?==?')
    .replace(/=\?utf-8\?([bq])\?(.*?)\?=/gi, (_, kind: string, word: string) =>
      kind.toLowerCase() === 'b' ? Buffer.from(word, 'base64').toString() : decodeQuoted(word.replaceAll('_', ' ')),
    )
}

function decodeQuoted(text: string): string {
  const bytes = text.replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
