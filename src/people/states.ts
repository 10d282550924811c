import type { Transition } from '../values/transition.ts'

export type PersonStatus = 'invited' | 'active' | 'disabled'

/**
 * Every transition of a person. An `invited` person has no factor, an `active` one can sign in, and a `disabled` one has neither roles nor
 * sessions. A new link leads back to `invited`: the person who opens it sets all factors again.
 */
export const personTransitions = [
  { from: 'invited', trigger: 'invitation_accepted', to: 'active', event: null },
  { from: 'invited', trigger: 'disabled', to: 'disabled', event: null },
  { from: 'active', trigger: 'disabled', to: 'disabled', event: null },
  { from: 'active', trigger: 'reset', to: 'invited', event: null },
  { from: 'invited', trigger: 'reset', to: 'invited', event: null },
  { from: 'disabled', trigger: 'invited_again', to: 'invited', event: null },
] as const satisfies readonly Transition<PersonStatus>[]
