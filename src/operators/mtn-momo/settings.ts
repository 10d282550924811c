import Type, { type Static } from 'typebox'
import { type SettingLabels, SettingsError } from '../contracts/connector-type.ts'

const SubscriptionKey = (description: string) =>
  Type.Optional(Type.String({ pattern: '^[\\x21-\\x7e]{8,200}$', description }))
const ApiUser = Type.Optional(
  Type.String({
    pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
    description: 'A UUID. In the sandbox a user is known to one product only.',
  }),
)
const ApiKey = Type.Optional(Type.String({ pattern: '^[\\x21-\\x7e]{8,200}$', description: 'The secret of the user.' }))

/** The settings of one contract with MTN. Collection and Disbursement have keys and users of their own. */
export const mtnMomoSettings = Type.Object(
  {
    base_url: Type.String({ maxLength: 300, description: 'Given with the contract, without `/collection`.' }),
    target_environment: Type.String({ pattern: '^[a-z0-9_-]{3,40}$', description: '`mtnivorycoast`, or `sandbox`.' }),
    currency: Type.Optional(
      Type.Union([Type.Literal('XOF'), Type.Literal('EUR')], {
        description: 'Absent: XOF. The sandbox takes EUR only.',
      }),
    ),
    'collection.subscription_key': SubscriptionKey('Of the product Collection, primary or secondary.'),
    'collection.secondary_subscription_key': SubscriptionKey(
      'The other key of the pair, tried when MTN refuses the first.',
    ),
    'collection.api_user': ApiUser,
    'collection.api_key': ApiKey,
    'disbursement.subscription_key': SubscriptionKey('Of the product Disbursement, primary or secondary.'),
    'disbursement.secondary_subscription_key': SubscriptionKey(
      'The other key of the pair, tried when MTN refuses the first.',
    ),
    'disbursement.api_user': ApiUser,
    'disbursement.api_key': ApiKey,
    refund: Type.Optional(
      Type.Union([Type.Literal('full'), Type.Literal('partial'), Type.Literal('none')], {
        description: 'Absent: `full`. `partial` only where MTN has confirmed it for this contract.',
      }),
    ),
    send_callback_url: Type.Optional(
      Type.Boolean({ description: 'Absent: true. False: MTN is asked and never calls.' }),
    ),
    message: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9 .,-]{1,160}$',
        description: 'Shown to payers and recipients on the phone.',
      }),
    ),
  },
  { additionalProperties: false },
)

export type MtnMomoSettings = Static<typeof mtnMomoSettings>

/** The name of each setting for people. */
export const mtnMomoLabels: SettingLabels<MtnMomoSettings> = {
  base_url: ['Adresse de l’API', 'Address of the API'],
  target_environment: ['Environnement', 'Environment'],
  currency: ['Monnaie', 'Currency'],
  'collection.subscription_key': ['Clé d’abonnement, encaissements', 'Subscription key, collections'],
  'collection.secondary_subscription_key': [
    'Deuxième clé d’abonnement, encaissements',
    'Second subscription key, collections',
  ],
  'collection.api_user': ['Utilisateur de l’API, encaissements', 'API user, collections'],
  'collection.api_key': ['Clé de l’API, encaissements', 'API key, collections'],
  'disbursement.subscription_key': ['Clé d’abonnement, envois', 'Subscription key, payouts'],
  'disbursement.secondary_subscription_key': ['Deuxième clé d’abonnement, envois', 'Second subscription key, payouts'],
  'disbursement.api_user': ['Utilisateur de l’API, envois', 'API user, payouts'],
  'disbursement.api_key': ['Clé de l’API, envois', 'API key, payouts'],
  refund: ['Remboursements', 'Refunds'],
  send_callback_url: ['Demander des appels à MTN', 'Ask MTN for callbacks'],
  message: ['Message au client', 'Message to the customer'],
}

/** Never shown. */
export const mtnMomoSecrets = [
  'collection.subscription_key',
  'collection.secondary_subscription_key',
  'collection.api_key',
  'disbursement.subscription_key',
  'disbursement.secondary_subscription_key',
  'disbursement.api_key',
] as const

export const products = ['collection', 'disbursement'] as const
export type Product = (typeof products)[number]

/** The two subscription keys that MTN gives for a product. It replaces them one after the other. */
export const subscriptionKeys = ['subscription_key', 'secondary_subscription_key'] as const
export type SubscriptionKeyName = (typeof subscriptionKeys)[number]

/** The keys of one product. */
export type ProductKeys = {
  subscription_key: string
  secondary_subscription_key?: string
  api_user: string
  api_key: string
}

/**
 * The keys of a product. Null when the contract does not have the product.
 * @throws SettingsError when some of the keys are missing
 */
export function keysOf(settings: MtnMomoSettings, product: Product): ProductKeys | null {
  const subscription_key = settings[`${product}.subscription_key`]
  const secondary_subscription_key = settings[`${product}.secondary_subscription_key`]
  const api_user = settings[`${product}.api_user`]
  const api_key = settings[`${product}.api_key`]
  const secondary = secondary_subscription_key === undefined ? {} : { secondary_subscription_key }
  const given = [subscription_key, secondary_subscription_key, api_user, api_key]
  if (given.every((one) => one === undefined)) return null
  if (subscription_key !== undefined && api_user !== undefined && api_key !== undefined) {
    return { subscription_key, ...secondary, api_user, api_key }
  }
  throw new SettingsError(`${product}.subscription_key`, [
    `${product}.subscription_key, ${product}.api_user et ${product}.api_key vont ensemble : donnez-les tous, ou aucun.`,
    `${product}.subscription_key, ${product}.api_user and ${product}.api_key belong together: give all of them or none.`,
  ])
}

/**
 * Says whether the settings can be used at all.
 * @throws SettingsError
 */
export function assertUsable(settings: MtnMomoSettings, livemode: boolean): void {
  if (products.every((product) => keysOf(settings, product) === null)) {
    throw new SettingsError('collection.subscription_key', [
      'Donnez les clés de collection, de disbursement, ou des deux.',
      'The keys of collection, of disbursement, or of both must be given.',
    ])
  }
  const { base_url, target_environment, currency = 'XOF' } = settings
  if (livemode && new URL(base_url).hostname.startsWith('sandbox.')) {
    throw new SettingsError('base_url', [
      'base_url est celle du bac à sable de MTN, où aucun argent ne bouge, et le mode est réel.',
      "base_url is that of MTN's sandbox, where no money moves, and the mode is live.",
    ])
  }
  const sandbox = target_environment === 'sandbox'
  if (livemode && sandbox) {
    throw new SettingsError('target_environment', [
      'target_environment est sandbox, où aucun argent ne bouge, et le mode est réel.',
      'target_environment is sandbox, where no money moves, and the mode is live.',
    ])
  }
  if (currency !== 'XOF' && !sandbox) {
    throw new SettingsError('currency', [
      'currency n’est EUR qu’au bac à sable : ôtez-la.',
      'currency is EUR in the sandbox only: leave it out.',
    ])
  }
}
