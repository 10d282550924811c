import { createPublicKey, type KeyObject } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { parseStrictJson } from '../../platform/http/strict-json.ts'
import { keptWords } from '../operator-api/answer-evidence.ts'
import { objectIn } from '../operator-api/answer-words.ts'
import { digestIsOf, isSignedBy, signatureBase, signatureIn } from '../operator-api/http-signatures.ts'
import type { OperatorReply } from '../operator-api/operator-http.ts'
import type { CallbackReading } from '../port.ts'
import { idIn, wordsOf } from './translate.ts'

/** The components without which a signature proves too little. */
const REQUIRED = ['@method', '@authority', '@path', 'content-digest']

/** Seconds that pawaPay's clock and ours may differ. */
const TOLERANCE = 10
/** Seconds for which a signature without an expiry is valid. */
const GOOD_FOR = 300
/** Milliseconds after which we fetch pawaPay's keys again, and between two fetches for unknown keys. */
const KEYS_AGE_MS = 3_600_000
const KEYS_PAUSE_MS = 10_000
const DEPTH_MAX = 32

export type ReadCallback = (raw: Buffer, headers: IncomingHttpHeaders) => Promise<CallbackReading>

type Options = {
  /** Where pawaPay calls us, as it sees the address: the host and path that the service sees behind a proxy may be others. */
  callback_url: string
  /** Whether a callback without a signature is forged. One with a wrong signature always is. */
  required: boolean
  fetchKeys(): Promise<OperatorReply>
  now(): Date
}

/**
 * Reads pawaPay's callbacks: first the signature over the raw bytes (RFC 9421, ECDSA over P-256), then the reference. A
 * callback that we cannot check counts as forged. pawaPay repeats it for 15 minutes.
 */
export function createReadCallback({ callback_url, required, fetchKeys, now }: Options): ReadCallback {
  const { host: authority, pathname: path } = new URL(callback_url)
  const keyOf = createKeyRing(fetchKeys, now)

  async function isGenuine(raw: Buffer, headers: IncomingHttpHeaders): Promise<boolean> {
    const carried = signatureIn(headers, 'sig-pp')
    if (carried === null || !REQUIRED.every((name) => carried.components.includes(name))) return false
    if (carried.alg !== null && carried.alg !== 'ecdsa-p256-sha256') return false
    if (!isTimely(carried, now().getTime() / 1_000) || !digestIsOf(headers['content-digest'], raw)) return false
    const base = signatureBase({ method: 'POST', authority, path, headers }, carried)
    const key = base === null || carried.keyid === null ? null : await keyOf(carried.keyid)
    return key !== null && (await isSignedBy(key, base!, carried.signature))
  }

  return async (raw, headers) => {
    const carries = headers.signature !== undefined || headers['signature-input'] !== undefined
    if (!carries && required) return { kind: 'forged' }
    if (carries && !(await isGenuine(raw, headers))) return { kind: 'forged' }
    const parsed = parseStrictJson(raw, 'everywhere', DEPTH_MAX)
    const body = parsed.kind === 'parsed' ? objectIn(parsed.value) : null
    const reference = body === null ? null : idIn(body)
    if (body === null || reference === null || !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(reference)) {
      return { kind: 'forged' }
    }
    return { kind: 'about', reference, evidence: { signed: carries, ...keptWords(wordsOf(body)) } }
  }
}

/** @param now seconds since 1970 */
function isTimely({ created, expires }: { created: number | null; expires: number | null }, now: number): boolean {
  if (created === null || created > now + TOLERANCE) return false
  return now <= (expires ?? created + GOOD_FOR) + TOLERANCE
}

/**
 * pawaPay's keys by id. We fetch them at the first callback, when they are an hour old, and for an unknown id, at most
 * every ten seconds because forged callbacks can cause it. If the fetch fails, the known keys stay valid.
 */
function createKeyRing(fetchKeys: () => Promise<OperatorReply>, now: () => Date) {
  let keys: ReadonlyMap<string, KeyObject> = new Map()
  let fetched_at = Number.NEGATIVE_INFINITY
  let tried_at = Number.NEGATIVE_INFINITY
  let underWay: Promise<void> | null = null

  async function refresh(): Promise<void> {
    const found = keysIn(await fetchKeys())
    if (found === null) return
    keys = found
    fetched_at = now().getTime()
  }

  return async (keyid: string): Promise<KeyObject | null> => {
    const time = now().getTime()
    const wanted = !keys.has(keyid) || time - fetched_at > KEYS_AGE_MS
    if (wanted && underWay === null && time - tried_at >= KEYS_PAUSE_MS) {
      tried_at = time
      underWay = refresh().finally(() => {
        underWay = null
      })
    }
    if (wanted && underWay !== null) await underWay
    return keys.get(keyid) ?? null
  }
}

/** Reads `[{"id": …, "key": PEM}]`. Null for any other answer. Leaves out keys of other kinds. */
function keysIn(reply: OperatorReply): ReadonlyMap<string, KeyObject> | null {
  if (reply.kind !== 'answered' || reply.status !== 200 || !Array.isArray(reply.json)) return null
  const keys = new Map<string, KeyObject>()
  for (const entry of reply.json.slice(0, 100)) {
    const { id, key } = objectIn(entry) ?? {}
    const read = typeof id === 'string' && typeof key === 'string' ? publicKey(key) : null
    if (read !== null) keys.set(String(id), read)
  }
  return keys
}

function publicKey(pem: string): KeyObject | null {
  try {
    const key = createPublicKey(pem)
    return key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : null
  } catch {
    return null
  }
}
