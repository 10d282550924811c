import type { Words } from '../../values/language.ts'
import { baseUrlProblem, type OperatorHttp } from '../operator-api/operator-http.ts'
import type { Connector } from '../port.ts'
import type { ConnectorBox, Settings } from './connector-settings.ts'
import type { ConnectorRow, SettingsRow } from './connector-store.ts'
import { type ConnectorType, SettingsError } from './connector-type.ts'

/** The dependencies of every connector of this process. */
export type Surroundings = {
  /** The types of connector that this service knows. */
  types: readonly ConnectorType[]
  /** Blocks of addresses that connectors may call over plain http. */
  http_allow: readonly string[]
  /** Opens an HTTP client for one operator, with its own connections. */
  openHttp(settings: Settings): OperatorHttp
  box: ConnectorBox
  /** Scheme, host and port under which operators and payers reach this service. */
  origin(): string
  /** The machine's clock. */
  now(): Date
}

/** A contract ready for calls. */
export type OpenConnector = {
  connector: Connector
  /** Closes unused connections, now and after every further call. */
  retire(): void
}

/** The callback address of a contract. It ends with a token if the operator signs nothing. */
export function callbackUrl(origin: string, name: string, token: string | null): string {
  return `${origin}/operators/${name}/callbacks${token === null ? '' : `/${token}`}`
}

/** The type of a connector. Null if this version of the service does not know it. */
export function typeNamed(types: readonly ConnectorType[], name: string): ConnectorType | null {
  return types.find(({ type }) => type === name) ?? null
}

/**
 * Opens a contract for calls, from its row and the settings of one generation.
 * @throws if its type is unknown, if another key encrypted it, and whatever its type throws for unusable settings
 */
export function openConnector(
  { types, http_allow, openHttp, box, origin, now }: Surroundings,
  row: Pick<ConnectorRow, 'name' | 'type' | 'livemode' | 'callback_token_sealed'>,
  sealed: Pick<SettingsRow, 'connector' | 'generation' | 'settings_sealed'>,
): OpenConnector {
  const { name, livemode } = row
  const type = typeNamed(types, row.type)
  if (type === null) throw new Error(`This version of the service knows no connectors of the type ${row.type}.`)
  const settings = box.openSettings(sealed)
  // OPERATOR_HTTP_ALLOW may have changed since they were set.
  const problem = settings.base_url === undefined ? null : baseUrlProblem(String(settings.base_url), http_allow)
  if (problem !== null) throw new SettingsError('base_url', [`base_url ${problem[0]}`, `base_url ${problem[1]}`])
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
  // Only the connector knows whether its operator signs its callbacks, which decides the callback address.
  const connector = create(null)
  const told = connector.callbacks === 'unsigned' ? create(box.openToken(row)) : connector
  return { connector: told, retire: http.retire }
}

/**
 * An HTTP client that connects on its first call. After `retire` it closes its connections whenever no call is in progress. It never cuts
 * a call, and a later call still works.
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

/** The sentence that warns of settings in test mode that move real money. Null if nothing is known of them, or the mode is live. */
export function warningOf(type: ConnectorType, settings: Settings, livemode: boolean): Words | null {
  return livemode ? null : (type.realMoneyWarning?.(settings as never) ?? null)
}

/** The reason why a contract cannot be opened, from what `openConnector` threw. Only the message of a SettingsError is written to be shown. */
export function openingProblem(error: unknown): Words {
  return error instanceof SettingsError ? error.problem : cannotOpen
}

/** The settings of a contract cannot be decrypted or used. */
export const cannotOpen: Words = [
  'Les réglages ne s’ouvrent pas : SECRET_KEY n’est plus celle d’alors, ou cette version ne connaît pas leur sorte.',
  'The settings cannot be opened: SECRET_KEY is another one than when they were set, or this version does not know their type.',
]
