import Type, { type Static } from 'typebox'
import { type SettingLabels, SettingsError } from '../contracts/connector-type.ts'

/** The settings of one contract for Orange Money web payments. */
export const orangeWebpaySettings = Type.Object(
  {
    base_url: Type.String({
      maxLength: 300,
      description: 'Such as https://api.orange.com, without a path of a product.',
    }),
    token_path: Type.Optional(Type.String({ pattern: '^/[a-z0-9/-]{1,60}$', description: 'Absent: /oauth/v3/token.' })),
    country_path: Type.Union([Type.Literal('ci'), Type.Literal('dev')], {
      description: '`ci`, in XOF, or `dev`, the sandbox, in OUV, a currency that does not exist.',
    }),
    client_id: Type.String({ pattern: '^[\\x21-\\x39\\x3b-\\x7e]{4,200}$', description: 'Of the application.' }),
    client_secret: Type.String({ pattern: '^[\\x21-\\x7e]{8,200}$', description: 'Of the application.' }),
    merchant_key: Type.String({
      pattern: '^[\\x21-\\x7e]{4,200}$',
      description: 'Of the merchant, of this environment.',
    }),
    lang: Type.Optional(
      Type.Union([Type.Literal('fr'), Type.Literal('en')], { description: "Of the payer's page. Absent: fr." }),
    ),
    reference: Type.Optional(
      Type.String({ pattern: '^[A-Za-z0-9 .-]{1,30}$', description: 'The name that payers read. Absent: Paiement.' }),
    ),
  },
  { additionalProperties: false },
)

export type OrangeWebpaySettings = Static<typeof orangeWebpaySettings>

/** The name of each setting for people. */
export const orangeWebpayLabels: SettingLabels<OrangeWebpaySettings> = {
  base_url: ['Adresse de l’API', 'Address of the API'],
  token_path: ['Chemin du jeton', 'Path of the token'],
  country_path: ['Pays', 'Country'],
  client_id: ['Identifiant de l’application', 'Identifier of the application'],
  client_secret: ['Secret de l’application', 'Secret of the application'],
  merchant_key: ['Clé du marchand', 'Merchant key'],
  lang: ['Langue de la page', 'Language of the page'],
  reference: ['Nom montré au payeur', 'Name shown to the payer'],
}

/** Never shown. */
export const orangeWebpaySecrets = ['client_secret', 'merchant_key'] as const

/**
 * Says whether the settings can be used at all.
 * @throws SettingsError
 */
export function assertUsable({ country_path }: OrangeWebpaySettings, livemode: boolean): void {
  if (livemode && country_path === 'dev') {
    throw new SettingsError('country_path', [
      'country_path est dev, où aucun argent ne bouge, et le mode est réel.',
      'country_path is dev, where no money moves, and the mode is live.',
    ])
  }
}
