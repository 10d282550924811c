/** Calls of one owner in a batch at most while others wait, so that theirs is a short one. */
const OWNER_MAX = 64

/**
 * Divides what waits into what travels now, `count` calls at most, and what stays. Owners take turns: one call of each, in the order
 * in which they came, then a second of each, up to 64 while more than one owner waits. The calls of one owner stay in their order.
 * @param turnOf whose a call is; empty: nobody's in particular, which waits for no other call
 */
export function takeInTurns<Item, Call extends { readonly item: Item }>(
  calls: Call[],
  count: number,
  turnOf: ((item: Item) => string) | undefined,
): [taken: Call[], left: Call[]] {
  const rounds = turnOf === undefined || calls.length <= OWNER_MAX ? null : roundsOf(calls, turnOf)
  // Out of their array: a map that changes all the time is written anew all the time, and what it was written in before, grown
  // old, would keep all that stood there from being collected while it is young.
  if (rounds === null) return [calls.splice(0, count), calls]
  const taken = rounds.slice(0, OWNER_MAX).flat().slice(0, count)
  if (taken.length === calls.length) return [calls.splice(0), calls]
  const gone = new Set(taken)
  return [taken, calls.filter((call) => !gone.has(call))]
}

/** The first call of each owner, then the second of each; null when all are one owner's. */
function roundsOf<Item, Call extends { readonly item: Item }>(
  calls: readonly Call[],
  turnOf: (item: Item) => string,
): Call[][] | null {
  const rounds: Call[][] = [[]]
  const roundOf = new Map<string, number>()
  for (const call of calls) {
    const name = turnOf(call.item)
    const round = name === '' ? 0 : (roundOf.get(name) ?? 0)
    roundOf.set(name, round + 1)
    const others = rounds[round]
    if (others === undefined) rounds[round] = [call]
    else others.push(call)
  }
  return roundOf.size === 1 ? null : rounds
}
