import Type, { type Static } from 'typebox'
import type { SettingLabels } from '../contracts/connector-type.ts'

const Secret = (description: string) => Type.String({ pattern: '^[\\x21-\\x7e]{8,400}$', description })

/** The settings of one business account with Wave. */
export const waveSettings = Type.Object(
  {
    base_url: Type.String({ maxLength: 300, description: 'Such as https://api.wave.com, without `/v1`.' }),
    api_key: Secret('Of one wallet; its permissions are set in the business portal.'),
    webhook_secret: Secret('Shown by the portal when the webhook is registered.'),
    webhook_mode: Type.Optional(
      Type.Union([Type.Literal('signing_secret'), Type.Literal('shared_secret')], {
        description: 'As the webhook was registered. Absent: `signing_secret`.',
      }),
    ),
    signature_separator: Type.Optional(
      Type.Union([Type.Literal('none'), Type.Literal('dot')], {
        description: 'Between the time and the body that are signed. Absent: `none`, as documented.',
      }),
    ),
    request_signing_secret: Type.Optional(Secret('Only where the key was made with request signing.')),
    aggregated_merchant_id: Type.Optional(
      Type.String({ pattern: '^am-[A-Za-z0-9_-]{1,100}$', description: 'Only for accounts of aggregators.' }),
    ),
    restrict_payer: Type.Optional(
      Type.Boolean({ description: 'Absent: true, a number named in the order is the only one that may pay.' }),
    ),
    payouts: Type.Optional(Type.Boolean({ description: 'Absent: true. False: the key may not pay out.' })),
    payment_reason: Type.Optional(
      Type.String({ pattern: '^[A-Za-z0-9 .,-]{1,40}$', description: 'Shown to the recipients of payouts.' }),
    ),
  },
  { additionalProperties: false },
)

export type WaveSettings = Static<typeof waveSettings>

/** The name of each setting for people. */
export const waveLabels: SettingLabels<WaveSettings> = {
  base_url: ['Adresse de l’API', 'Address of the API'],
  api_key: ['Clé de l’API', 'API key'],
  webhook_secret: ['Secret du webhook', 'Webhook secret'],
  webhook_mode: ['Sorte de secret du webhook', 'Kind of webhook secret'],
  signature_separator: ['Séparateur dans la signature', 'Separator in the signature'],
  request_signing_secret: ['Secret de nos demandes signées', 'Secret of our signed requests'],
  aggregated_merchant_id: ['Identifiant du marchand agrégé', 'Identifier of the aggregated merchant'],
  restrict_payer: ['Seul le numéro nommé paie', 'Only the named number pays'],
  payouts: ['Envois permis', 'Payouts allowed'],
  payment_reason: ['Motif montré au bénéficiaire', 'Reason shown to the recipient'],
}

/** Never shown. */
export const waveSecrets = ['api_key', 'webhook_secret', 'request_signing_secret'] as const

/** The bytes between the time and the body in everything that is signed. */
export function separatorOf({ signature_separator }: WaveSettings): string {
  return signature_separator === 'dot' ? '.' : ''
}
