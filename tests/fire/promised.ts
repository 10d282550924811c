/** A promise and the measurement that keeps or breaks it. */
export type Promised = { what: string; wanted: string; seen: string; kept: boolean }

/** The promise that something never happens. */
export function never(what: string, seen: number): Promised {
  return { what, wanted: '0', seen: String(seen), kept: seen === 0 }
}

/** The promise that something takes at most `wanted` seconds. */
export function within(what: string, seconds: number, wanted: number): Promised {
  return { what, wanted: `${wanted} s at most`, seen: `${seconds.toFixed(1)} s`, kept: seconds <= wanted }
}

/** The promise that something happened at least `wanted` times, so that an idle run keeps no promise. */
export function happened(what: string, seen: number, wanted: number): Promised {
  return { what, wanted: `${wanted} at least`, seen: String(seen), kept: seen >= wanted }
}

/** The promises in Markdown, as docs/reliability.md has them. */
export function tableOf(promised: readonly Promised[]): string {
  const row = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [
    row(['Promise', 'Wanted', 'Seen', '']),
    row(['---', '---', '---', '---']),
    ...promised.map(({ what, wanted, seen, kept }) => row([what, wanted, seen, kept ? 'kept' : '**broken**'])),
  ].join('\n')
}
