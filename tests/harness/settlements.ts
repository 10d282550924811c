import assert from 'node:assert/strict'
import type { Act, ActRefused } from '../../src/acts/act.ts'
import type { Fields } from '../../src/acts/facts.ts'
import type { ActDeps } from '../../src/acts/perform.ts'
import * as pay from '../../src/settlements/pay-settlement.ts'
import * as reject from '../../src/settlements/reject-settlement.ts'
import type { SettlementRow } from '../../src/settlements/settlement.ts'
import * as validate from '../../src/settlements/validate-settlement.ts'
import type { Actor } from '../../src/values/actor.ts'
import { perform } from './perform.ts'

/** The settlement after a decision, or its refusal. `unreadable`: a typed text that no door takes. */
export type Decided = { kind: 'moved'; settlement: SettlementRow } | ActRefused

/** Decides on a settlement as a command on the host does. Absent texts are typed by nobody. */
async function decide(
  act: Act<unknown, SettlementRow> & { fields: Fields },
  { sql, clock }: ActDeps,
  id: string,
  by: Actor,
  typed: Readonly<Record<string, string | null>> = {},
): Promise<Decided> {
  const values: Record<string, unknown> = {}
  for (const [name, text] of Object.entries(typed)) {
    values[name] = text === null ? null : act.fields[name]!.read(text)
    if (values[name] === undefined) return { kind: 'refused', code: 'unreadable' }
  }
  const performed = await perform(act, { sql, clock }, { id, values }, by)
  assert.ok(performed.kind !== 'ask_again')
  return performed.kind === 'done' ? { kind: 'moved', settlement: performed.result } : performed
}

export const validateSettlement = (deps: ActDeps, id: string, by: Actor) =>
  decide(validate.validateSettlement, deps, id, by)

export const paySettlement = (deps: ActDeps, id: string, by: Actor, reference: string) =>
  decide(pay.paySettlement, deps, id, by, { reference })

export const rejectSettlement = (deps: ActDeps, id: string, by: Actor, reason: string | null, since?: Date) =>
  decide(reject.rejectSettlement, deps, id, by, { reason, no_transfer: since?.toISOString() ?? null })
