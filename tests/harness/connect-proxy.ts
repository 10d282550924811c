import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'

/** How a proxy answers: with a tunnel, or with these bytes. An empty text hangs up. */
export type ProxyAnswer = 'tunnel' | string

/**
 * An HTTP proxy. Its tunnels lead to one port of this machine, whatever host was asked for, so that a test sees which host that was.
 */
export async function startProxy(to: number, answer: ProxyAnswer = 'tunnel') {
  const asked: { host: string; authorization: string | undefined }[] = []
  const sockets = new Set<Socket>()
  const server = createServer((_request, response) => response.writeHead(405).end())
  server.on('connection', (socket) => sockets.add(socket))
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    socket.on('error', () => {})
    asked.push({ host: request.url!, authorization: request.headers['proxy-authorization'] })
    if (answer !== 'tunnel') return void socket.end(answer)
    const onward = connect(to, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      onward.pipe(socket).pipe(onward)
    }).on('error', () => socket.destroy())
    sockets.add(onward)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: new URL(`http://awa:p%40ss@127.0.0.1:${(server.address() as AddressInfo).port}`),
    asked,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
