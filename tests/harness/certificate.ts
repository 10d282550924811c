import { generateKeyPairSync, type KeyObject, sign, X509Certificate } from 'node:crypto'
import { isIPv4 } from 'node:net'

export type TestCertificate = { key: string; cert: string }

/** A certificate that signs others. */
export type TestAuthority = TestCertificate & { name: string; privateKey: KeyObject }

/**
 * Makes a certificate, anew for each test, so that the repository contains no private key.
 * @param names the names and IPv4 addresses of the certificate
 * @param days its validity from `days[0]` to `days[1]`, counted from today
 * @param issuer the authority that signs it. Absent: itself, so that only a client with `cert` as an authority trusts it
 */
export function createCertificate(
  names: readonly string[],
  days: readonly [number, number] = [-1, 1],
  issuer: TestAuthority | null = null,
): TestCertificate {
  const { key, cert } = issue({ name: issuer === null ? 'test' : names[0]!, names, days, issuer, isAuthority: false })
  return { key, cert }
}

/** Makes an authority. @param issuer the authority above it. Absent: none, so that it is a root */
export function createAuthority(name: string, issuer: TestAuthority | null = null): TestAuthority {
  return issue({ name, names: [], days: [-1, 1], issuer, isAuthority: true })
}

type Wanted = {
  name: string
  names: readonly string[]
  days: readonly [number, number]
  issuer: TestAuthority | null
  isAuthority: boolean
}

function issue(wanted: Wanted): TestAuthority {
  const { name, issuer } = wanted
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const signed = certificateBody(wanted, publicKey)
  const signature = sign('sha256', signed, { key: issuer?.privateKey ?? privateKey, dsaEncoding: 'der' })
  const der = sequence(signed, ECDSA_SHA256, bitString(signature))
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  return { name, key, privateKey, cert: new X509Certificate(der).toString() }
}

// The parts of ASN.1 (X.690) that one certificate needs (RFC 5280).

function element(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.of(tag, ...size), content])
}
const sequence = (...parts: Buffer[]) => element(0x30, Buffer.concat(parts))
const set = (...parts: Buffer[]) => element(0x31, Buffer.concat(parts))
const objectId = (...bytes: number[]) => element(0x06, Buffer.of(...bytes))
const bitString = (content: Buffer) => element(0x03, Buffer.concat([Buffer.of(0), content]))
const octetString = (content: Buffer) => element(0x04, content)
const integer = (value: number) => element(0x02, Buffer.of(value))

const ECDSA_SHA256 = sequence(objectId(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02))
const COMMON_NAME = objectId(0x55, 0x04, 0x03)
const SUBJECT_ALTERNATIVE_NAME = objectId(0x55, 0x1d, 0x11)
const BASIC_CONSTRAINTS = objectId(0x55, 0x1d, 0x13)
const TRUE = element(0x01, Buffer.of(0xff))
const CRITICAL = TRUE

let serial = 0

function certificateBody({ name, names, days, issuer, isAuthority }: Wanted, publicKey: KeyObject): Buffer {
  serial = (serial + 1) % 128
  const extensions = isAuthority
    ? sequence(BASIC_CONSTRAINTS, CRITICAL, octetString(sequence(TRUE)))
    : sequence(SUBJECT_ALTERNATIVE_NAME, octetString(sequence(...names.map(alternativeName))))
  return sequence(
    element(0xa0, integer(2)),
    integer(serial),
    ECDSA_SHA256,
    distinguishedName(issuer?.name ?? name),
    sequence(timeInDays(days[0]), timeInDays(days[1])),
    distinguishedName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    element(0xa3, sequence(extensions)),
  )
}

function distinguishedName(name: string): Buffer {
  return sequence(set(sequence(COMMON_NAME, element(0x0c, Buffer.from(name)))))
}

function alternativeName(name: string): Buffer {
  return isIPv4(name) ? element(0x87, Buffer.from(name.split('.').map(Number))) : element(0x82, Buffer.from(name))
}

function timeInDays(days: number): Buffer {
  const at = Temporal.Now.instant().add({ hours: days * 24 })
  const digits = at.toString({ smallestUnit: 'second' }).replace(/[-:T]/g, '').slice(2)
  return element(0x17, Buffer.from(digits))
}
