import { createPrivateKey, type KeyObject } from 'node:crypto'
import Type, { type Static } from 'typebox'
import { type OperatorCode, operatorCodes } from '../../values/operators.ts'
import { type SettingLabels, SettingsError } from '../contracts/connector-type.ts'

const Provider = Type.String({
  pattern: '^(?:[A-Z0-9_]{3,40}|none)$',
  description: "pawaPay's word for the operator; `none`: the contract does not reach it.",
})

/** The settings of one account with pawaPay. */
export const pawapaySettings = Type.Object(
  {
    base_url: Type.String({ maxLength: 300, description: 'Such as https://api.pawapay.io, without `/v2`.' }),
    api_token: Type.String({ pattern: '^[\\x21-\\x7e]{8,4096}$', description: 'Of this environment.' }),
    signing_key_id: Type.Optional(
      Type.String({ pattern: '^[A-Za-z0-9_.:/-]{1,100}$', description: 'Of our public key in their dashboard.' }),
    ),
    signing_private_key: Type.Optional(
      Type.String({ maxLength: 4096, description: 'PEM of an ECDSA P-256 key. With it requests are signed.' }),
    ),
    signing_form: Type.Optional(
      Type.Union([Type.Literal('der'), Type.Literal('raw')], { description: 'Absent: `der`, as in their own sample.' }),
    ),
    require_signed_callbacks: Type.Optional(
      Type.Boolean({ description: 'Absent: true. False only where the account does not sign callbacks.' }),
    ),
    customer_message: Type.Optional(
      Type.String({ pattern: '^[A-Za-z0-9 ]{4,22}$', description: 'Shown to payers and recipients on the phone.' }),
    ),
    'provider.mtn_ci': Type.Optional(Provider),
    'provider.orange_ci': Type.Optional(Provider),
    'provider.wave_ci': Type.Optional(Provider),
    'provider.moov_ci': Type.Optional(Provider),
  },
  { additionalProperties: false },
)

export type PawapaySettings = Static<typeof pawapaySettings>

/** The name of each setting for people. */
export const pawapayLabels: SettingLabels<PawapaySettings> = {
  base_url: ['Adresse de l’API', 'Address of the API'],
  api_token: ['Jeton d’accès', 'Access token'],
  signing_key_id: ['Nom de notre clé publique', 'Name of our public key'],
  signing_private_key: ['Notre clé privée', 'Our private key'],
  signing_form: ['Forme de la signature', 'Form of the signature'],
  require_signed_callbacks: ['Exiger des appels signés', 'Require signed callbacks'],
  customer_message: ['Message au client', 'Message to the customer'],
  'provider.mtn_ci': ['Nom de MTN chez pawaPay', 'Name of MTN at pawaPay'],
  'provider.orange_ci': ['Nom d’Orange chez pawaPay', 'Name of Orange at pawaPay'],
  'provider.wave_ci': ['Nom de Wave chez pawaPay', 'Name of Wave at pawaPay'],
  'provider.moov_ci': ['Nom de Moov chez pawaPay', 'Name of Moov at pawaPay'],
}

/** Never shown. */
export const pawapaySecrets = ['api_token', 'signing_private_key'] as const

/** The providers of Côte d'Ivoire that pawaPay documents. Moov is not among them. */
const documented: Readonly<Partial<Record<OperatorCode, string>>> = {
  mtn_ci: 'MTN_MOMO_CIV',
  orange_ci: 'ORANGE_CIV',
  wave_ci: 'WAVE_CIV',
}

/** The operators of the contract, with pawaPay's words for them. */
export function providersOf(settings: PawapaySettings): ReadonlyMap<string, string> {
  const words = operatorCodes.map((code) => [code, settings[`provider.${code}`] ?? documented[code] ?? 'none'] as const)
  return new Map(words.filter(([, provider]) => provider !== 'none'))
}

/**
 * The key that signs our requests. Null when we do not sign them.
 * @throws SettingsError
 */
export function signingKeyOf(settings: PawapaySettings): { keyid: string; key: KeyObject } | null {
  const { signing_key_id: keyid, signing_private_key: pem } = settings
  if (keyid === undefined && pem === undefined) return null
  if (keyid === undefined || pem === undefined) {
    throw new SettingsError('signing_key_id', [
      'signing_key_id et signing_private_key vont ensemble : donnez les deux, ou aucun.',
      'signing_key_id and signing_private_key belong together: give both or neither.',
    ])
  }
  const key = readKey(pem)
  if (key?.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') {
    throw new SettingsError('signing_private_key', [
      'signing_private_key doit être le PEM d’une clé privée ECDSA sur la courbe P-256.',
      'signing_private_key must be the PEM of an ECDSA private key on the curve P-256.',
    ])
  }
  return { keyid, key }
}

function readKey(pem: string): KeyObject | null {
  try {
    return createPrivateKey(pem)
  } catch {
    return null
  }
}
