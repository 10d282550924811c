import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/**
 * A server whose queue of connections is full and who takes none for a while, so that the system drops the first packet of the next client: its
 * handshake lasts a second or more, as over a slow line.
 */
const program = `
  const server = require('node:http').createServer((request, response) => request.resume().on('end', () => response.end('ok')))
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => process.stdout.write(server.address().port + '\\n'))
  process.stdin.once('data', () => {
    process.stdout.write('busy\\n')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700)
  })`

/** Connections that fill the queue: more than the system's rounding of its length. */
const FILLERS = 4

export type BusyServer = AsyncDisposable & {
  port: number
  /** Fills the queue. The server takes its connections 700 ms later. */
  beBusy(): Promise<void>
}

export async function startBusyServer(): Promise<BusyServer> {
  const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [line] = await once(child.stdout, 'data')
  const port = Number(String(line))
  const fillers: Socket[] = []
  return {
    port,
    async beBusy() {
      child.stdin.write('now')
      await once(child.stdout, 'data')
      for (let at = 0; at < FILLERS; at += 1) fillers.push(connect(port, '127.0.0.1').on('error', () => {}))
      await once(fillers[0]!, 'connect')
    },
    async [Symbol.asyncDispose]() {
      for (const socket of fillers) socket.destroy()
      await end(child)
    },
  }
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}
