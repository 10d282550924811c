/** A promise beside what was seen of it. */
export type Promised = { what: string; wanted: string; seen: string; kept: boolean }

/** That something never happens. */
export function never(what: string, seen: number): Promised {
  return { what, wanted: '0', seen: String(seen), kept: seen === 0 }
}

/** That it takes so many seconds at most. */
export function within(what: string, seconds: number, wanted: number): Promised {
  return { what, wanted: `${wanted} s at most`, seen: `${seconds.toFixed(1)} s`, kept: seconds <= wanted }
}

/** That there is as much of it as was asked for, so that a promise is not kept by nothing having happened. */
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
