import type { ConnectorType } from './connector-type.ts'

/** The kinds of contract that this service knows. */
export const connectorTypes: readonly ConnectorType[] = []
