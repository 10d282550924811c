import type { Say, Words } from '../../console/say.ts'
import type { SettingField } from '../../operators/contracts/setting-fields.ts'
import { type Html, html, type Piece } from '../../platform/http/html.ts'

/** The names of the kinds of contract for people. */
export const typeNames: Readonly<Record<string, string>> = {
  pawapay: 'pawaPay',
  mtn_momo: 'MTN MoMo',
  orange_webpay: 'Orange Money',
  moov_gateway: 'Moov Money',
  wave: 'Wave',
}

const terms: Readonly<Record<string, string>> = {
  'charges.collect.fixed': 'Francs que l’opérateur garde sur chaque paiement.',
  'charges.collect.per_ten_thousand': 'Sa part de chaque paiement, pour dix mille.',
  'charges.payout.fixed': 'Francs que l’opérateur prend pour chaque envoi.',
  'charges.payout.per_ten_thousand': 'Sa part de chaque envoi, pour dix mille.',
  'charges.refund.fixed': 'Francs que l’opérateur prend pour chaque remboursement.',
  'charges.refund.per_ten_thousand': 'Sa part de chaque remboursement, pour dix mille.',
  float_floor: 'Francs sous lesquels le solde est signalé.',
  float_hours: 'Signaler un solde qui ne tiendra pas tant d’heures. Absent : 6.',
}

const pawapayProvider = 'Le mot de pawaPay pour cet opérateur ; `none` : le contrat ne l’atteint pas.'
const mtnPair = 'L’autre clé de la paire, essayée quand MTN refuse la première.'
const moovPart = 'donnée avec le contrat'

/** The French description of each setting. The English one is declared with the kind of contract. */
const french: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  pawapay: {
    base_url: 'Par exemple https://api.pawapay.io, sans `/v2`.',
    api_token: 'Celui de cet environnement.',
    signing_key_id: 'Le nom de notre clé publique dans leur tableau de bord.',
    signing_private_key: 'Clé privée ECDSA P-256, en PEM. Avec elle, les demandes sont signées.',
    signing_form: 'Absent : `der`, comme dans leur exemple.',
    require_signed_callbacks: 'Absent : oui. Non, seulement si le compte ne signe pas ses appels.',
    customer_message: 'Affiché au téléphone de ceux qui paient ou reçoivent.',
    'provider.mtn_ci': pawapayProvider,
    'provider.orange_ci': pawapayProvider,
    'provider.wave_ci': pawapayProvider,
    'provider.moov_ci': pawapayProvider,
  },
  mtn_momo: {
    base_url: 'Donnée avec le contrat, sans `/collection`.',
    target_environment: '`mtnivorycoast`, ou `sandbox`.',
    currency: 'Absente : XOF. Le bac à sable ne prend que EUR.',
    'collection.subscription_key': 'Du produit Collection, primaire ou secondaire.',
    'collection.secondary_subscription_key': mtnPair,
    'collection.api_user': 'Un UUID. Au bac à sable, un utilisateur ne vaut que pour un produit.',
    'collection.api_key': 'Le secret de cet utilisateur.',
    'disbursement.subscription_key': 'Du produit Disbursement, primaire ou secondaire.',
    'disbursement.secondary_subscription_key': mtnPair,
    'disbursement.api_user': 'Un UUID. Au bac à sable, un utilisateur ne vaut que pour un produit.',
    'disbursement.api_key': 'Le secret de cet utilisateur.',
    refund: 'Absent : `full`. `partial` seulement si MTN l’a confirmé pour ce contrat.',
    send_callback_url: 'Absent : oui. Non : MTN est interrogé et n’appelle jamais.',
    message: 'Affiché au téléphone de ceux qui paient ou reçoivent.',
  },
  orange_webpay: {
    base_url: 'Par exemple https://api.orange.com, sans chemin de produit.',
    token_path: 'Absent : /oauth/v3/token.',
    country_path: '`ci`, en XOF, ou `dev`, le bac à sable, dont la monnaie n’existe pas.',
    client_id: 'De l’application.',
    client_secret: 'De l’application.',
    merchant_key: 'Du marchand, dans cet environnement.',
    lang: 'De la page de celui qui paie. Absent : fr.',
    reference: 'Le nom que lisent ceux qui paient. Absent : Paiement.',
  },
  moov_gateway: {
    base_url: `Adresse ${moovPart}, sans le chemin.`,
    path: 'Où vont les ordres. Absent : /gateway/3pp/transaction/process.',
    read_path: 'Où vont les questions. Absent : comme `path`.',
    platform: 'La plateforme du contrat, qui a sa table de codes. Absente : seuls les codes communs comptent.',
    user: 'Du marchand, sans deux-points.',
    password: 'De cet utilisateur.',
    authorization: 'Le mot devant les identifiants. Absent : `Basic`.',
    hash: 'Si chaque appel porte une empreinte de l’utilisateur et du corps. Absent : `none`.',
    collection:
      'Comment on approuve : une invite au téléphone, ou un code reçu par SMS ; `none` : pas activé. Absent : `prompt`.',
    payout: 'Si les envois sont activés. Absent : `none`.',
    'payout.sender': 'Notre portefeuille, si les envois doivent le nommer.',
    'payout.auth': 'Le code secret de ce portefeuille.',
    message: 'Affiché à ceux qui paient. Absent : `Paiement`.',
    dial_code: 'À composer quand l’invite ne s’affiche pas.',
  },
  wave: {
    base_url: 'Par exemple https://api.wave.com, sans `/v1`.',
    api_key: 'D’un portefeuille ; ses droits se règlent au portail des entreprises.',
    webhook_secret: 'Le portail le montre quand le webhook est inscrit.',
    webhook_mode: 'Comme le webhook a été inscrit. Absent : `signing_secret`.',
    signature_separator: 'Entre l’heure et le corps signés. Absent : `none`, comme documenté.',
    request_signing_secret: 'Seulement si la clé a été faite avec des demandes signées.',
    aggregated_merchant_id: 'Seulement pour les comptes d’agrégateurs.',
    restrict_payer: 'Absent : oui, seul le numéro nommé dans l’ordre peut payer.',
    payouts: 'Absent : oui. Non : la clé ne peut pas payer.',
    payment_reason: 'Affiché à ceux qui reçoivent un envoi.',
  },
}

/** Writes the name of a setting in words, with its own name behind. */
export function namedSetting(say: Say, { label, key }: Pick<SettingField, 'label' | 'key'>): Html {
  return html`${say(label)} <span class="id soft">${key}</span>`
}

/** Returns the name of one of these settings in words. An unknown setting has only its own name. */
export function nameIn(say: Say, fields: readonly SettingField[], key: string): Piece {
  const found = fields.find((one) => one.key === key)
  return found === undefined ? key : namedSetting(say, found)
}

/** Returns the description of a setting. Without a French text it is in English, and a test fails. */
export function settingWords(type: string, { key, description }: Pick<SettingField, 'key' | 'description'>): Words {
  return [french[type]?.[key] ?? terms[key] ?? description, description]
}

/** Writes the description of a setting. The text between two backticks is code. */
export function describedSetting(say: Say, type: string, setting: Pick<SettingField, 'key' | 'description'>): Html {
  const parts = say(settingWords(type, setting)).split('`')
  return html`${parts.map((part, nth) => (nth % 2 === 0 ? part : html`<code>${part}</code>`))}`
}
