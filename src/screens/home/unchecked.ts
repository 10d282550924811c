import { note } from '../../console/components.ts'
import type { Say } from '../../console/say.ts'
import type { ReadSettings } from '../../merchants/fees.ts'
import { uncheckedDay } from '../../merchants/payment-limit.ts'
import { sumOfDay } from '../../payments/unchecked-store.ts'
import { type UsualCaps, usedIn } from '../../payouts/spending-limits.ts'
import { readCapTotals } from '../../payouts/store.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Html } from '../../platform/http/html.ts'
import { writeAmount } from '../../platform/http/pages/write-values.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'

/** The limits of a merchant that nobody has checked, in francs: of a day, and what is left today to collect and to send. */
export type UncheckedLimits = { readonly most: number; readonly to_collect: number; readonly to_send: number }

type Deps = {
  readonly sql: Sql
  readonly clock: Clock
  readonly settings: ReadSettings
  readonly payoutCaps: Pick<UsualCaps, 'unchecked_day_max'>
}

/** Reads the limits of a merchant. Null: it is checked, or in test mode. */
export async function readUnchecked(
  { sql, clock, settings, payoutCaps }: Deps,
  tenant: Tenant,
): Promise<UncheckedLimits | null> {
  const unchecked = uncheckedDay(await settings(tenant.merchant_id), tenant, payoutCaps, clock.now())
  if (unchecked === null) return null
  const { day, most } = unchecked
  const [collected, [total]] = await Promise.all([sumOfDay(sql, { ...tenant, day }), readCapTotals(sql, [tenant])])
  const left = (used: number) => Math.max(0, most - used)
  return { most, to_collect: left(collected), to_send: left(usedIn(total!)) }
}

/** Says what a merchant may do until its file is checked, and what is left of today. */
export function uncheckedNote(say: Say, limits: UncheckedLimits | null): Html | null {
  if (limits === null) return null
  const [max, collect, send] = [limits.most, limits.to_collect, limits.to_send].map(writeAmount)
  const title = say(['Votre dossier est en cours de vérification', 'Your file is being checked'])
  const text = say(
    [
      'Jusque-là : {max} encaissés et {max} envoyés par jour. Il reste {collect} à encaisser et {send} à envoyer aujourd’hui. Vos retraits vont au numéro que vous avez prouvé.',
      'Until then: {max} collected and {max} sent a day. {collect} are left to collect and {send} to send today. Withdrawals go to the number that you proved.',
    ],
    { max: max!, collect: collect!, send: send! },
  )
  return note('care', title, text)
}
