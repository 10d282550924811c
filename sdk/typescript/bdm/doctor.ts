import type { WebhookEvent } from '../src/events.ts'
import { sign } from '../src/webhooks.ts'
import type { Connection } from './connect.ts'
import { forward, isTaken, type Receiver, receiverAt, remedyOf } from './forward.ts'
import { put } from './print.ts'
import type { Profile } from './profile.ts'
import { Sentence, sentenceOf } from './sentence.ts'

/** Seconds that a clock may be off: receivers refuse signatures that are 300 seconds off. */
const CLOCK_MAX_S = 60

/** A check: null when all is well, else the remedy. */
type Check = { name: string; remedy: string | null }

/** Checks what an integration stands on, and says a remedy for each fault. @throws Sentence when there is one, so that scripts notice */
export async function doctor(
  profile: Profile,
  { client, seen, mode }: Connection,
  options: { live?: boolean | undefined; 'forward-to'?: string | undefined },
): Promise<void> {
  const checks: Check[] = []
  const note = (name: string, remedy: string | null) => {
    checks.push({ name, remedy })
    put(`${remedy === null ? 'ok ' : 'NO '} ${name}${remedy === null ? '' : `: ${remedy}`}`)
  }
  const failure = await readOne(client)
  note(`key and address, ${profile.url}`, failure)
  if (seen.clock_ahead !== null) note('clock', clockRemedy(seen.clock_ahead))
  const wanted = options.live ? 'live' : 'test'
  note(
    `mode, ${mode}`,
    mode === wanted ? null : `this key is ${mode}, and ${wanted} was asked for: log in with a ${wanted} key`,
  )
  if (options.live && !profile.url.startsWith('https://')) note('encryption', 'live mode needs an https:// address')
  if (options['forward-to'] !== undefined) {
    const receiver = { url: receiverAt(options['forward-to']), secret: profile.secret, prefix: seen.prefix }
    for (const { name, remedy } of await checkReceiver(receiver, mode === 'live')) note(name, remedy)
  }
  const faults = checks.filter(({ remedy }) => remedy !== null).length
  if (faults > 0) throw new Sentence(`${faults} of ${checks.length} checks failed.`)
}

async function readOne(client: Connection['client']): Promise<string | null> {
  try {
    for await (const _ of client.events.list({ limit: '1' })) break
    return null
  } catch (error) {
    return sentenceOf(error) ?? String(error)
  }
}

function clockRemedy(ahead: number): string | null {
  if (Math.abs(ahead) <= CLOCK_MAX_S) return null
  const side = ahead > 0 ? 'ahead of' : 'behind'
  return `this machine is ${Math.abs(ahead)} s ${side} the service: set its clock (timedatectl set-ntp true), or every signature is refused`
}

/** Sends a right and a wrong signature to a receiver: it must take the one and refuse the other. */
async function checkReceiver(receiver: Receiver, livemode: boolean): Promise<Check[]> {
  const event = {
    ...{ id: 'evt_00000000000000000000000000', object: 'event', type: 'endpoint.test', livemode, data: {} },
    created_at: new Date().toISOString(),
  } as unknown as WebhookEvent
  const right = await forward(receiver, event)
  const taken = { name: 'receiver takes a signed event', remedy: isTaken(right) ? null : remedyOf(right, receiver.url) }
  if (right.status === null) return [taken]
  const wrong = await forward(receiver, event, { signature: await sign(JSON.stringify(event), 'whsec_of_nobody') })
  const remedy = isTaken(wrong) ? 'it took a wrong signature: verify each webhook before you act on it' : null
  return [taken, { name: 'receiver refuses a wrong signature', remedy }]
}
