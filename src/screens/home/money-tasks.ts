import { canDecideOn, readDecider } from '../../acts/second-person.ts'
import { newestKeys } from '../../api-keys/find-keys.ts'
import { keyStatus } from '../../api-keys/states.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import { type BatchToLaunch, readToLaunch } from '../../payout-batches/launch-store.ts'
import { readPersonNames } from '../../people/name-store.ts'
import { writeAmount } from '../../platform/http/pages/write-values.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'
import type { Right } from '../../values/rights.ts'

type Request = ScreenRequest<'console'>

/** The most of each that the first page names, and the newest keys among which it looks. */
const NAMED_MAX = 3
const KEYS_LOOKED_AT = 50

/** A key that sends money and waits for this person, among others. */
export type KeyToConfirm = { readonly key_id: string; readonly name: string | null; readonly made_by: string | null }

/** The approved batches of a person, those of all for an owner, and the keys that they may confirm. Null: they lack the right. */
export type MoneyTasks = {
  readonly batches_to_launch: readonly BatchToLaunch[] | null
  readonly keys_to_confirm: readonly KeyToConfirm[] | null
}

type Who = { readonly person: string; readonly can: (right: Right) => boolean }

export async function readMoneyTasks(sql: Sql, tenant: Tenant, { person, can }: Who): Promise<MoneyTasks> {
  const mine = can('team.manage') ? null : person
  const [batches_to_launch, keys_to_confirm] = await Promise.all([
    can('payouts.make') ? readToLaunch(sql, tenant, { person: mine, limit: NAMED_MAX }) : null,
    can('keys.confirm') ? readKeysToConfirm(sql, tenant, person) : null,
  ])
  return { batches_to_launch, keys_to_confirm }
}

async function readKeysToConfirm(sql: Sql, tenant: Tenant, person: string): Promise<KeyToConfirm[]> {
  const { rows } = await newestKeys(sql, tenant, { limit: KEYS_LOOKED_AT, after: null })
  const waiting = rows.filter((key) => keyStatus(key) === 'to_confirm')
  if (waiting.length === 0) return []
  const reader = await readDecider(sql, person)
  const mine = waiting.filter(({ created_by, widened_by }) => canDecideOn(reader, [created_by, widened_by]))
  const makers = mine.flatMap(({ created_by }) => (created_by === null ? [] : [created_by]))
  const names = await readPersonNames(sql, makers)
  return mine.slice(0, NAMED_MAX).map(({ key_id, name, created_by }) => {
    return { key_id, name, made_by: created_by === null ? null : (names.get(created_by) ?? created_by) }
  })
}

/** An approved batch, which nobody sends but its maker or an owner. */
export function launchTasks({ say, at }: Request, { batches_to_launch }: MoneyTasks) {
  return (batches_to_launch ?? []).map(({ id, reference, total_amount }) => {
    const title = say(['Approuvé, à lancer : {sum}', 'Approved, to launch: {sum}'], { sum: writeAmount(total_amount) })
    const text = `${reference ?? say(['Lot', 'Batch'])} · ${say(['rien n’est encore parti', 'nothing has left yet'])}`
    return { to: at(`/batches/${id}`), icon: 'out', kind: 'care', title, text } as const
  })
}

/** A key that works once this person, or another, has confirmed it. */
export function keyTasks({ say, at }: Request, { keys_to_confirm }: MoneyTasks) {
  return (keys_to_confirm ?? []).map(({ key_id, name, made_by }) => {
    const title = say(['Une clé à confirmer : {name}', 'A key to confirm: {name}'], { name: name ?? key_id })
    const sends = say(['peut envoyer de l’argent', 'can send money'])
    const by = made_by === null ? '' : ` · ${say(['faite par {name}', 'made by {name}'], { name: made_by })}`
    return { to: at(`/keys/${key_id}`), icon: 'key', kind: 'care', title, text: `${sends}${by}` } as const
  })
}
