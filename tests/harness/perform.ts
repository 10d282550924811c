import type { Act, AnyCall } from '../../src/acts/act.ts'
import { type ActDeps, type Performed, performAct } from '../../src/acts/perform.ts'
import { type Actor, SYSTEM } from '../../src/values/actor.ts'
import type { Tenant } from '../../src/values/caller.ts'

/** The subject of an act, as its declaration names it, with the values that a person typed. The service has no other name. */
export type Performing = ({ id: string } | { tenant: Tenant } | { merchant_id: number } | object) & {
  values?: Readonly<Record<string, unknown>>
  within?: Partial<Tenant>
}

/** Carries an act out as a command on the host does, without a factor. */
export function perform<Deps, Result>(
  act: Act<Deps, Result>,
  deps: Deps & ActDeps,
  { values = {}, within = {}, ...subject }: Performing,
  by: Actor = SYSTEM,
): Promise<Performed<Result>> {
  return performAct(act, deps, { by, values, within, ...subject } as AnyCall, null)
}
