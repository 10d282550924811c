/** The mobile-money operators of Côte d'Ivoire that a merchant can name. */
export const operatorCodes = ['orange_ci', 'mtn_ci', 'moov_ci', 'wave_ci'] as const
export type OperatorCode = (typeof operatorCodes)[number]

/** The names that the operators give their wallets. */
export const operatorNames: Readonly<Record<OperatorCode, string>> = {
  orange_ci: 'Orange Money',
  mtn_ci: 'MTN MoMo',
  moov_ci: 'Moov Money',
  wave_ci: 'Wave',
}

/** Whether a text names an operator we know; anything else is `invalid_operator`. */
export function isOperatorCode(text: string): text is OperatorCode {
  return (operatorCodes as readonly string[]).includes(text)
}
