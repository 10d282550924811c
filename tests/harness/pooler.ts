import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import pg from 'pg'

export type PoolerOptions = {
  /** Whether a connection to the server serves one client, or whichever client begins a transaction. */
  mode: 'session' | 'transaction'
  /** Whether the startup parameters of a client reach its server, are dropped, or are refused. */
  settings: 'passed' | 'dropped' | 'refused'
  /** The next server of a transaction: the one used last, as PgBouncer's default, or the one used longest ago. */
  takes?: 'last' | 'first'
}

type Server = { socket: Socket; client: Socket | null; open: number }

/** A pooler of PostgreSQL connections, as far as our start can meet one. */
export async function startPooler(url: string, { mode, settings, takes = 'last' }: PoolerOptions) {
  const idle: Server[] = []
  const sockets = new Set<Socket>()

  async function openServer(config: pg.ClientConfig): Promise<Server> {
    const client = new pg.Client({ connectionString: url, ...config })
    await client.connect()
    const { stream: socket } = (client as unknown as { connection: { stream: Socket } }).connection
    socket.removeAllListeners()
    socket.on('error', () => {})
    sockets.add(socket)
    const server: Server = { socket, client: null, open: 0 }
    onMessages(socket, (type, message) => {
      server.client?.write(message)
      if (type !== 'Z') return
      server.open -= 1
      if (mode === 'session' || server.open > 0 || message[5] !== 73) return
      server.client = null
      idle.push(server)
    })
    return server
  }

  function serve(socket: Socket, parameters: Record<string, string>): void {
    let turn: Promise<unknown> = Promise.resolve()
    let server: Server | null = null
    const wanted = settings === 'passed' ? passedOn(parameters) : {}
    onMessages(socket, (type, message) => {
      turn = turn.then(async () => {
        if (type === 'X') return
        if (server === null || server.client !== socket) {
          server = (takes === 'last' ? idle.pop() : idle.shift()) ?? (await openServer(wanted))
          server.client = socket
        }
        if (type === 'Q' || type === 'S') server.open += 1
        server.socket.write(message)
      })
    })
  }

  const listener = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', (bytes: Buffer) => {
      const parameters = parametersIn(bytes)
      if (settings === 'refused' && parameters.statement_timeout !== undefined) {
        socket.end(message('E', 'SFATAL\0C08P01\0Munsupported startup parameter: statement_timeout\0\0'))
        return
      }
      serve(socket, parameters)
      socket.write(Buffer.concat([message('R', '\0\0\0\0'), message('K', '\0\0\0\x01\0\0\0\x01'), message('Z', 'I')]))
    })
  }).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const through = new URL(url)
  through.host = `127.0.0.1:${(listener.address() as AddressInfo).port}`
  return {
    url: through.href,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      listener.close()
    },
  }
}

/** The parameters that this pooler knows. */
function passedOn({ application_name, options, statement_timeout }: Record<string, string>): pg.ClientConfig {
  return {
    ...(application_name === undefined ? {} : { application_name }),
    ...(options === undefined ? {} : { options }),
    ...(statement_timeout === undefined ? {} : { statement_timeout: Number(statement_timeout) }),
  }
}

/** The startup message: its length, the version of the protocol, and pairs of names and values. */
function parametersIn(bytes: Buffer): Record<string, string> {
  const words = bytes.subarray(8).toString('utf8').split('\0')
  const pairs = words.flatMap((word, at) => (at % 2 === 0 && word !== '' ? [[word, words[at + 1]!] as const] : []))
  return Object.fromEntries(pairs)
}

function message(type: string, content: string): Buffer {
  const body = Buffer.from(content, 'latin1')
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

/** Calls `take` for each message of the protocol. */
function onMessages(socket: Socket, take: (type: string, message: Buffer) => void): void {
  let waiting = Buffer.alloc(0)
  socket.on('data', (bytes: Buffer) => {
    waiting = Buffer.concat([waiting, bytes])
    while (waiting.length >= 5) {
      const length = waiting.readInt32BE(1) + 1
      if (waiting.length < length) return
      take(String.fromCharCode(waiting[0]!), waiting.subarray(0, length))
      waiting = waiting.subarray(length)
    }
  })
}
