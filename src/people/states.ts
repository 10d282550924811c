import type { Transition } from '../values/transition.ts'

export type PersonStatus = 'invited' | 'active' | 'disabled'

/**
 * Every move of a person. A person who is `invited` has no factor, `active` ones sign in, and `disabled` ones have neither roles nor
 * sessions. A new link leads back to the beginning: whoever opens it sets all factors anew.
 */
export const personTransitions = [
  { from: 'invited', trigger: 'invitation_accepted', to: 'active', event: null },
  { from: 'invited', trigger: 'disabled', to: 'disabled', event: null },
  { from: 'active', trigger: 'disabled', to: 'disabled', event: null },
  { from: 'active', trigger: 'reset', to: 'invited', event: null },
  { from: 'invited', trigger: 'reset', to: 'invited', event: null },
  { from: 'disabled', trigger: 'invited_again', to: 'invited', event: null },
] as const satisfies readonly Transition<PersonStatus>[]
