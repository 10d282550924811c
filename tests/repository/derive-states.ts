import type { Transition } from '../../src/values/transition.ts'

/** A resource with states, as docs/states.md shows it. */
export type StateTable = {
  title: string
  /** The path of its table, from docs/. */
  source: string
  /** The introduction before the table. */
  text: string
  /** Its initial states. */
  initial: readonly string[]
  transitions: readonly Transition<string>[]
  /** The meaning of its states, if their names are not English. */
  gloss?: Readonly<Record<string, string>>
}

const heading = `# States

Generated from the tables of transitions by \`npm run derive\`; a test fails when this page is stale. The code makes no other
transition. The database refuses any other of payments, payouts, batches, sessions, links, settlements and refunds too.
`

/** Derives the page docs/states.md: for each resource its rows, in the order of the code. */
export function renderStates(tables: readonly StateTable[]): string {
  return `${[heading, ...tables.map(renderTable)].join('\n')}`
}

function renderTable({ title, source, text, initial, transitions, gloss }: StateTable): string {
  const froms = new Set(transitions.map(({ from }) => from))
  const ends = [...new Set(transitions.map(({ to }) => to))].filter((status) => !froms.has(status))
  const rows = transitions.map(
    ({ from, trigger, to, event }) =>
      `| \`${from}\` | ${trigger.replaceAll('_', ' ')} | \`${to}\` | ${event === null ? '' : `\`${event}\``} |`,
  )
  const meanings = Object.entries(gloss ?? {}).map(([status, meaning]) => `| \`${status}\` | ${meaning} |`)
  return [
    `## ${title}`,
    '',
    `${text} It begins as ${coded(initial)}${ends.length > 0 ? `; nothing follows ${coded(ends)}` : ''}. Rows: [${source.replace('../', '')}](${source}).`,
    '',
    ...(meanings.length > 0 ? ['| Status | Meaning |', '|---|---|', ...meanings, ''] : []),
    '| From | When | To | Event for the merchant |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

function coded(statuses: readonly string[]): string {
  return statuses.map((status) => `\`${status}\``).join(', ')
}
