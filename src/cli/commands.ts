import type { Command } from './command.ts'

type Family = {
  /** The first words of its commands. */
  words: readonly string[]
  load(): Promise<{ commands: readonly Command[] }>
}

/** In the order of the overview. A file is loaded when one of its commands is asked for: most of them need little of what others do. */
const families: readonly Family[] = [
  { words: ['serve'], load: () => import('./serve.ts') },
  { words: ['listen'], load: () => import('./listen.ts') },
  { words: ['migrate', 'audit'], load: () => import('./operations.ts') },
  { words: ['merchant'], load: () => import('./merchant.ts') },
  { words: ['key'], load: () => import('./key.ts') },
  { words: ['deposit', 'transfer', 'balance', 'fees'], load: () => import('./money.ts') },
  { words: ['caps', 'request', 'batch', 'payouts'], load: () => import('./payout.ts') },
  { words: ['refund'], load: () => import('./refund.ts') },
  { words: ['beneficiary', 'destination'], load: () => import('./beneficiary.ts') },
  { words: ['floor', 'settlement'], load: () => import('./settlement.ts') },
  { words: ['statement'], load: () => import('./statement.ts') },
  { words: ['link', 'session'], load: () => import('./link.ts') },
  { words: ['endpoint', 'event'], load: () => import('./webhook.ts') },
  { words: ['anomaly'], load: () => import('./anomaly.ts') },
  { words: ['adjustment'], load: () => import('./adjustment.ts') },
]

/** The command whose name these words begin with; null when there is none. */
export async function findCommand(words: readonly string[]): Promise<Command | null> {
  const family = families.find((each) => each.words.includes(words[0] ?? ''))
  if (family === undefined) return null
  const { commands } = await family.load()
  return commands.find(({ name }) => words.slice(0, name.split(' ').length).join(' ') === name) ?? null
}

/** Every command, in the order in which they are listed. */
export async function allCommands(): Promise<Command[]> {
  const loaded = await Promise.all(families.map((family) => family.load()))
  return loaded.flatMap(({ commands }) => commands)
}
