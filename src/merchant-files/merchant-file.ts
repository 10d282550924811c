import type { Words } from '../values/language.ts'

/** The legal forms of a business in Côte d'Ivoire. */
export const legalForms = {
  sole_trader: ['Entreprise individuelle', 'Sole trader'],
  entreprenant: ['Entreprenant', 'Entreprenant (small trader)'],
  sarl: ['SARL', 'SARL (limited company)'],
  suarl: ['SARL unipersonnelle', 'SARL of one partner'],
  sa: ['SA', 'SA (public limited company)'],
  sas: ['SAS', 'SAS (simplified joint-stock company)'],
  snc: ['SNC', 'SNC (general partnership)'],
  gie: ['GIE', 'GIE (economic interest group)'],
  cooperative: ['Société coopérative', 'Cooperative'],
  association: ['Association', 'Association'],
  public_body: ['Établissement public', 'Public body'],
  other: ['Autre forme', 'Other form'],
} as const satisfies Readonly<Record<string, Words>>

/** The tax regimes of Côte d'Ivoire. */
export const taxRegimes = {
  tce: ['TCE, taxe communale de l’entreprenant', 'TCE, municipal tax of small traders'],
  tee: ['TEE, taxe d’État de l’entreprenant', 'TEE, state tax of small traders'],
  rme: ['RME, microentreprises', 'RME, micro-enterprises'],
  rsi: ['RSI, réel simplifié', 'RSI, simplified actual profit'],
  rni: ['RNI, réel normal', 'RNI, normal actual profit'],
} as const satisfies Readonly<Record<string, Words>>

/** The facts of a business, in the order of the page. Days are such as `2026-11-30`. */
export const fileColumns = [
  ...(['legal_name', 'legal_form', 'rccm', 'registered_on', 'tax_number', 'tax_regime', 'tax_regime_since'] as const),
  ...(['activity', 'address', 'contact_name', 'contact_number', 'contact_email'] as const),
] as const

export type FileColumn = (typeof fileColumns)[number]

/** The facts of a business. Null: not known. */
export type MerchantFile = Readonly<Record<FileColumn, string | null>>

export const emptyFile = Object.fromEntries(fileColumns.map((column) => [column, null])) as MerchantFile

/** A person who owns more than a quarter of a merchant. */
export type Owner = {
  readonly merchant_id: number
  readonly id: string
  readonly name: string
  /** Hundredths of a percent, more than 2 500. */
  readonly share_basis_points: number
  readonly added_at: Date
  /** Null: an owner today. */
  readonly ended_at: Date | null
}
