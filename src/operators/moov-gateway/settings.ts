import Type, { type Static } from 'typebox'
import { type SettingLabels, SettingsError } from '../contracts/connector-type.ts'

const Path = (description: string) =>
  Type.Optional(Type.String({ pattern: '^(?:/[A-Za-z0-9._~-]{1,80}){1,10}$', description }))

/** The settings of one contract with Moov. No public document states any of them for this country. */
export const moovGatewaySettings = Type.Object(
  {
    base_url: Type.String({ maxLength: 300, description: 'Given with the contract, without `path`.' }),
    path: Path('Where orders go. Absent: `/gateway/3pp/transaction/process`.'),
    read_path: Path('Where questions go. Absent: as `path`.'),
    platform: Type.Optional(
      Type.Union([Type.Literal('older'), Type.Literal('newer')], {
        description:
          'The platform behind the contract, which has its table of codes. Absent: only codes that both agree about count.',
      }),
    ),
    user: Type.String({
      pattern: '^[\\x21-\\x39\\x3b-\\x7e]{1,200}$',
      description: 'Of the merchant, without a colon.',
    }),
    password: Type.String({ pattern: '^[\\x21-\\x7e]{1,200}$', description: 'Of the user.' }),
    authorization: Type.Optional(
      Type.Union([Type.Literal('Basic'), Type.Literal('Bearer')], {
        description: 'The word before the credentials. Absent: `Basic`.',
      }),
    ),
    hash: Type.Optional(
      Type.Union([Type.Literal('none'), Type.Literal('sha256')], {
        description: 'Whether each call brings a hash of the user and the body. Absent: `none`.',
      }),
    ),
    collection: Type.Optional(
      Type.Union([Type.Literal('prompt'), Type.Literal('code'), Type.Literal('none')], {
        description:
          'How payers approve: a prompt on the phone, or a code by SMS that they type; `none`: not activated. Absent: `prompt`.',
      }),
    ),
    payout: Type.Optional(
      Type.Union([Type.Literal('transfer'), Type.Literal('none')], {
        description: 'Whether payouts are activated. Absent: `none`.',
      }),
    ),
    'payout.sender': Type.Optional(
      Type.String({ pattern: '^[0-9]{8,15}$', description: 'Our wallet, where payouts must name it.' }),
    ),
    'payout.auth': Type.Optional(
      Type.String({ pattern: '^[\\x21-\\x7e]{1,200}$', description: 'The secret code of that wallet.' }),
    ),
    message: Type.Optional(
      Type.String({ pattern: '^[A-Za-z0-9 .,-]{1,100}$', description: 'Shown to payers. Absent: `Paiement`.' }),
    ),
    dial_code: Type.Optional(
      Type.String({ pattern: '^[*#][0-9*]{1,30}#$', description: 'Dialled by a payer whose prompt does not show.' }),
    ),
  },
  { additionalProperties: false },
)

export type MoovGatewaySettings = Static<typeof moovGatewaySettings>

/** The name of each setting for people. */
export const moovGatewayLabels: SettingLabels<MoovGatewaySettings> = {
  base_url: ['Adresse de la passerelle', 'Address of the gateway'],
  path: ['Chemin des ordres', 'Path of orders'],
  read_path: ['Chemin des questions', 'Path of questions'],
  platform: ['Plateforme', 'Platform'],
  user: ['Utilisateur', 'User'],
  password: ['Mot de passe', 'Password'],
  authorization: ['Mot devant les identifiants', 'Word before the credentials'],
  hash: ['Empreinte des appels', 'Hash of calls'],
  collection: ['Façon d’approuver un paiement', 'Way to approve a payment'],
  payout: ['Envois', 'Payouts'],
  'payout.sender': ['Notre portefeuille', 'Our wallet'],
  'payout.auth': ['Code secret du portefeuille', 'Secret code of the wallet'],
  message: ['Message au payeur', 'Message to the payer'],
  dial_code: ['Code à composer', 'Code to dial'],
}

/** Never shown. */
export const moovGatewaySecrets = ['password', 'payout.auth'] as const

/**
 * Our wallet with its secret code. Null: payouts do not name it.
 * @throws SettingsError when only one of the two is set
 */
export function walletOf(settings: MoovGatewaySettings): { sender: string; auth: string } | null {
  const { 'payout.sender': sender, 'payout.auth': auth } = settings
  if (sender === undefined && auth === undefined) return null
  if (sender !== undefined && auth !== undefined) return { sender, auth }
  throw new SettingsError('payout.sender', [
    'payout.sender et payout.auth vont ensemble : donnez les deux, ou aucun.',
    'payout.sender and payout.auth belong together: give both or neither.',
  ])
}

/** @throws SettingsError when the settings cannot be used */
export function assertUsable(settings: MoovGatewaySettings): void {
  const { collection = 'prompt', payout = 'none' } = settings
  if (collection === 'none' && payout === 'none') {
    throw new SettingsError('collection', [
      'collection et payout sont none : l’un des deux au moins doit être activé.',
      'collection and payout are both none: at least one of them must be activated.',
    ])
  }
  if (walletOf(settings) !== null && payout === 'none') {
    throw new SettingsError('payout', [
      'payout.sender est donné et payout est none : mettez payout à transfer, ou ôtez le portefeuille.',
      'payout.sender is given and payout is none: set payout to transfer, or leave the wallet out.',
    ])
  }
}
