import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { parseStrictJson } from '../../platform/http/strict-json.ts'
import { keptWords } from '../operator-api/answer-evidence.ts'
import { objectIn } from '../operator-api/answer-words.ts'
import type { CallbackReading } from '../port.ts'
import { waveMac } from './client.ts'
import { separatorOf, type WaveSettings } from './settings.ts'
import { sessionWords } from './translate.ts'

/** Seconds that the time of a signature may differ from ours. */
const TOLERANCE = 300
/** Most signatures in one header. There are two while a secret is being replaced. */
const SIGNATURES_MAX = 5
const DEPTH_MAX = 32
const TEST_EVENT = 'test.test_event'

/**
 * Reads Wave's webhooks: first the signature over the raw bytes or the shared secret, then the reference. Wave sends
 * webhooks only for sessions. A genuine event about anything else has its own id, which is not our reference, and people
 * are alerted to it.
 */
export function createReadCallback(settings: WaveSettings, now: () => Date) {
  const separator = separatorOf(settings)

  function isGenuine(raw: Buffer, headers: IncomingHttpHeaders): boolean {
    if (settings.webhook_mode === 'shared_secret') {
      return isEqual(headers.authorization ?? '', `Bearer ${settings.webhook_secret}`)
    }
    const [time = '', ...signatures] = String(headers['wave-signature'] ?? '').split(',')
    const digits = /^t=(\d{1,12})$/.exec(time)?.[1]
    if (digits === undefined || signatures.length > SIGNATURES_MAX) return false
    if (Math.abs(now().getTime() / 1_000 - Number(digits)) > TOLERANCE) return false
    const expected = `v1=${waveMac(settings.webhook_secret, digits, separator, raw)}`
    return signatures.some((one) => isEqual(one, expected))
  }

  /** For an aggregator's wallet, Wave sends the events of all its merchants to each address. */
  const isOfAnother = (merchant: unknown): boolean =>
    settings.aggregated_merchant_id !== undefined &&
    typeof merchant === 'string' &&
    merchant !== settings.aggregated_merchant_id

  return (raw: Buffer, headers: IncomingHttpHeaders): CallbackReading => {
    if (!isGenuine(raw, headers)) return { kind: 'forged' }
    const parsed = parseStrictJson(raw, 'everywhere', DEPTH_MAX)
    const event = parsed.kind === 'parsed' ? objectIn(parsed.value) : null
    if (event === null) return { kind: 'forged' }
    // The portal sends it to try the address. It is about nothing, and may lack an id.
    if (event.type === TEST_EVENT) return { kind: 'elsewhere' }
    const data = objectIn(event.data) ?? {}
    if (isOfAnother(data.aggregated_merchant_id)) return { kind: 'elsewhere' }
    const reference = referenceIn(data.client_reference) ?? strangeReferenceIn(event.id)
    if (reference === null) return { kind: 'forged' }
    const words = { event: event.id, type: event.type, ...sessionWords(data) }
    return { kind: 'about', reference, evidence: { signed: true, ...keptWords(words) } }
  }
}

function isEqual(said: string, expected: string): boolean {
  const [a, b] = [Buffer.from(said), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function referenceIn(value: unknown): string | null {
  const text = typeof value === 'string' ? value.toLowerCase() : ''
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text) ? text : null
}

function strangeReferenceIn(value: unknown): string | null {
  return typeof value === 'string' && /^[A-Za-z0-9_-]{8,100}$/.test(value) ? value : null
}
