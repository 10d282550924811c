/**
 * Divides what waits into what travels now, `count` calls at most, and what stays. Owners take turns: one call of each, in the order
 * in which they came, then a second of each. The calls of one owner stay in their order.
 */
export function takeInTurns<Item, Call extends { readonly item: Item }>(
  calls: Call[],
  count: number,
  turnOf: ((item: Item) => string) | undefined,
): [taken: Call[], left: Call[]] {
  // Out of their array: a map that changes all the time is written anew all the time, and what it was written in before, grown
  // old, would keep all that stood there from being collected while it is young.
  if (calls.length <= count || turnOf === undefined) return [calls.splice(0, count), calls]
  const rounds: Call[][] = []
  const roundOf = new Map<string, number>()
  for (const call of calls) {
    const name = turnOf(call.item)
    const round = roundOf.get(name) ?? 0
    roundOf.set(name, round + 1)
    const others = rounds[round]
    if (others === undefined) rounds[round] = [call]
    else others.push(call)
  }
  const taken = rounds.flat().slice(0, count)
  const gone = new Set(taken)
  return [taken, calls.filter((call) => !gone.has(call))]
}
