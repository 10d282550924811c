import assert from 'node:assert/strict'
import { createSurroundings } from '../../src/app/contracts.ts'
import { showConnector } from '../../src/operators/contracts/find-connectors.ts'
import { EVERYBODY } from '../../src/operators/contracts/route-store.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import type { OperatorCode } from '../../src/values/operators.ts'
import { Secret } from '../../src/values/secret.ts'
import { contracts } from '../conformance/contracts.ts'
import { actor } from './actor.ts'
import { setConnector, setRoute } from './connectors.ts'

type Proposed = Record<string, { settings: object }>

/** The control of a twin: in this process, or by calls to `/_twin` of another. */
type Steered = {
  connectors(): Proposed | Promise<Proposed>
  change(api: string, settings: Record<string, unknown>): unknown
}

/** The operator of each API of the twin, with the prefix of its customers' numbers. */
const reached: Readonly<Record<string, { operator: OperatorCode; prefix: string }>> = {
  pawapay: { operator: 'orange_ci', prefix: '07' },
  mtn: { operator: 'mtn_ci', prefix: '05' },
  wave: { operator: 'wave_ci', prefix: '01' },
}

export type LiveOperator = { api: string; operator: OperatorCode; prefix: string }

/** The operators of live mode that the twin can play, one for each known type of connector. */
export const liveOperators: readonly LiveOperator[] = contracts.flatMap(({ api }) => {
  const found = reached[api]
  return found === undefined ? [] : [{ api, ...found }]
})

/** The directions that have routes: a refund goes to the contract that collected. */
const routed = ['collect', 'payout'] as const

/** Every operator of these tests takes some francs for what it carries out. */
const usualCharges = { 'charges.collect.per_ten_thousand': 100, 'charges.payout.fixed': 25 }

export type Connected = {
  secret_key: string
  /** The address of the service for the twin. */
  origin: string
  operators?: readonly LiveOperator[]
  /** The merchant of the routes. Absent: all merchants. */
  merchant_id?: number
  /** A separate account: the suffix of the contracts' names, and the origin at which the twin answers for it. */
  account?: { suffix: string; reached_at: string }
  /** The operators' charges, as settings of each contract. */
  charges?: Readonly<Record<string, number>>
}

/** Connects live mode to a twin: a contract for each of its APIs, with the routes of one operator, and the callback addresses. */
export async function connectTwin(
  sql: Sql,
  twin: Steered,
  {
    secret_key,
    origin,
    operators = liveOperators,
    merchant_id = EVERYBODY,
    account,
    charges = usualCharges,
  }: Connected,
): Promise<void> {
  const surroundings = createSurroundings({
    secretKey: new Secret(secret_key),
    origin: { get: () => origin },
    config: { proxy: null, operator_http_allow: [] },
  })
  const by = 'ama@example.com'
  const proposed = await twin.connectors()
  for (const { api, operator } of operators) {
    const contract = contracts.find((one) => one.api === api)!
    const own = account === undefined ? {} : { base_url: `${account.reached_at}/${api}` }
    const settings = { ...proposed[api]!.settings, ...contract.settings, ...charges, ...own }
    const name = `${api}${account?.suffix ?? ''}`
    const wanted = { name, type: contract.type.type, livemode: true, settings: Buffer.from(JSON.stringify(settings)) }
    const set = await setConnector({ sql, surroundings }, wanted, actor(by))
    assert.equal(set.kind, 'set', JSON.stringify(set))
    const shown = await showConnector(sql, surroundings, name)
    await twin.change(api, contract.callingBackAt?.(shown!.callback_url!) ?? {})
    for (const direction of routed.filter((one) => contract.operators[one].length > 0)) {
      const route = { merchant_id, livemode: true, operator, direction, connectors: [name] }
      const set = await setRoute({ sql, surroundings }, { ...route, amount_min: null, amount_max: null }, actor(by))
      assert.equal(set.kind, 'set', JSON.stringify(set))
    }
  }
}
