import { createHmac, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { demoPath, readDemo } from '../app/demo.ts'
import { machineMilliseconds } from '../platform/clock.ts'
import { type Command, CommandError, defineCommand } from './command.ts'

/** Seconds that a signature may be old or early. */
const TOLERANCE = 300

const listen = defineCommand({
  name: 'listen',
  summary: "Receive the demo merchant's webhooks on this machine and show them, signatures checked",
  options: {},
  async run({ config }) {
    const demo = await readDemo(config)
    if (demo === null) throw new CommandError(`There is no ${demoPath(config)} yet: start the service first.`)
    const { url, secret } = demo.endpoint
    const server = createServer(async (request, response) => {
      const body = await readAll(request)
      const header = String(request.headers[`${config.brand.header_prefix.toLowerCase()}-signature`] ?? '')
      const valid = isSigned(header, body, secret)
      response.writeHead(valid ? 204 : 400).end()
      process.stdout.write(`${valid ? 'signed ' : 'NOT SIGNED BY US '}${describe(body)}\n`)
    })
    server.listen(Number(new URL(url).port), new URL(url).hostname)
    await Promise.race([
      once(server, 'listening'),
      once(server, 'error').then(([error]) => {
        throw new CommandError(`Cannot listen on ${url}: ${(error as Error).message}`)
      }),
    ])
    process.stdout.write(`Waiting for webhooks on ${url}. End with Ctrl-C.\n`)
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
    server.close()
    server.closeAllConnections()
    return null
  },
})

/** The recipe of the documentation: HMAC-SHA256 over the time, a dot and the exact bytes received. */
function isSigned(header: string, body: Buffer, secret: string): boolean {
  const [, t = '', v1 = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? []
  if (Math.abs(machineMilliseconds() / 1000 - Number(t)) > TOLERANCE) return false
  const expected = createHmac('sha256', secret).update(`${t}.`).update(body).digest()
  const sent = Buffer.from(v1, 'hex')
  return sent.length === expected.length && timingSafeEqual(sent, expected)
}

function describe(body: Buffer): string {
  try {
    const event = JSON.parse(body.toString('utf8')) as {
      id: string
      type: string
      data: { id: string; status: string }
    }
    return `${event.type}  ${event.data.id} is ${event.data.status}  (${event.id})`
  } catch {
    return `${body.length} bytes that are no event`
  }
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

export const commands: readonly Command[] = [listen]
