import { recordAct } from '../audit-log/record-act.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Actor } from '../values/actor.ts'
import { describeLogo } from './brand-logo.ts'
import * as store from './store.ts'

/** The change: an absent field stays, null removes it. `color` and `logo` as `readColor` and `readLogo` gave them. */
export type BrandChange = { color?: string | null; logo?: string | null }

export type BrandSet = { kind: 'set'; brand: store.Brand } | { kind: 'refused'; code: 'resource_not_found' }

/**
 * Gives a merchant's pages a colour and a picture, or takes them away; with nothing to change, says how they stand. The next
 * page that is opened has them.
 * @param by who decides it, for the audit log
 */
export async function setBrand(sql: Sql, merchant_id: number, change: BrandChange, by: Actor): Promise<BrandSet> {
  return sql.begin(async (tx): Promise<BrandSet> => {
    const before = await store.lockBrand(tx, merchant_id)
    if (before === null) return { kind: 'refused', code: 'resource_not_found' }
    const { color = before.color, logo = before.logo } = change
    const after = { color, logo }
    if (color === before.color && logo === before.logo) return { kind: 'set', brand: before }
    await store.updateBrand(tx, merchant_id, after)
    const act = { actor: by, act: 'merchant.brand', before: inShort(before), after: inShort(after) } as const
    recordAct(tx, { merchant_id, livemode: null }, act)
    return { kind: 'set', brand: after }
  })
}

/** For the audit log, which needs no picture. */
function inShort({ color, logo }: store.Brand): object {
  return { color, logo: logo === null ? null : describeLogo(logo) }
}
