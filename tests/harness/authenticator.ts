import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

// A software authenticator for tests of passkeys: a P-256 key, and the parts of CBOR that an answer needs.

type Question = { challenge: string; rpId?: string; rp?: { id?: string } }

export type Authenticator = {
  credential_id: string
  /** Answers a registration, at the origin of a page. */
  register(question: Question, origin: string, options?: AnswerOptions): Record<string, unknown>
  /** Signs a challenge, at the origin of a page. */
  assert(question: Question, origin: string, options?: AnswerOptions): Record<string, unknown>
}

export type AnswerOptions = {
  /** Whether the person gave a fingerprint or a PIN. */
  verified?: boolean
  /** The host that the authenticator receives. Absent: that of the origin, as from a browser. */
  rp_id?: string
  /** The counter of signatures in its answer. Absent: it grows by one each time. */
  sign_count?: number
  /** Whether the passkey says that it is synchronised to other devices. */
  backed_up?: boolean
}

const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const BACKUP_ELIGIBLE_AND_DONE = 0x18
const HAS_CREDENTIAL = 0x40

/** Creates a passkey without an owner. */
export function createAuthenticator(): Authenticator {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x, y } = publicKey.export({ format: 'jwk' })
  const id = randomBytes(32)
  const credential_id = id.toString('base64url')
  let signed = 0

  function authenticatorData(origin: string, options: AnswerOptions, flags: number, rest: Buffer): Buffer {
    signed += 1
    const { verified = true, rp_id = new URL(origin).hostname, sign_count = signed, backed_up = false } = options
    const count = Buffer.alloc(4)
    count.writeUInt32BE(sign_count)
    const flag = USER_PRESENT | (verified ? USER_VERIFIED : 0) | (backed_up ? BACKUP_ELIGIBLE_AND_DONE : 0) | flags
    return Buffer.concat([sha256(Buffer.from(rp_id)), Buffer.of(flag), count, rest])
  }

  return {
    credential_id,
    register({ challenge }, origin, options = {}) {
      const clientData = clientDataOf('webauthn.create', challenge, origin)
      // COSE: an elliptic key (2) for ES256 (-7) on P-256 (1).
      const key = cborMap([
        [cborInteger(1), cborInteger(2)],
        [cborInteger(3), cborInteger(-7)],
        [cborInteger(-1), cborInteger(1)],
        [cborInteger(-2), cborBytes(Buffer.from(x!, 'base64url'))],
        [cborInteger(-3), cborBytes(Buffer.from(y!, 'base64url'))],
      ])
      const length = Buffer.alloc(2)
      length.writeUInt16BE(id.length)
      const credential = Buffer.concat([Buffer.alloc(16), length, id, key])
      const attestation = cborMap([
        [cborText('fmt'), cborText('none')],
        [cborText('attStmt'), cborMap([])],
        [cborText('authData'), cborBytes(authenticatorData(origin, options, HAS_CREDENTIAL, credential))],
      ])
      return answerOf(credential_id, {
        clientDataJSON: clientData.toString('base64url'),
        attestationObject: attestation.toString('base64url'),
        transports: ['internal'],
      })
    },
    assert({ challenge }, origin, options = {}) {
      const clientData = clientDataOf('webauthn.get', challenge, origin)
      const data = authenticatorData(origin, options, 0, Buffer.alloc(0))
      const signature = sign('sha256', Buffer.concat([data, sha256(clientData)]), privateKey)
      return answerOf(credential_id, {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: signature.toString('base64url'),
      })
    },
  }
}

function answerOf(id: string, response: Record<string, unknown>): Record<string, unknown> {
  return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response }
}

function clientDataOf(type: string, challenge: string, origin: string): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest()
}

// CBOR (RFC 8949): a head of type and length, then the content.

function head(type: number, value: number): Buffer {
  if (value < 24) return Buffer.of((type << 5) | value)
  if (value < 256) return Buffer.of((type << 5) | 24, value)
  return Buffer.of((type << 5) | 25, value >> 8, value & 0xff)
}

function cborInteger(value: number): Buffer {
  return value >= 0 ? head(0, value) : head(1, -1 - value)
}

function cborBytes(bytes: Buffer): Buffer {
  return Buffer.concat([head(2, bytes.length), bytes])
}

function cborText(text: string): Buffer {
  return Buffer.concat([head(3, Buffer.byteLength(text)), Buffer.from(text)])
}

function cborMap(pairs: readonly (readonly [Buffer, Buffer])[]): Buffer {
  return Buffer.concat([head(5, pairs.length), ...pairs.flat()])
}
