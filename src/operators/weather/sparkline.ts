const LEVELS = '▁▂▃▄▅▆▇█'

/** Draws shares from 0 to 1 as a line of bars in eight heights. Only 1 has the full height, and null is a dot. */
export function sparkline(shares: readonly (number | null)[]): string {
  return shares.map((share) => (share === null ? '·' : LEVELS[Math.floor(share * (LEVELS.length - 1))])).join('')
}
