import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { apiRoutes } from '../../src/app/routes.ts'
import { createClock } from '../../src/platform/clock.ts'
import type { Scope, Tenant } from '../../src/values/caller.ts'
import { newId } from '../../src/values/ids.ts'
import { actor } from '../harness/actor.ts'
import { decideAdjustment, proposeAdjustment } from '../harness/adjustments.ts'
import { depositToTransfer } from '../harness/fill-transfer.ts'
import type { Installation } from '../harness/installation.ts'
import type { Merchant, Mode } from '../harness/merchant.ts'
import type { Asked } from './ask.ts'
import { IBAN } from './book.ts'
import { routeNamed } from './interface.ts'
import { inline, payout } from './sender.ts'
import { newEvent } from './x-refusal-cases.ts'

// The owners of everything that a sweep over all routes asks for, and a good request of theirs for each route.

export type SweptRoute = (typeof apiRoutes)[number]

export const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`

/** A merchant in one mode that has one of everything. */
export type Owner = {
  why: string
  merchant: Merchant
  tenant: Tenant
  keys: Record<Scope, string>
  /** By the name of the parameter in a path: ids of things that are there. There are three batches. */
  ids: Record<string, readonly [string, ...string[]]>
  /** Its designated destination. */
  destination: string
}

/** A request to a route that will succeed, with one of the owner's own ids in the path or another one. */
export function goodRequest(route: SweptRoute, owner: Owner, id?: string): Asked {
  const { good = {} } = routeNamed(nameOf(route))
  const [parameter] = [...route.params.keys()]
  const own = parameter === undefined ? '' : owner.ids[parameter]!.at(good.at ?? 0)!
  const path = route.path.replace(/:\w+/, id ?? own) + (good.query ?? '')
  const asked: Asked = { method: route.method, path, key: keyFor(route, owner) }
  if (route.body !== undefined) asked.body = good.body!(owner)
  if (route.idempotent === true) asked.idempotency_key = randomUUID()
  return asked
}

/** A key of the owner that the route takes. */
export function keyFor(route: SweptRoute, { keys }: Owner): string {
  return routeNamed(nameOf(route)).keys === 'collect' ? keys.collect : keys.payout
}

/** The gaps: routes without a good body in interface.ts or extensions.ts, parameters without an id of the owner. */
export function missing(owner: Owner): string[] {
  return apiRoutes.flatMap((route) => [
    ...(route.body !== undefined && routeNamed(nameOf(route)).good?.body === undefined ? [nameOf(route)] : []),
    ...[...route.params.keys()].filter((parameter) => !(parameter in owner.ids)),
  ])
}

/** One more merchant in a mode, or another mode of one, with one of everything. */
export async function newOwner(installation: Installation, why: string, mode: Mode, of?: Merchant): Promise<Owner> {
  const { sql } = installation.db
  const merchant = of ?? (await installation.newMerchant())
  const tenant = { merchant_id: merchant.merchant_id, livemode: mode === 'live' }
  const key = async (scope: Scope) => (await merchant.newKey(mode, scope)).key
  const keys = { collect: await key('collect'), payout: await key('payout') }
  await depositToTransfer(sql, tenant, 1_000_000, createClock())
  await credit(installation, tenant, 100_000)
  const destination = await newDestination(installation, tenant)

  const make = async (path: string, scope: Scope, body: unknown): Promise<string> => {
    const answer = await installation.ask({ path, key: keys[scope], body, idempotency_key: randomUUID() })
    assert.ok(answer.status < 300, `${path}: ${answer.text}`)
    return (answer.json() as { id: string }).id
  }
  /** A payment whose payer's code was given: no worker sends it, so that it can be cancelled as well. Its instruction is in place of its turn to be sent. */
  const newPaymentByCode = async () => {
    const id = await make('/v1-payments', 'collect', { amount: 100 })
    await sql`
      insert into instructions (merchant_id, livemode, subject_id, direction, amount, currency, reference, state)
      values (${tenant.merchant_id}, ${tenant.livemode}, ${id}, 'collect', 100, 'XOF', gen_random_uuid(), 'refused')`
    await sql`delete from collection_outbox where collections::text like ${`%${id}%`}`
    await sql`
      insert into code_submissions (merchant_id, livemode, subject_id)
      values (${tenant.merchant_id}, ${tenant.livemode}, ${id})`
    return id
  }
  const batch = () => make('/v1-payout-batches', 'payout', { lines: [payout(100)] })
  await sql`
    insert into endpoints (merchant_id, livemode, id, url, secret_sealed)
    values (${tenant.merchant_id}, ${tenant.livemode}, ${newId('whe', 1)}, 'https://merchant.example/', '\\x00')`
  return {
    why,
    merchant,
    tenant,
    keys,
    destination,
    ids: {
      payment_id: [await newPaymentByCode()],
      // A payout, and a request that waits for a person.
      id: [await make('/v1-payouts', 'payout', payout(100)), await make('/v1-payouts', 'payout', payout(100_001))],
      // One that stays, and one to be closed.
      link_id: [await make('/x/links', 'collect', { amount: 100 }), await make('/x/links', 'collect', {})],
      payout_id: [await make('/v1-payouts', 'payout', payout(100))],
      batch_id: [await batch(), await batch(), await batch()],
      beneficiary_id: [await make('/v1-beneficiaries', 'payout', inline()), destination],
      settlement_id: [await make('/v1-settlements', 'payout', { amount: 5_000, beneficiary: destination })],
      event_id: [await newEvent({ installation }, tenant)],
    },
  }
}

/** Credits a merchant by an adjustment of two people, because no payment succeeds in live mode here. */
async function credit({ db: { sql } }: Installation, tenant: Tenant, amount: number): Promise<void> {
  const correction = {
    direction: 'credit',
    amount,
    counterpart: 'bank',
    reason: 'So that there is something.',
  } as const
  const proposed = await proposeAdjustment(
    { sql, clock: createClock() },
    { ...tenant, ...correction, proposed_by: actor('awa') },
  )
  assert.ok(proposed.kind === 'proposed')
  const decided = await decideAdjustment(sql, proposed.adjustment.id, { status: 'approved', decided_by: actor('issa') })
  assert.equal(decided.kind, 'decided')
}

async function newDestination({ db: { sql } }: Installation, { merchant_id, livemode }: Tenant): Promise<string> {
  const [row] = await sql<{ id: string }[]>`
    insert into beneficiaries (merchant_id, livemode, kind, name, iban, last4, designated_at)
    values (${merchant_id}, ${livemode}, 'settlement', 'Boutique', ${IBAN}, ${IBAN.slice(-4)}, '2026-01-01')
    returning id`
  return row!.id
}
