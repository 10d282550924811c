/** Most calls of one owner in a batch while other owners wait, so that the others wait for a short batch. */
const OWNER_MAX = 64

/**
 * Divides the waiting calls into those of the next batch (`count` at most) and the rest. Owners take turns: one call of
 * each owner in order of arrival, then a second of each, up to 64 while several owners wait. The calls of one owner
 * stay in order.
 * @param turnOf the owner of a call; a call with an empty owner waits for no other call
 */
export function takeInTurns<Item, Call extends { readonly item: Item }>(
  calls: Call[],
  count: number,
  turnOf: ((item: Item) => string) | undefined,
): [taken: Call[], left: Call[]] {
  const rounds = turnOf === undefined || calls.length <= OWNER_MAX ? null : roundsOf(calls, turnOf)
  // Splice from the same array instead of building new arrays. A map that changes all the time gets new storage all the
  // time, and its old storage, once promoted by the garbage collector, would keep everything in it alive.
  if (rounds === null) return [calls.splice(0, count), calls]
  const taken = rounds.slice(0, OWNER_MAX).flat().slice(0, count)
  if (taken.length === calls.length) return [calls.splice(0), calls]
  const gone = new Set(taken)
  return [taken, calls.filter((call) => !gone.has(call))]
}

/** The first call of each owner, then the second of each. Null when all belong to one owner. */
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
