import { defineTransition } from '../platform/commands/transitions.ts'
import { type KeyTrigger, keyTransitions } from './states.ts'
import * as store from './store.ts'

/** Moves a locked key along its table of transitions, as the act of the person `by`; see `defineTransition`. */
export const transitionKey = defineTransition({
  rank: 'API key',
  transitions: keyTransitions,
  change: (_: store.LockedKey, { trigger }, { by }: { by: string }) => changes[trigger](by),
  async write(tx, moved) {
    for (const key of moved) await writes[key.cause](tx, key)
  },
})

/** The people of each transition. */
const changes = {
  confirmed_by_second_person: (by) => ({ confirmed_by: by }),
  addresses_widened: (by) => ({ confirmed_by: null, widened_by: by }),
  revoked: (by) => ({ revoked_by: by }),
} satisfies Record<KeyTrigger, (by: string) => Partial<store.LockedKey>>

/** Each writes its own columns only: a trigger of the database judges every confirmation that is written. */
const writes = {
  confirmed_by_second_person: store.writeConfirmed,
  addresses_widened: store.writeUnconfirmed,
  revoked: store.writeRevoked,
} satisfies Record<KeyTrigger, unknown>
