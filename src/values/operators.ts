/** The mobile-money operators of Côte d'Ivoire that a merchant can name. */
export const operatorCodes = ['orange_ci', 'mtn_ci', 'moov_ci', 'wave_ci'] as const
export type OperatorCode = (typeof operatorCodes)[number]

/** The operators' own names for their wallets. */
export const operatorNames: Readonly<Record<OperatorCode, string>> = {
  orange_ci: 'Orange Money',
  mtn_ci: 'MTN MoMo',
  moov_ci: 'Moov Money',
  wave_ci: 'Wave',
}

/** Whether a text is the code of a known operator. Any other text answers `invalid_operator`. */
export function isOperatorCode(text: string): text is OperatorCode {
  return (operatorCodes as readonly string[]).includes(text)
}
