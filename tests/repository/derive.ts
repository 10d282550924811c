import { writeFile } from 'node:fs/promises'
import { transitions } from '../../src/payments/states.ts'
import { renderStates } from './derive-states.ts'

/** A file that follows from the code. `path` is relative to the root. */
export type DerivedFile = { readonly path: string; readonly text: string }

/** The derived files that need no database, as they should be. */
export function deriveFiles(): DerivedFile[] {
  return [{ path: 'docs/states.md', text: stateTables() }]
}

function stateTables(): string {
  return renderStates([
    {
      title: 'Payment',
      source: '../src/payments/states.ts',
      text: 'A payment is `created` by an accepted request. While an outcome is uncertain it stays `pending`.',
      initial: 'created',
      transitions,
    },
  ])
}

if (import.meta.main) {
  for (const { path, text } of deriveFiles()) await writeFile(new URL(`../../${path}`, import.meta.url), text)
}
