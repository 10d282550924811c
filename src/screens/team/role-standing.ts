import type { Say } from '../../console/say.ts'

/** Returns the words after a role that is not in effect yet. Empty: it is. */
export function roleStanding(
  say: Say,
  { to_confirm, to_accept }: { readonly to_confirm: boolean; readonly to_accept: boolean },
): string {
  if (to_confirm && to_accept) return say([', à accepter et à confirmer', ', to accept and to confirm'])
  if (to_accept) return say([', à accepter', ', to accept'])
  return to_confirm ? say([', à confirmer', ', to confirm']) : ''
}
