import type { Words } from '../../values/language.ts'
import type { OperatorHttp } from '../operator-api/operator-http.ts'
import type { Connector } from '../port.ts'
import type { ConnectorBox, Settings } from './connector-settings.ts'
import type { ConnectorRow, SettingsRow } from './connector-store.ts'
import type { ConnectorType } from './connector-type.ts'

/** The things that every connector of this process is made with. */
export type Surroundings = {
  /** The kinds of contract that this service knows. */
  types: readonly ConnectorType[]
  /** Makes the way to an operator, with connections of its own. */
  openHttp(settings: Settings): OperatorHttp
  box: ConnectorBox
  /** Scheme, host and port under which operators and payers reach this service. */
  origin(): string
  /** The machine's clock. */
  now(): Date
}

/** A contract that can be called. */
export type OpenConnector = {
  connector: Connector
  /** Ends the connections that nobody uses, now and after every further call. */
  retire(): void
}

/** Where an operator calls us for a contract. A token follows where it signs nothing. */
export function callbackUrl(origin: string, name: string, token: string | null): string {
  return `${origin}/operators/${name}/callbacks${token === null ? '' : `/${token}`}`
}

/** The kind of a contract; null when this version of the service does not know it. */
export function typeNamed(types: readonly ConnectorType[], name: string): ConnectorType | null {
  return types.find(({ type }) => type === name) ?? null
}

/**
 * Makes a contract that can be called from its row and the settings of one generation.
 * @throws when its kind is unknown, when it was sealed under another key, and what its kind throws of settings that it cannot use
 */
export function openConnector(
  { types, openHttp, box, origin, now }: Surroundings,
  row: Pick<ConnectorRow, 'name' | 'type' | 'livemode' | 'callback_token_sealed'>,
  sealed: Pick<SettingsRow, 'connector' | 'generation' | 'settings_sealed'>,
): OpenConnector {
  const { name, livemode } = row
  const type = typeNamed(types, row.type)
  if (type === null) throw new Error(`This version of the service knows no connectors of the type ${row.type}.`)
  const settings = box.openSettings(sealed)
  const http = reopeningHttp(() => openHttp(settings))
  const create = (token: string | null) =>
    type.create(settings as never, {
      name,
      livemode,
      http,
      callback_url: callbackUrl(origin(), name, token),
      return_url: `${origin()}/return`,
      now,
    })
  // Only the connector knows whether its operator signs, and with it at which address it should be called.
  const connector = create(null)
  const told = connector.callbacks === 'unsigned' ? create(box.openToken(row)) : connector
  return { connector: told, retire: http.retire }
}

/**
 * A way to an operator that opens its connections for the first call. Once retired it closes them whenever no call is under way: those
 * that were begun are never cut, and one that comes later still finds its way.
 */
function reopeningHttp(open: () => OperatorHttp): OperatorHttp & { retire(): void } {
  let opened: OperatorHttp | null = null
  let underWay = 0
  let retired = false
  async function close(): Promise<void> {
    const idle = opened
    opened = null
    await idle?.close()
  }
  return {
    async call(request) {
      opened ??= open()
      underWay += 1
      try {
        return await opened.call(request)
      } finally {
        underWay -= 1
        if (retired && underWay === 0) void close()
      }
    },
    close,
    retire() {
      retired = true
      if (underWay === 0) void close()
    },
  }
}

/** The settings of a contract cannot be opened. */
export const cannotOpen: Words = [
  'Les réglages ne s’ouvrent pas : SECRET_KEY n’est plus celle d’alors, ou cette version ne connaît pas leur sorte.',
  'The settings cannot be opened: SECRET_KEY is another one than when they were set, or this version does not know their type.',
]
