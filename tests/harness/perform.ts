import type { Act, AnyCall } from '../../src/acts/act.ts'
import { type ActDeps, type Performed, type Proof, performAct } from '../../src/acts/perform.ts'
import { type Actor, isBreakGlass, SYSTEM } from '../../src/values/actor.ts'
import type { Tenant } from '../../src/values/caller.ts'

/** The subject of an act, as its declaration names it, with the values that a person typed. The service has no other name. */
export type Performing = ({ id: string } | { tenant: Tenant } | { merchant_id: number } | object) & {
  values?: Readonly<Record<string, unknown>>
  within?: Partial<Tenant>
}

/** Carries an act out: as a command on the host, or as a person who has just given a factor. */
export function perform<Deps, Result>(
  act: Act<Deps, Result>,
  deps: Deps & ActDeps,
  { values = {}, within = {}, ...subject }: Performing,
  by: Actor = SYSTEM,
): Promise<Performed<Result>> {
  const proof: Proof = { step_up_id: by.step_up_id as string, use: async () => null }
  const call = { by, values, within, ...subject } as AnyCall
  return performAct(act, deps, call, act.fresh && !isBreakGlass(by) ? proof : null)
}
