import { createHmac, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { getSystemErrorMessage } from 'node:util'
import { demoPath, readDemo } from '../../app/demo.ts'
import { readServiceNote } from '../../app/service-file.ts'
import { machineMilliseconds } from '../../platform/clock.ts'
import { type Command, CommandError, defineCommand } from '../command.ts'
import { outputClosed, print } from '../output.ts'

/** Seconds by which a signature's time may differ from ours. */
const TOLERANCE = 300

const listen = defineCommand({
  name: 'listen',
  summary: "Receive the demo merchant's webhooks on this machine, check their signatures and show them",
  details:
    "It listens at the address of the demo merchant's endpoint until Ctrl-C. With --json it prints one object per line.",
  options: {},
  async run({ config }, _, { json }) {
    const demo = await readDemo(config)
    if (demo === null) throw new CommandError(`${demoPath(config)} does not exist yet. Start the service first.`)
    const { url, secret } = demo.endpoint
    const server = createServer(async (request, response) => {
      const body = await readAll(request)
      const header = String(request.headers[`${config.brand.header_prefix.toLowerCase()}-signature`] ?? '')
      const valid = isSigned(header, body, secret)
      response.writeHead(valid ? 204 : 400).end()
      const event = readEvent(body)
      void print(
        `${json ? JSON.stringify({ signed: valid, event, bytes: body.length }) : describe(valid, event, body)}\n`,
      )
    })
    server.listen(Number(new URL(url).port), new URL(url).hostname)
    await once(server, 'listening').catch(({ code, errno }: NodeJS.ErrnoException) => {
      const why = code === 'EADDRINUSE' ? 'another program listens there' : getSystemErrorMessage(errno!)
      throw new CommandError(`Cannot listen on ${url}, where the demo merchant's webhooks go: ${why}.`)
    })
    const service = await readServiceNote(config)
    const from =
      service === null
        ? 'The service does not run: npm start starts it. '
        : `The service listens on ${service.address}. `
    if (!json) await print(`${from}Waiting for webhooks on ${url}. End with Ctrl-C.\n`)
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM'), outputClosed])
    server.close()
    server.closeAllConnections()
    return null
  },
})

/** Verifies the signature as documented: HMAC-SHA256 over the time, a dot and the exact bytes received. */
function isSigned(header: string, body: Buffer, secret: string): boolean {
  const [, t = '', v1 = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? []
  if (Math.abs(machineMilliseconds() / 1000 - Number(t)) > TOLERANCE) return false
  const expected = createHmac('sha256', secret).update(`${t}.`).update(body).digest()
  const sent = Buffer.from(v1, 'hex')
  return sent.length === expected.length && timingSafeEqual(sent, expected)
}

type Event = { id: string; type: string; data: { id: string; status?: string } }

/** Null when these bytes are not an event. */
function readEvent(body: Buffer): Event | null {
  try {
    const event = JSON.parse(body.toString('utf8')) as Event
    return typeof event?.data?.id === 'string' ? event : null
  } catch {
    return null
  }
}

function describe(valid: boolean, event: Event | null, body: Buffer): string {
  const signed = valid ? 'signed ' : 'NOT SIGNED BY US '
  if (event === null) return `${signed}${body.length} bytes that are no event`
  const { type, data, id } = event
  return `${signed}${type}  ${data.id}${data.status === undefined ? '' : ` is ${data.status}`}  (${id})`
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

export const commands: readonly Command[] = [listen]
