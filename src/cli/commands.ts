import type { Command } from './command.ts'
import { didYouMean, nearest } from './nearest.ts'

type CommandGroup = {
  /** The first words of its commands. */
  words: readonly string[]
  load(): Promise<{ commands: readonly Command[] }>
}

/**
 * The sections of the overview. A file is loaded only when one of its commands is used, because most commands need
 * little of the others' code.
 */
const sections: readonly { title: string; commandGroups: readonly CommandGroup[] }[] = [
  {
    title: 'Run it',
    commandGroups: [
      { words: ['serve'], load: () => import('./commands/serve.ts') },
      { words: ['listen'], load: () => import('./commands/listen.ts') },
      { words: ['twin'], load: () => import('./commands/twin.ts') },
      { words: ['incident'], load: () => import('./commands/incident.ts') },
      { words: ['status'], load: () => import('./commands/status.ts') },
      { words: ['migrate', 'audit'], load: () => import('./commands/operations.ts') },
      { words: ['backup', 'restore'], load: () => import('./commands/backup.ts') },
      { words: ['listings'], load: () => import('./commands/listings.ts') },
    ],
  },
  {
    title: 'Merchants, their keys and people',
    commandGroups: [
      { words: ['merchant'], load: () => import('./commands/merchant.ts') },
      { words: ['merchant-file', 'merchant-check'], load: () => import('./commands/merchant-file.ts') },
      { words: ['key'], load: () => import('./commands/key.ts') },
      { words: ['person'], load: () => import('./commands/person.ts') },
      { words: ['login', 'logout'], load: () => import('./commands/login.ts') },
      { words: ['deposit', 'transfer', 'balance', 'fees'], load: () => import('./commands/money.ts') },
    ],
  },
  {
    title: 'Operators and live mode',
    commandGroups: [
      { words: ['connector'], load: () => import('./commands/connector.ts') },
      { words: ['route'], load: () => import('./commands/route.ts') },
      { words: ['operator'], load: () => import('./commands/operator.ts') },
      { words: ['live'], load: () => import('./commands/live.ts') },
      { words: ['external-account'], load: () => import('./commands/external-account.ts') },
      { words: ['reconcile'], load: () => import('./commands/reconcile-proposals.ts') },
      { words: ['calendar'], load: () => import('./commands/calendar.ts') },
      { words: ['reconcile'], load: () => import('./commands/reconcile.ts') },
      { words: ['reconcile'], load: () => import('./commands/reconcile-differences.ts') },
      { words: ['profile'], load: () => import('./commands/profile.ts') },
      { words: ['margin'], load: () => import('./commands/margin.ts') },
    ],
  },
  {
    title: 'Payouts and approvals',
    commandGroups: [
      { words: ['payout', 'request', 'batch'], load: () => import('./commands/payout-lists.ts') },
      { words: ['caps'], load: () => import('./commands/caps.ts') },
      { words: ['payout', 'request', 'batch', 'payouts'], load: () => import('./commands/payout.ts') },
      { words: ['beneficiary', 'destination'], load: () => import('./commands/beneficiary.ts') },
      { words: ['recipient'], load: () => import('./commands/recipient.ts') },
    ],
  },
  {
    title: 'Payments and refunds',
    commandGroups: [
      { words: ['payment'], load: () => import('./commands/payment.ts') },
      { words: ['refund'], load: () => import('./commands/refund.ts') },
      { words: ['link', 'session'], load: () => import('./commands/link.ts') },
      { words: ['till'], load: () => import('./commands/till.ts') },
      { words: ['receipt'], load: () => import('./commands/receipt.ts') },
    ],
  },
  {
    title: 'Settlements and statements',
    commandGroups: [
      { words: ['settlement'], load: () => import('./commands/settlement.ts') },
      { words: ['statement'], load: () => import('./commands/statement.ts') },
    ],
  },
  {
    title: 'Webhooks and calls',
    commandGroups: [
      { words: ['endpoint', 'event', 'delivery', 'request-log'], load: () => import('./commands/webhook-lists.ts') },
      { words: ['endpoint', 'event'], load: () => import('./commands/webhook.ts') },
    ],
  },
  {
    title: 'Doubts, anomalies and adjustments',
    commandGroups: [
      { words: ['doubt'], load: () => import('./commands/doubt.ts') },
      { words: ['anomaly'], load: () => import('./commands/anomaly.ts') },
      { words: ['adjustment'], load: () => import('./commands/adjustment.ts') },
    ],
  },
  {
    title: 'Audit log',
    commandGroups: [{ words: ['audit-log'], load: () => import('./commands/audit-log.ts') }],
  },
]

const commandGroups = sections.flatMap((section) => section.commandGroups)
const nouns = [...new Set(commandGroups.flatMap(({ words }) => words))]

/** Finds the command whose name these words begin with. Null when there is none. */
export async function findCommand(words: readonly string[]): Promise<Command | null> {
  const commands = await commandsOf(words[0] ?? '')
  const named = commands.filter(({ name }) => words.slice(0, name.split(' ').length).join(' ') === name)
  // `deposit approve` is a command besides `deposit`.
  return named.toSorted((one, other) => other.name.length - one.name.length)[0] ?? null
}

/** The commands of a noun; empty when there is no such noun. */
export async function commandsOf(noun: string): Promise<readonly Command[]> {
  const loaded = await Promise.all(
    commandGroups.filter(({ words }) => words.includes(noun)).map((group) => group.load()),
  )
  return loaded.flatMap(({ commands }) => commands).filter(({ name }) => name.split(' ')[0] === noun)
}

/** All commands by section, in the order of the overview. */
export async function allCommands(): Promise<{ title: string; commands: Command[] }[]> {
  return Promise.all(
    sections.map(async ({ title, commandGroups }) => ({
      title,
      commands: (await Promise.all(commandGroups.map((group) => group.load()))).flatMap(({ commands }) => commands),
    })),
  )
}

/** The message for words that name no command, with the most likely intended one. */
export async function explainUnknown([noun = '', verb]: readonly string[]): Promise<string> {
  const commands = await commandsOf(noun)
  if (commands.length > 0) {
    const verbs = commands.map(({ name }) => name.split(' ')[1]!)
    if (verb === undefined) return `bandama ${noun} needs a verb: ${verbs.join(', ')}.`
    return `bandama ${noun} has no verb ${verb}.${didYouMean(verb, verbs, `bandama ${noun} `)}`
  }
  // The words may be swapped, or only the noun mistyped.
  const swapped = verb === undefined ? null : await findCommand([verb, noun])
  if (swapped !== null) return `There is no command ${noun}. Did you mean bandama ${swapped.name}?`
  const meant = nearest(noun, nouns)
  const whole = meant !== null && verb !== undefined ? await findCommand([meant, verb]) : null
  if (whole !== null) return `There is no command ${noun}. Did you mean bandama ${whole.name}?`
  return `There is no command ${noun}.${didYouMean(noun, nouns, 'bandama ')}`
}
