import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'

/** The place that a browser signs in at. A passkey made at one host is of no use at another. */
export type Site = {
  /** Scheme, host and port, as the browser tells them. */
  origin: string
  /** The host, to which passkeys are bound. */
  rp_id: string
  /** The brand, as the browser and authenticator apps show it. */
  name: string
  /** False: browsers make no passkeys here, because the host is an address in numbers or its pages come over plain http. */
  passkeys: boolean
}

/** A passkey as it is kept. */
export type Passkey = {
  credential_id: string
  public_key: Buffer
  sign_count: number
  transports: string[]
}

export type RegistrationOptions = PublicKeyCredentialCreationOptionsJSON
export type AssertionOptions = PublicKeyCredentialRequestOptionsJSON

/** A browser's answer, as its script sends it: JSON that we did not write. */
export type BrowserAnswer = Readonly<Record<string, unknown>>

/** The answer in the field of a form. A text that is no object of JSON is an answer that nothing accepts. */
export function readAnswer(text: string): BrowserAnswer {
  try {
    const answer: unknown = JSON.parse(text)
    return typeof answer === 'object' && answer !== null ? (answer as BrowserAnswer) : {}
  } catch {
    return {}
  }
}

/** The library is large and few requests need it: it is loaded with the first of them. */
const library = () => import('@simplewebauthn/server')
const decoders = () => import('@simplewebauthn/server/helpers')

/** Milliseconds that the browser leaves a person to find their finger or their key. */
const TIMEOUT_MS = 300_000

/** EdDSA, ES256 and RS256: one of them is in every authenticator. The library's own list tries those that Node calls experimental. */
const ALGORITHMS = [-8, -7, -257]

const NAME_MAX = 100

/** Bytes of an answer at most; a real one has less than two thousand. */
const ANSWER_MAX = 16_384

/**
 * @param origin of the pages where people sign in: CONSOLE_URL, STAFF_URL or PUBLIC_URL
 * @param name the brand
 */
export function siteOf(origin: string, name: string): Site {
  const { hostname, protocol, origin: plain } = new URL(origin)
  const local = hostname === 'localhost' || hostname.endsWith('.localhost')
  const inNumbers = /^[\d.]+$|^\[/.test(hostname)
  return { origin: plain, rp_id: hostname, name, passkeys: local || (protocol === 'https:' && !inNumbers) }
}

/** The name of a passkey in its person's list, as they typed it; without one, the host. */
export function passkeyName(label: string, { rp_id }: Site): string {
  return (
    label
      .replace(/\p{Cc}/gu, ' ')
      .trim()
      .slice(0, NAME_MAX) || rp_id
  )
}

/** The question by which a browser makes a passkey. It is to verify the person, and to find the passkey again without a name. */
export async function registrationOptions(
  site: Site,
  person: { person_id: string; email: string; name: string },
  challenge: Buffer,
  known: readonly Pick<Passkey, 'credential_id' | 'transports'>[],
): Promise<RegistrationOptions> {
  const { generateRegistrationOptions } = await library()
  return generateRegistrationOptions({
    rpName: site.name,
    rpID: site.rp_id,
    userName: person.email,
    userDisplayName: person.name,
    userID: new Uint8Array(Buffer.from(person.person_id)),
    challenge: new Uint8Array(challenge),
    timeout: TIMEOUT_MS,
    // The maker of the authenticator is not our business.
    attestationType: 'none',
    excludeCredentials: known.map(({ credential_id: id, transports }) => ({ id, transports })),
    supportedAlgorithmIDs: ALGORITHMS,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
}

/** The passkey that an answer has made for our question; null: it is not one, or not for this challenge and site. */
export async function readRegistration(site: Site, challenge: Buffer, answer: BrowserAnswer): Promise<Passkey | null> {
  try {
    if (!(await isSelfSigned(answer))) return null
    const { verifyRegistrationResponse } = await library()
    const { registrationInfo } = await verifyRegistrationResponse({
      response: answer as unknown as RegistrationResponseJSON,
      expectedChallenge: challenge.toString('base64url'),
      expectedOrigin: site.origin,
      expectedRPID: site.rp_id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    })
    if (registrationInfo === undefined) return null
    const { id, publicKey, counter, transports = [] } = registrationInfo.credential
    const named = transports.filter((transport) => typeof transport === 'string' && /^[a-z-]{1,20}$/.test(transport))
    return { credential_id: id, public_key: Buffer.from(publicKey), sign_count: counter, transports: named.slice(0, 8) }
  } catch {
    // The library says everything that is wrong with an answer by throwing.
    return null
  }
}

/**
 * Whether an answer carries no certificate of its authenticator's maker, as we have asked. To verify one, the library would fetch the
 * maker's list of revoked certificates, from an address that the answer names.
 */
async function isSelfSigned(answer: BrowserAnswer): Promise<boolean> {
  if (JSON.stringify(answer).length > ANSWER_MAX) return false
  const { decodeAttestationObject, isoBase64URL } = await decoders()
  const { attestationObject } = answer.response as { attestationObject: string }
  const decoded = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject))
  const format = decoded.get('fmt')
  return format === 'none' || (format === 'packed' && decoded.get('attStmt').get('x5c') === undefined)
}

/**
 * The question that a passkey answers by signing it.
 * @param known the passkeys that may answer; empty: any of this site
 */
export async function assertionOptions(
  site: Site,
  challenge: Buffer,
  known: readonly Pick<Passkey, 'credential_id' | 'transports'>[] = [],
): Promise<AssertionOptions> {
  const { generateAuthenticationOptions } = await library()
  return generateAuthenticationOptions({
    rpID: site.rp_id,
    challenge: new Uint8Array(challenge),
    timeout: TIMEOUT_MS,
    userVerification: 'required',
    allowCredentials: known.map(({ credential_id: id, transports }) => ({ id, transports })),
  })
}

/** The part of an answer by which anybody checks its signature, in base 64. */
export type SignedBytes = { clientDataJSON: string; authenticatorData: string; signature: string }

/** The passkey that an answer names, before anything about it is believed; null: it names none. */
export function credentialIn(answer: BrowserAnswer): string | null {
  const { id } = answer
  return typeof id === 'string' && /^[\w-]{16,1400}$/.test(id) && JSON.stringify(answer).length <= ANSWER_MAX
    ? id
    : null
}

/**
 * Whether this passkey has signed this challenge for this site, after it verified the person; and how often it has signed. Null: it has
 * not, or its count went back, as that of a copy would.
 */
export async function readAssertion(
  site: Site,
  challenge: Buffer,
  answer: BrowserAnswer,
  { credential_id, public_key, sign_count }: Passkey,
): Promise<{ sign_count: number; signed: SignedBytes } | null> {
  try {
    const { verifyAuthenticationResponse } = await library()
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: answer as unknown as AuthenticationResponseJSON,
      expectedChallenge: challenge.toString('base64url'),
      expectedOrigin: site.origin,
      expectedRPID: site.rp_id,
      credential: { id: credential_id, publicKey: new Uint8Array(public_key), counter: sign_count },
      requireUserVerification: true,
    })
    if (!verified) return null
    const { clientDataJSON, authenticatorData, signature } = answer.response as SignedBytes
    const signed = { clientDataJSON, authenticatorData, signature }
    return { sign_count: authenticationInfo.newCounter, signed }
  } catch {
    // As above.
    return null
  }
}
