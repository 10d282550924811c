import type { IncomingHttpHeaders } from 'node:http'
import { readAccounts } from '../../external-accounts/store.ts'
import { type OrderOfWallet, SIMULATOR, type Wallet, walletOf } from '../../external-accounts/wallet-of.ts'
import type { Log } from '../../platform/log.ts'
import type { Db } from '../../platform/postgres/database.ts'
import { type PeriodicTask, runEvery } from '../../platform/run-every.ts'
import { isLoopback } from '../operator-api/operator-http.ts'
import type { CallbackReading, Connector } from '../port.ts'
import * as store from './connector-store.ts'
import type { Terms } from './connector-terms.ts'
import { type OpenConnector, openConnector, type Surroundings } from './open-connector.ts'
import { type RouteKey, type RouteRow, readRoutes } from './route-store.ts'

/** Milliseconds between two reads of the database. */
const PAUSE_MS = 500

/** Milliseconds after which a change of contracts or routes is in force in every process. */
export const IN_FORCE_MS = 1_000

/** A contract that this process can call. */
export type Contract = {
  connector: Connector
  livemode: boolean
  /** Counts the generations of its settings. */
  generation: number
  /** No route uses it any more; inquiries and refunds of its earlier orders still do. */
  removed: boolean
  callback_token: string
  terms: Terms
  /** Reads a callback with the settings in force, then with those replaced less than a day ago. */
  readCallback(raw: Buffer, headers: IncomingHttpHeaders, about: string | null): Promise<CallbackReading>
}

/** The contracts, routes and wallets as this process last read them. Its functions read only memory. */
export type ContractDirectory = {
  /** The contract with this name. Null if there is none, or if it cannot be opened here. */
  contractNamed(name: string): Contract | null
  /** The generation of the settings that this process cannot open, so that no order goes through the contract. Null for every other name. */
  closedGenerationOf(name: string): number | null
  routeOf(key: RouteKey): RouteRow | null
  /** The external account in which an order's money is. @throws for a connector without one, which is a defect */
  walletOf(order: OrderOfWallet): string
}

/** A service without contracts. */
export const noContracts: ContractDirectory = {
  contractNamed: () => null,
  closedGenerationOf: () => null,
  routeOf: () => null,
  walletOf: ({ connector }) => connector ?? SIMULATOR,
}

type Dependencies = {
  sql: Db
  surroundings: Surroundings
  log: Log
  /** Receives the names of contracts that move real money, before they are in force. @throws if there must be none */
  beforeUse?(names: readonly string[]): void
}

/** Reads the contracts and routes once, for a short process such as a command. */
export async function readContracts(deps: Dependencies): Promise<ContractDirectory> {
  const { directory, refresh } = createDirectory(deps)
  await refresh()
  return directory
}

/**
 * Reads the contracts and routes repeatedly until stopped. While the database is away, the last read stays in force. Each generation of
 * settings is opened once; the connections of a replaced one close when no call uses them.
 * @throws if the first read fails
 */
export async function followContracts(deps: Dependencies): Promise<ContractDirectory & PeriodicTask> {
  const { directory, refresh, close } = createDirectory(deps)
  await refresh()
  const task = runEvery('contracts', PAUSE_MS, deps.log, refresh)
  return {
    ...directory,
    async stop() {
      await task.stop()
      close()
    },
  }
}

function createDirectory({ sql, surroundings, log, beforeUse }: Dependencies) {
  let contracts = new Map<string, Contract>()
  let closed = new Map<string, number>()
  let routes = new Map<string, RouteRow>()
  let wallets: readonly Wallet[] = []
  /** By name, generation and the address under which we are reached, which a process that listens on any port learns late. */
  let opened = new Map<string, OpenConnector | null>()

  function openOnce(row: store.ConnectorRow, settings: store.SettingsRow): OpenConnector | null {
    const key = `${row.name}/${settings.generation}/${surroundings.origin()}`
    const known = opened.get(key)
    if (known !== undefined) return known
    try {
      return openConnector(surroundings, row, settings)
    } catch {
      // Logged once for each generation, without the error, which could contain a setting.
      log.error({ connector: row.name, generation: settings.generation }, 'operators: connector not opened, not in use')
      return null
    }
  }

  async function refresh(): Promise<void> {
    const [rows, generations, routeRows] = await Promise.all([
      store.readConnectors(sql),
      store.readSettings(sql, null),
      readRoutes(sql),
    ])
    // Read after the connectors, because the transaction of a new connector opens its wallet.
    const accounts = await readAccounts(sql, null)
    if (beforeUse !== undefined) beforeUse(realOnes(surroundings, rows, generations))
    const kept = new Map<string, OpenConnector | null>()
    const byName = new Map<string, Contract>()
    const unusable = new Map<string, number>()
    for (const row of rows) {
      const own = generations.filter(({ connector }) => connector === row.name)
      const all = own.map((settings) => {
        const open = openOnce(row, settings)
        kept.set(`${row.name}/${settings.generation}/${surroundings.origin()}`, open)
        if (settings.replaced) open?.retire()
        return open?.connector ?? null
      })
      const connector = all[0] ?? null
      const generation = own[0]?.generation ?? row.generation
      if (connector === null) unusable.set(row.name, generation)
      else byName.set(row.name, contractOf(surroundings, { ...row, generation }, connector, all))
    }
    for (const [key, open] of opened) if (!kept.has(key)) open?.retire()
    opened = kept
    contracts = byName
    closed = unusable
    routes = new Map(routeRows.map((route) => [routeText(route), route]))
    wallets = accounts.filter(({ kind }) => kind === 'wallet')
  }

  const directory: ContractDirectory = {
    contractNamed: (name) => contracts.get(name) ?? null,
    closedGenerationOf: (name) => closed.get(name) ?? null,
    routeOf: (key) => routes.get(routeText(key)) ?? null,
    walletOf: (order) => walletOf(wallets, order),
  }
  return {
    directory,
    refresh,
    close() {
      for (const open of opened.values()) open?.retire()
    },
  }
}

function routeText({ merchant_id, livemode, operator, direction }: RouteKey): string {
  return `${merchant_id}/${livemode}/${operator}/${direction}`
}

/** @param all its connector with the settings in force, then with those replaced less than a day ago */
function contractOf(
  surroundings: Surroundings,
  row: store.ConnectorRow,
  connector: Connector,
  all: readonly (Connector | null)[],
): Contract {
  return {
    connector,
    livemode: row.livemode,
    generation: row.generation,
    removed: row.removed_at !== null,
    callback_token: surroundings.box.openToken(row),
    terms: row.terms,
    async readCallback(raw, headers, about) {
      for (const one of all) {
        // Replaced settings without signatures would accept any callback at an address without a token.
        if (one?.callbacks !== connector.callbacks) continue
        const reading = await one.readCallback(raw, headers, about)
        if (reading.kind !== 'forged') return reading
      }
      return { kind: 'forged' }
    },
  }
}

/** The names of the contracts that move real money. */
function realOnes(
  surroundings: Surroundings,
  rows: readonly store.ConnectorRow[],
  generations: readonly store.SettingsRow[],
): string[] {
  const real = rows.filter(({ name, livemode }) => {
    const settings = generations.find(({ connector }) => connector === name)
    return livemode && settings !== undefined && !reachesThisMachine(surroundings, settings)
  })
  return real.map(({ name }) => name)
}

function reachesThisMachine({ box }: Surroundings, settings: store.SettingsRow): boolean {
  try {
    const addresses = Object.entries(box.openSettings(settings)).filter(([key]) => /(?:^|\.)base_url$/.test(key))
    return addresses.length > 0 && addresses.every(([, url]) => isLoopback(new URL(String(url)).hostname))
  } catch {
    return false
  }
}
