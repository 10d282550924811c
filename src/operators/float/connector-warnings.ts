import type { ConnectorRow } from '../contracts/connector-store.ts'
import { type FloatRow, floatWarnings } from './float-store.ts'

/**
 * The reasons for which a person should look at a contract: those of its float, and `check_fails` when the last check of its settings named a
 * problem, such as a key that its operator no longer accepts.
 */
export const connectorWarnings = [...floatWarnings, 'check_fails'] as const
export type ConnectorWarning = (typeof connectorWarnings)[number]

/** The present warnings of a contract. @param float its newest balance; null when there is none */
export function warningsOf(
  { check_fails }: Pick<ConnectorRow, 'check_fails'>,
  float: Pick<FloatRow, 'warnings'> | null,
): ConnectorWarning[] {
  return [...(float?.warnings ?? []), ...(check_fails ? ['check_fails' as const] : [])]
}
