import type { ConnectorType } from './connector-type.ts'
import { pawapay } from './pawapay/connector.ts'

/** The kinds of contract that this service knows. */
export const connectorTypes: readonly ConnectorType[] = [pawapay as unknown as ConnectorType]
