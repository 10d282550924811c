import { createHash, type KeyObject, sign, timingSafeEqual, verify } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'

// HTTP message signatures (RFC 9421) over a digest of the body (RFC 9530), as far as operators use them: ECDSA over P-256 with SHA-256.

/** The encoding of a signature. `raw`: r and s of 32 bytes each, as in the RFC. `der`: the default of OpenSSL. */
export type SignatureForm = 'raw' | 'der'

/** The parts of a request that a signature can cover, with the address that the sender used. */
export type SignedRequest = {
  method: string
  /** The host in small letters, with the port if it is not the default one. */
  authority: string
  /** Without the query. */
  path: string
  headers: IncomingHttpHeaders
}

/** A signature of a request. Times in seconds since 1970. */
export type CarriedSignature = {
  components: readonly string[]
  /** The components and parameters as the sender wrote them, because the signature covers this text. */
  params: string
  keyid: string | null
  alg: string | null
  created: number | null
  expires: number | null
  signature: Buffer
}

const HEADER_MAX = 4_096
const NAME = '[a-z*][a-z0-9_.*-]*'
/** A parameter, with a text, a number or a token behind it. */
const PARAMETER = `;(${NAME})=(?:"([^"\\\\]*)"|(-?\\d{1,15})|([A-Za-z*][A-Za-z0-9_:/.*-]*))`
const INPUT = new RegExp(`\\s*(${NAME})=(\\(([^()]*)\\)((?:${PARAMETER})*))\\s*(?:,|$)`, 'y')
const BYTES = new RegExp(`\\s*(${NAME})=:([A-Za-z0-9+/]*={0,2}):\\s*(?:,|$)`, 'y')

/** The signature with this label. Null when there is none, or when we cannot read its form. */
export function signatureIn(headers: IncomingHttpHeaders, label: string): CarriedSignature | null {
  const input = membersOf(headers['signature-input'], INPUT)?.find(([, name]) => name === label)
  const value = membersOf(headers.signature, BYTES)?.find(([, name]) => name === label)
  if (input === undefined || value === undefined) return null
  const components = componentsOf(input[3] ?? '')
  if (components === null) return null
  const params = new Map<string, string>()
  for (const [, name, text, number, token] of (input[4] ?? '').matchAll(new RegExp(PARAMETER, 'g')))
    params.set(name!, text ?? number ?? token ?? '')
  const numberOf = (name: string) => (/^\d+$/.test(params.get(name) ?? '') ? Number(params.get(name)) : null)
  return {
    components,
    params: input[2]!,
    keyid: params.get('keyid') ?? null,
    alg: params.get('alg') ?? null,
    created: numberOf('created'),
    expires: numberOf('expires'),
    signature: Buffer.from(value[2]!, 'base64'),
  }
}

/** The members of a dictionary header. Null when a part is not a member, or when the header is too long. */
function membersOf(header: string | string[] | undefined, member: RegExp): RegExpExecArray[] | null {
  if (typeof header !== 'string' || header.length > HEADER_MAX) return null
  const members: RegExpExecArray[] = []
  member.lastIndex = 0
  while (member.lastIndex < header.length) {
    const found = member.exec(header)
    if (found === null) return null
    members.push(found)
  }
  return members
}

/** Reads component names such as `"@method" "content-digest"`, each once. We do not support components with parameters. */
function componentsOf(text: string): string[] | null {
  if (!/^ *(?:"[@a-z0-9_-]+"(?: +|$))*$/.test(text)) return null
  const names = [...text.matchAll(/"([^"]+)"/g)].map(([, name]) => name!)
  return new Set(names).size === names.length ? names : null
}

/** The text that the signature covers. Null when the request lacks a component, or when we do not support it. */
export function signatureBase(
  request: SignedRequest,
  { components, params }: Pick<CarriedSignature, 'components' | 'params'>,
): string | null {
  const derived: Record<string, string> = {
    '@method': request.method,
    '@authority': request.authority,
    '@path': request.path,
  }
  const lines: string[] = []
  for (const name of components) {
    const value = name.startsWith('@') ? derived[name] : request.headers[name]
    if (typeof value !== 'string') return null
    lines.push(`"${name}": ${value.trim()}`)
  }
  return [...lines, `"@signature-params": ${params}`].join('\n')
}

const verifyOnThread = promisify(verify)

/**
 * Whether a signature over a text was made with this key. Accepts both encodings; 64 bytes are raw. A check takes 0.1 ms
 * on another thread, so that callbacks, also forged ones, do not delay other requests.
 */
export async function isSignedBy(key: KeyObject, base: string, signature: Buffer): Promise<boolean> {
  const dsaEncoding = signature.length === 64 ? 'ieee-p1363' : 'der'
  return verifyOnThread('sha256', Buffer.from(base), { key, dsaEncoding }, signature)
}

/** Whether a `Content-Digest` is that of these bytes: it has a digest that we know, and all those that we know match. */
export function digestIsOf(header: string | string[] | undefined, body: Buffer): boolean {
  const members = membersOf(header, BYTES) ?? []
  const known = members.filter(([, name]) => name === 'sha-256' || name === 'sha-512')
  return (
    known.length > 0 &&
    known.every(([, name, value]) => {
      const expected = createHash(name!.replace('-', '')).update(body).digest()
      const given = Buffer.from(value!, 'base64')
      return given.length === expected.length && timingSafeEqual(given, expected)
    })
  )
}

/** The key and the encoding with which we sign. */
export type Signer = { label: string; keyid: string; key: KeyObject; form: SignatureForm }

/** Seconds for which our signatures are valid. */
const GOOD_FOR = 60

/** The headers that sign a request with a JSON body. They are added to its own, and cover the whole request. */
export function signatureHeaders(
  { label, keyid, key, form }: Signer,
  request: Omit<SignedRequest, 'headers'>,
  body: Buffer,
  now: Date,
): Record<string, string> {
  const headers = {
    'content-type': 'application/json',
    'content-length': String(body.length),
    'content-digest': `sha-512=:${createHash('sha512').update(body).digest('base64')}:`,
    'signature-date': now.toISOString(),
  }
  const components = [
    '@method',
    '@authority',
    '@path',
    'signature-date',
    'content-digest',
    'content-type',
    'content-length',
  ]
  const created = Math.floor(now.getTime() / 1_000)
  const names = components.map((name) => `"${name}"`).join(' ')
  const params = `(${names});alg="ecdsa-p256-sha256";keyid="${keyid}";created=${created};expires=${created + GOOD_FOR}`
  const base = signatureBase({ ...request, headers }, { components, params })!
  const dsaEncoding = form === 'raw' ? 'ieee-p1363' : 'der'
  const signature = sign('sha256', Buffer.from(base), { key, dsaEncoding }).toString('base64')
  return { ...headers, 'signature-input': `${label}=${params}`, signature: `${label}=:${signature}:` }
}
