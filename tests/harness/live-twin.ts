import assert from 'node:assert/strict'
import { createSurroundings } from '../../src/app/contracts.ts'
import { showConnector } from '../../src/operators/contracts/find-connectors.ts'
import { EVERYBODY } from '../../src/operators/contracts/route-store.ts'
import { setConnector } from '../../src/operators/contracts/set-connector.ts'
import { setRoute } from '../../src/operators/contracts/set-route.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import type { OperatorCode } from '../../src/values/operators.ts'
import { Secret } from '../../src/values/secret.ts'
import { contracts } from '../conformance/contracts.ts'
import { actor } from './actor.ts'

type Proposed = Record<string, { settings: object }>

/** The steering that this needs: that of a twin in this process, or calls to `/_twin` of another. */
type Steered = {
  connectors(): Proposed | Promise<Proposed>
  change(api: string, settings: Record<string, unknown>): unknown
}

/** The operator that is reached through each API of the twin, with the beginning of its customers' numbers. */
const reached: Readonly<Record<string, { operator: OperatorCode; prefix: string }>> = {
  pawapay: { operator: 'orange_ci', prefix: '07' },
  mtn: { operator: 'mtn_ci', prefix: '05' },
  wave: { operator: 'wave_ci', prefix: '01' },
}

export type LiveOperator = { api: string; operator: OperatorCode; prefix: string }

/** The operators of live mode that the twin can stand for, one for each contract that the service knows of these. */
export const liveOperators: readonly LiveOperator[] = contracts.flatMap(({ api }) => {
  const found = reached[api]
  return found === undefined ? [] : [{ api, ...found }]
})

/** Every operator of these tests takes something for what it carries out. */
const tariff = { 'charges.collect.per_ten_thousand': 100, 'charges.payout.fixed': 25 }

export type Connected = {
  secret_key: string
  /** Where the twin finds the service. */
  origin: string
  operators?: readonly LiveOperator[]
  /** The routes are this merchant's; everybody's without it. */
  merchant_id?: number
  /** An account of its own: behind the name of each API in those of the contracts, and the origin at which the twin answers for it. */
  account?: { suffix: string; reached_at: string }
}

/** Connects live mode to a twin: a contract for each of its APIs, with the routes of one operator, and the addresses at which it calls back. */
export async function connectTwin(
  sql: Sql,
  twin: Steered,
  { secret_key, origin, operators = liveOperators, merchant_id = EVERYBODY, account }: Connected,
): Promise<void> {
  const surroundings = createSurroundings({ secretKey: new Secret(secret_key), origin: { get: () => origin } })
  const by = 'ama@example.com'
  const proposed = await twin.connectors()
  for (const { api, operator } of operators) {
    const contract = contracts.find((one) => one.api === api)!
    const own = account === undefined ? {} : { base_url: `${account.reached_at}/${api}` }
    const settings = { ...proposed[api]!.settings, ...contract.settings, ...tariff, ...own }
    const name = `${api}${account?.suffix ?? ''}`
    const wanted = { name, type: contract.type.type, livemode: true, settings: Buffer.from(JSON.stringify(settings)) }
    const set = await setConnector({ sql, surroundings }, wanted, actor(by))
    assert.equal(set.kind, 'set', JSON.stringify(set))
    const shown = await showConnector(sql, surroundings, name)
    await twin.change(api, contract.callingBackAt?.(shown!.callback_url!) ?? {})
    for (const direction of ['collect', 'payout'] as const) {
      const route = { merchant_id, livemode: true, operator, direction, connectors: [name] }
      const routed = await setRoute({ sql, surroundings }, { ...route, amount_min: null, amount_max: null }, actor(by))
      assert.equal(routed.kind, 'set', JSON.stringify(routed))
    }
  }
}
