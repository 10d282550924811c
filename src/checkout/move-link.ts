import { defineEffect } from '../platform/commands/effects.ts'
import { defineTransition } from '../platform/commands/transitions.ts'
import type { LinkRow } from './link.ts'
import { linkTransitions } from './link-states.ts'
import * as linkStore from './link-store.ts'

/**
 * Moves a locked link along its table of transitions; see `defineTransition`. `taken_by`: the session that holds the link
 * afterwards, absent when the same one still does.
 */
export const transitionLink = defineTransition({
  rank: 'payment link',
  transitions: linkTransitions,
  write: linkStore.updateLinks,
  change: (link: LinkRow, { to }, { taken_by = link.taken_by }: { taken_by?: string | null }, now) => ({
    taken_by,
    closed_at: to === 'closed' ? now : link.closed_at,
  }),
})

/** Writes the session that holds a locked link. Its state stays. */
export const setHolder = defineEffect('payment link', linkStore.updateHolders)
