import type { Transition } from '../values/transition.ts'

/** `to_confirm`: a key that sends money and waits for its second person. */
export type KeyStatus = 'to_confirm' | 'active' | 'revoked'

/** The columns that tell the status of a key. It has no other, so that none can contradict them. */
export type KeyMarks = {
  readonly revoked_at: Date | null
  readonly needs_confirmation: boolean
  readonly confirmed_at: Date | null
}

/** The status of a key. Only an active key is accepted. */
export function keyStatus({ revoked_at, needs_confirmation, confirmed_at }: KeyMarks): KeyStatus {
  if (revoked_at !== null) return 'revoked'
  return needs_confirmation && confirmed_at === null ? 'to_confirm' : 'active'
}

/**
 * Every transition of a key. `addresses_widened` is of a key that needs a second person, and may be used from more addresses than that person
 * confirmed: it loses the confirmation, also when it is revoked.
 */
export const keyTransitions = [
  { from: 'to_confirm', trigger: 'confirmed_by_second_person', to: 'active', event: null },
  { from: 'active', trigger: 'addresses_widened', to: 'to_confirm', event: null },
  { from: 'to_confirm', trigger: 'addresses_widened', to: 'to_confirm', event: null },
  { from: 'revoked', trigger: 'addresses_widened', to: 'revoked', event: null },
  { from: 'to_confirm', trigger: 'revoked', to: 'revoked', event: null },
  { from: 'active', trigger: 'revoked', to: 'revoked', event: null },
] as const satisfies readonly Transition<KeyStatus>[]

export type KeyTrigger = (typeof keyTransitions)[number]['trigger']
