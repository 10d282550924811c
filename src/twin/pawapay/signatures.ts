import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import type { Callback } from '../state.ts'
import type { TwinRequest } from '../wire.ts'

/** A key of ours with which callbacks are signed; PEM. */
export type SigningKey = { id: string; private_key: string; public_key: string }

/** An ECDSA key on P-256. `number` counts the account's keys from 1. */
export function createSigningKey(number: number): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    id: `HTTP_EC_P256_KEY:${number}`,
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    public_key: publicKey.export({ type: 'spki', format: 'pem' }) as string,
  }
}

/** Keys that were read from their PEM, which takes as long as a signature. */
const readKeys = new WeakMap<SigningKey, KeyObject>()

function privateKeyOf(key: SigningKey): KeyObject {
  const read = readKeys.get(key) ?? createPrivateKey(key.private_key)
  readKeys.set(key, read)
  return read
}

/** The mistakes of a signed callback, by the name of the fault. */
export const signatureFaults = {
  callback_wrong_digest: 'signs the digest of other bytes',
  callback_wrong_signature: 'signs with a key that is not the one it names',
  callback_expired: 'signs ten minutes ago, for one minute',
  callback_unknown_key: 'names a key that nobody published',
  callback_unsigned: 'does not sign',
  callback_other_encoding: 'writes the signature in the other encoding: DER for raw, raw for DER',
}

const components = ['@method', '@authority', '@path', 'signature-date', 'content-digest', 'content-type']

/** The headers of RFC 9421 for one attempt at a callback; none when it goes out unsigned. */
export function signCallback(
  { url, body, faults }: Callback,
  key: SigningKey,
  { encoding, now }: { encoding: 'raw' | 'der'; now: number },
): Record<string, string> {
  if (faults.includes('callback_unsigned')) return {}
  const at = faults.includes('callback_expired') ? now - 600_000 : now
  const digested = faults.includes('callback_wrong_digest') ? `${body} ` : body
  const named = faults.includes('callback_unknown_key') ? 'HTTP_EC_P256_KEY:999' : key.id
  const signer = faults.includes('callback_wrong_signature') ? createSigningKey(0) : key
  const other = faults.includes('callback_other_encoding')
  const raw = (encoding === 'raw') !== other
  const { host, pathname } = new URL(url)
  const created = Math.floor(at / 1000)
  const values: Record<string, string> = {
    '@method': 'POST',
    '@authority': host.toLowerCase(),
    '@path': pathname,
    'signature-date': new Date(at).toISOString(),
    'content-digest': `sha-512=:${createHash('sha512').update(digested).digest('base64')}:`,
    'content-type': 'application/json',
  }
  const params = `(${components.map((name) => `"${name}"`).join(' ')});alg="ecdsa-p256-sha256";keyid="${named}";created=${created};expires=${created + 60}`
  const base = baseOf(components, params, (name) => values[name]!)
  const signature = sign('sha256', Buffer.from(base), {
    key: privateKeyOf(signer),
    dsaEncoding: raw ? 'ieee-p1363' : 'der',
  })
  return {
    'Content-Digest': values['content-digest']!,
    'Signature-Date': values['signature-date']!,
    'Signature-Input': `sig-pp=${params}`,
    Signature: `sig-pp=:${signature.toString('base64')}:`,
  }
}

function baseOf(names: readonly string[], params: string, read: (name: string) => string): string {
  return [...names.map((name) => `"${name}": ${read(name)}`), `"@signature-params": ${params}`].join('\n')
}

/** Components without which a signature says too little. */
const needed = ['@method', '@authority', '@path', 'content-digest']

/** Seconds by which clocks may differ. */
const TOLERANCE = 5

/**
 * Why the signature of a request is not good; null when it is.
 * @param keys PEM by key id
 * @param now milliseconds of the clock that `created` and `expires` are held against
 */
export function signatureRefusal(request: TwinRequest, keys: Record<string, string>, now: number): string | null {
  const header = (name: string): string => String(request.headers[name] ?? '')
  const [, label = '', params = ''] = /^([\w-]+)=(\(.*)$/.exec(header('signature-input')) ?? []
  if (label === '') return 'Signature-Input is missing or unreadable.'
  const signature = new RegExp(`(?:^|,\\s*)${label}=:([A-Za-z0-9+/=]+):`).exec(header('signature'))?.[1]
  if (signature === undefined) return 'Signature is missing or unreadable.'
  const names = [...(/^\(([^)]*)\)/.exec(params)?.[1] ?? '').matchAll(/"([^"]+)"/g)].map(([, name]) => name!)
  const missing = needed.find((name) => !names.includes(name))
  if (missing !== undefined) return `The signature does not cover ${missing}.`
  const [, algorithm = '', digest = ''] = /^(sha-256|sha-512)=:([^:]+):$/.exec(header('content-digest')) ?? []
  const expected = createHash(algorithm === 'sha-256' ? 'sha256' : 'sha512')
    .update(request.body)
    .digest('base64')
  if (algorithm === '' || digest !== expected) return 'Content-Digest is not that of the body.'
  const [created, expires] = ['created', 'expires'].map((name) =>
    Number(new RegExp(`;${name}=(\\d+)`).exec(params)?.[1]),
  )
  if (Number.isNaN(created! + expires!)) return 'The signature lacks created or expires.'
  if (created! > now / 1000 + TOLERANCE) return 'The signature was created in the future.'
  if (expires! < now / 1000 - TOLERANCE) return 'The signature has expired.'
  const key = keys[/;keyid="([^"]*)"/.exec(params)?.[1] ?? '']
  if (key === undefined) return 'No key of this keyid was given to the account.'
  const derived: Record<string, string> = {
    '@method': request.method,
    '@authority': header('host').toLowerCase(),
    '@path': request.whole_path,
  }
  const base = baseOf(names, params, (name) => derived[name] ?? header(name))
  const bytes = Buffer.from(signature, 'base64')
  const dsaEncoding = bytes.length === 64 ? 'ieee-p1363' : 'der'
  try {
    const good = verify('sha256', Buffer.from(base), { key: createPublicKey(key), dsaEncoding }, bytes)
    return good ? null : 'The signature is not that of the key.'
  } catch {
    return 'The key that the account was given is not PEM.'
  }
}
