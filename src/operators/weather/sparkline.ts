const LEVELS = '▁▂▃▄▅▆▇█'

/** Shares from 0 to 1 as a line of bars of eight heights, the full one for 1 alone; a dot where there is none. */
export function sparkline(shares: readonly (number | null)[]): string {
  return shares.map((share) => (share === null ? '·' : LEVELS[Math.floor(share * (LEVELS.length - 1))])).join('')
}
