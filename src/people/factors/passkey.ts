import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'

/** A site where people sign in. A passkey of one host does not work at another. */
export type Site = {
  /** Scheme, host and port, as the browser states them. */
  origin: string
  /** The host, to which passkeys are bound. */
  rp_id: string
  /** The brand, as the browser and authenticator apps show it. */
  name: string
  /** False when browsers make no passkeys here: the host is an IP address, or its pages come over plain http. */
  passkeys: boolean
}

/** A stored passkey. */
export type Passkey = {
  credential_id: string
  public_key: Buffer
  sign_count: number
  transports: string[]
}

export type RegistrationOptions = PublicKeyCredentialCreationOptionsJSON
export type AssertionOptions = PublicKeyCredentialRequestOptionsJSON

/** A browser's answer, as its script sends it: untrusted JSON. */
export type BrowserAnswer = Readonly<Record<string, unknown>>

/** Reads the answer from a form field. A text that is not a JSON object becomes an answer that every check refuses. */
export function readAnswer(text: string): BrowserAnswer {
  try {
    const answer: unknown = JSON.parse(text)
    return typeof answer === 'object' && answer !== null ? (answer as BrowserAnswer) : {}
  } catch {
    return {}
  }
}

/** Loads the library with the first request that needs it, because it is large. */
const library = () => import('@simplewebauthn/server')
const decoders = () => import('@simplewebauthn/server/helpers')

/** Milliseconds that the browser gives a person to answer. */
const TIMEOUT_MS = 300_000

/** EdDSA, ES256 and RS256: every authenticator has one of them. The library's default list has some that are experimental in Node. */
const ALGORITHMS = [-8, -7, -257]

const NAME_MAX = 100

/** The most bytes of an answer. A real one has fewer than two thousand. */
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

/** The name of a passkey in its person's list: as typed, or else the host. */
export function passkeyName(label: string, { rp_id }: Site): string {
  return (
    label
      .replace(/\p{Cc}/gu, ' ')
      .trim()
      .slice(0, NAME_MAX) || rp_id
  )
}

/** The options with which a browser makes a passkey: it verifies the person, and finds the passkey again without a user name. */
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
    // We do not ask for the maker of the authenticator.
    attestationType: 'none',
    excludeCredentials: known.map(({ credential_id: id, transports }) => ({ id, transports })),
    supportedAlgorithmIDs: ALGORITHMS,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
}

/** Verifies the answer that made a passkey, and returns the passkey. Null when it is invalid, or of another challenge or site. */
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
    // The library throws for every fault of an answer.
    return null
  }
}

/**
 * Whether an answer has no attestation certificate, as requested. To verify one, the library would fetch the maker's revocation list from
 * a URL in the answer.
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
 * The options with which a passkey signs a challenge.
 * @param known the passkeys that can answer; empty: any of this site
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

/** The library compares no counts with this one. It would refuse a backed-up passkey too, and give no reason. */
const UNCOUNTED = 0

/** The part of an answer with which its signature can be checked, in base 64. */
export type SignedBytes = { clientDataJSON: string; authenticatorData: string; signature: string }

/** The id of the passkey that an answer names, not verified yet. Null when it names none. */
export function credentialIn(answer: BrowserAnswer): string | null {
  const { id } = answer
  return typeof id === 'string' && /^[\w-]{16,1400}$/.test(id) && JSON.stringify(answer).length <= ANSWER_MAX
    ? id
    : null
}

export type AssertionRead =
  | { kind: 'signed'; sign_count: number; signed: SignedBytes }
  /**
   * `passkey_counted_back`: the passkey signed, but its count did not go forward, as that of a copy does not. A passkey that says that it is backed
   * up is on several devices, each with a count of its own or with none, so its count tells nothing.
   */
  | { kind: 'refused'; code: 'passkey_refused' | 'passkey_counted_back' }

/** Verifies that a passkey signed a challenge for this site after it verified the person, and returns its signature count. */
export async function readAssertion(
  site: Site,
  challenge: Buffer,
  answer: BrowserAnswer,
  { credential_id, public_key, sign_count }: Passkey,
): Promise<AssertionRead> {
  try {
    const { verifyAuthenticationResponse } = await library()
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: answer as unknown as AuthenticationResponseJSON,
      expectedChallenge: challenge.toString('base64url'),
      expectedOrigin: site.origin,
      expectedRPID: site.rp_id,
      credential: { id: credential_id, publicKey: new Uint8Array(public_key), counter: UNCOUNTED },
      requireUserVerification: true,
    })
    if (!verified) return { kind: 'refused', code: 'passkey_refused' }
    const { newCounter, credentialBackedUp } = authenticationInfo
    const counts = newCounter > 0 || sign_count > 0
    if (counts && newCounter <= sign_count && !credentialBackedUp)
      return { kind: 'refused', code: 'passkey_counted_back' }
    const { clientDataJSON, authenticatorData, signature } = answer.response as SignedBytes
    const signed = { clientDataJSON, authenticatorData, signature }
    return { kind: 'signed', sign_count: newCounter, signed }
  } catch {
    // As above.
    return { kind: 'refused', code: 'passkey_refused' }
  }
}
