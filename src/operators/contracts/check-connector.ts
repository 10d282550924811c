import type { Db } from '../../platform/postgres/database.ts'
import type { Words } from '../../values/language.ts'
import type { Connector, ConnectorBalance, ConnectorCheck, StatementPage } from '../port.ts'
import * as store from './connector-store.ts'
import { type OpenConnector, openConnector, openingProblem, type Surroundings } from './open-connector.ts'
import { PackedRows } from './packed-rows.ts'

/** `not_offered`: the operator has no such call. */
export type Checked = ConnectorCheck | { kind: 'not_offered' } | { kind: 'refused'; code: 'resource_not_found' }

/** Tests the settings of a contract with a call to its operator that moves no money, and stores whether they fail. */
export async function checkConnector(db: Db, surroundings: Surroundings, name: string): Promise<Checked> {
  const row = await store.readConnector(db, name)
  const checked = await withConnector<Checked>(db, surroundings, name, async ({ check }) =>
    check === undefined ? { kind: 'not_offered' } : check(),
  )
  if (row !== null) await store.noteCheck(db, row, checked.kind === 'fails')
  return checked
}

export type BalanceRead =
  | { kind: 'read'; balance: ConnectorBalance }
  | { kind: 'fails'; problem: Words }
  | { kind: 'not_offered' }
  | { kind: 'refused'; code: 'resource_not_found' }

/** Reads our balance at the operator of a contract. */
export async function readConnectorBalance(db: Db, surroundings: Surroundings, name: string): Promise<BalanceRead> {
  return withConnector<BalanceRead>(db, surroundings, name, async ({ balance }) =>
    balance === undefined ? { kind: 'not_offered' } : { kind: 'read', balance: await balance() },
  )
}

export type StatementRead =
  /** The movements as one JSON, to be read once. */
  | { kind: 'read'; content: AsyncIterable<Uint8Array> }
  | { kind: 'fails'; problem: Words }
  | { kind: 'not_offered' }
  | { kind: 'refused'; code: 'resource_not_found' }

/** The most movements of one day that we ask for, and the most pages. */
const ROWS_MAX = 2_000_000
const PAGES_MAX = 20_000

/** Reads what the operator of a contract moved on one day, page by page. A page that fails fails the whole: half a day is no statement. */
export async function readConnectorStatement(
  db: Db,
  surroundings: Surroundings,
  name: string,
  day: string,
): Promise<StatementRead> {
  return withConnector<StatementRead>(db, surroundings, name, async (connector) => {
    if (connector.readStatement === undefined) return { kind: 'not_offered' }
    const rows = new PackedRows()
    const met = new Set<string>()
    let cursor: string | null = null
    for (let pages = 0; pages < PAGES_MAX && rows.count <= ROWS_MAX; pages += 1) {
      const page: StatementPage = await connector.readStatement(day, cursor)
      await rows.add(page.rows)
      if (page.next === null) return { kind: 'read', content: await rows.end() }
      // A cursor that comes back would never end.
      if (met.has(page.next)) break
      met.add(page.next)
      cursor = page.next
    }
    throw new Error('The list of the day has no end.')
  })
}

/** Opens a contract for one call, and closes it. A call that throws has failed. Its message could hold a secret and is not shown. */
async function withConnector<Result>(
  db: Db,
  surroundings: Surroundings,
  name: string,
  call: (connector: Connector) => Promise<Result>,
): Promise<Result | { kind: 'fails'; problem: Words } | { kind: 'refused'; code: 'resource_not_found' }> {
  const row = await store.readConnector(db, name)
  const [settings] = await store.readSettings(db, name)
  if (row === null || settings === undefined) return { kind: 'refused', code: 'resource_not_found' }
  let opened: OpenConnector | null = null
  try {
    opened = openConnector(surroundings, row, settings)
    return await call(opened.connector)
  } catch (error) {
    return { kind: 'fails', problem: opened === null ? openingProblem(error) : unreadable }
  } finally {
    opened?.retire()
  }
}

const unreadable: Words = [
  'La réponse de l’opérateur ne peut pas être lue.',
  'The operator gave no answer that can be read.',
]
