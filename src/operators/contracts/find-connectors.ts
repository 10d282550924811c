import type { Db } from '../../platform/postgres/database.ts'
import type { Words } from '../../values/language.ts'
import { maskedSettings } from './connector-settings.ts'
import * as store from './connector-store.ts'
import {
  callbackUrl,
  cannotOpen,
  openConnector,
  openingProblem,
  type Surroundings,
  typeNamed,
  warningOf,
} from './open-connector.ts'

/** A contract in a list. */
export type ListedConnector = Pick<
  store.ConnectorRow,
  'name' | 'type' | 'livemode' | 'generation' | 'changed_by' | 'changed_at' | 'removed_at' | 'check_fails'
>

/** A contract with its settings; secrets are masked. */
export type ShownConnector = ListedConnector & {
  /** The callback address for the operator. Null if it sends no callbacks. */
  callback_url: string | null
  /** None if they cannot be decrypted here. */
  settings: Record<string, unknown>
  /** Generations of replaced settings that still verify callbacks. */
  also_verifying: number[]
  created_by: string
  created_at: Date
  removed_by: string | null
  /** A warning sentence if the settings move real money in test mode, otherwise null. */
  warning: Words | null
  /** The reason why no order goes through the contract, in one sentence. Null if its settings can be used. */
  problem: Words | null
}

/** All contracts in the order of their names, removed ones last. */
export async function listConnectors(db: Db): Promise<ListedConnector[]> {
  const rows = await store.readConnectors(db)
  const { kept = [], removed = [] } = Object.groupBy(rows, ({ removed_at }) =>
    removed_at === null ? 'kept' : 'removed',
  )
  return [...kept, ...removed].map(listed)
}

function listed(row: store.ConnectorRow): ListedConnector {
  const { name, type, livemode, generation, changed_by, changed_at, removed_at, check_fails } = row
  return { name, type, livemode, generation, changed_by, changed_at, removed_at, check_fails }
}

/** One contract, removed or not. Null if there never was one with this name. */
export async function showConnector(db: Db, surroundings: Surroundings, name: string): Promise<ShownConnector | null> {
  const row = await store.readConnector(db, name)
  if (row === null) return null
  const generations = await store.readSettings(db, name)
  const [current, ...replaced] = generations
  const { created_by, created_at, removed_by } = row
  return {
    ...listed(row),
    ...(current === undefined ? closed : opened(surroundings, row, current)),
    also_verifying: replaced.map(({ generation }) => generation),
    created_by,
    created_at,
    removed_by,
  }
}

/** Whether the settings could be decrypted here, so that a person can change them one by one. */
export function isReadable({ settings }: Pick<ShownConnector, 'settings'>): boolean {
  return Object.keys(settings).length > 0
}

const closed = {
  callback_url: null,
  settings: {},
  warning: null,
  problem: cannotOpen,
}

/** The facts that require the decrypted settings. */
function opened(surroundings: Surroundings, row: store.ConnectorRow, settings: store.SettingsRow) {
  const { types, box, origin } = surroundings
  const type = typeNamed(types, row.type)
  if (type === null) return closed
  let read: Pick<ShownConnector, 'settings' | 'warning'>
  try {
    const all = { ...box.openSettings(settings), ...row.terms }
    read = { settings: maskedSettings(type, all), warning: warningOf(type, all, row.livemode) }
  } catch {
    return closed
  }
  try {
    const { callbacks } = openConnector(surroundings, row, settings).connector
    const token = callbacks === 'unsigned' ? box.openToken(row) : null
    return {
      ...read,
      callback_url: callbacks === 'none' ? null : callbackUrl(origin(), row.name, token),
      problem: null,
    }
  } catch (error) {
    return { ...read, callback_url: null, problem: openingProblem(error) }
  }
}
