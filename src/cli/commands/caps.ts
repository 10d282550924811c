import type { CapName, CapProposal } from '../../payouts/caps/cap-proposal.ts'
import { decideCapProposal } from '../../payouts/caps/decide-cap-proposal.ts'
import { readWaitingCapProposals } from '../../payouts/caps/proposal-store.ts'
import { changeCap } from '../../payouts/caps/propose-cap.ts'
import { readCaps } from '../../payouts/caps/read-caps.ts'
import { setCaps } from '../../payouts/caps/set-caps.ts'
import type { Tenant } from '../../values/caller.ts'
import { actCommand } from '../act-command.ts'
import { type Command, CommandError, defineCommand, readAmount, readMode, readTenant } from '../command.ts'
import type { CommandContext } from '../command-context.ts'

type Typed = { merchant: string; mode: string; reason: string | undefined } & Record<CapName, string | undefined>

const ofStaff = actCommand(changeCap, {
  details:
    'A signed-in person gives one cap and a reason. A lower cap applies at once; a higher one applies once another person has confirmed it ' +
    '(caps approve, or the desk). Without a sign-in each cap applies at once. The cap of a payment applies in both modes and is set with --mode live: the ' +
    'service refuses larger payments with amount_above_limit. A merchant without its own has that of COLLECTION_AMOUNT_MAX.',
  example: '--merchant 1 --mode live --day 1000000',
  deps: async ({ config }) => ({ payoutCaps: config }),
  instead: {
    options: {
      operation: 'optional',
      day: 'optional',
      payment: { kind: 'optional', value: 'FRANCS', says: 'the largest payment', sample: '500000' },
      reason: { kind: 'optional', says: 'the reason, for the person who confirms; only after bandama login' },
    },
    typed: (given) => readWish(given as Typed),
  },
  answer: ({ cap, amount, proposal }) => ({
    ...{ cap, amount, status: proposal === null ? 'in_force' : 'proposed', proposal_id: proposal?.id ?? null },
  }),
  advice: ({ proposal }) =>
    proposal && 'The higher cap applies once another person has confirmed it: caps approve, or the desk.',
})

/** Without a sign-in it sets every given cap at once, on the host. */
const capsSet: Command = {
  ...ofStaff,
  async run(context, given: never, output) {
    if (context.signedIn !== null) return ofStaff.run(context, given, output)
    const typed: Typed & { as?: string } = given
    if (typed.reason !== undefined) throw new CommandError('--reason needs a sign-in (bandama login). Leave it out.', 2)
    const { tenant, caps } = readCapsGiven(typed)
    const sql = await context.sql()
    const result = await setCaps(sql, tenant, Object.fromEntries(caps), context.actor(typed.as))
    if (result.kind === 'refused') throw new CommandError(`There is no merchant ${typed.merchant}.`)
    // All three caps in force: where the merchant has none of its own, "none" would read as no cap at all.
    return readCaps(sql, tenant, context.config)
  },
}

/** Reads the given caps, in francs. @throws CommandError when none is given, or one of a payment in test mode */
function readCapsGiven({ merchant, mode, operation, day, payment }: Typed): {
  tenant: Tenant
  caps: [CapName, number][]
} {
  const tenant = readTenant({ merchant, mode })
  const given = Object.entries({ operation, day, payment }) as [CapName, string | undefined][]
  const caps = given.flatMap(([cap, text]): [CapName, number][] =>
    text === undefined ? [] : [[cap, readAmount(cap, text)]],
  )
  if (caps.length === 0) throw new CommandError('Give --operation, --day, --payment or several of them.', 2)
  if (payment !== undefined && !tenant.livemode) {
    throw new CommandError('The cap of a payment applies in both modes: set it with --mode live.', 2)
  }
  return { tenant, caps }
}

/** Reads the one cap that a signed-in person changes, because each needs its own second person. @throws CommandError for several */
function readWish(typed: Typed): { cap: string; amount: string; reason: string } {
  const { caps } = readCapsGiven(typed)
  const [first, ...more] = caps
  if (more.length > 0) throw new CommandError('Change one cap at a time: each is confirmed by itself.', 2)
  if (typed.reason === undefined) throw new CommandError('--reason is missing: the person who confirms reads it.', 2)
  const [cap, amount] = first!
  return { cap, amount: String(amount), reason: typed.reason }
}

const capsList = defineCommand({
  name: 'caps list',
  summary: 'Show the higher caps that wait for a second person, oldest first',
  options: { mode: 'needed' },
  table: {
    rows: 'proposals',
    columns: ['id', 'merchant_id:merchant', 'cap', 'amount', 'proposed_at', 'proposed_by', 'reason'],
    empty: 'No cap waits.',
  },
  async run(context, { mode }) {
    return { proposals: (await readWaitingCapProposals(await context.reads(), readMode(mode))).map(viewProposal) }
  },
})

function viewProposal({ id, merchant_id, livemode, ...rest }: CapProposal): object {
  return { id, merchant_id, livemode, ...rest }
}

const decides = { deps: async ({ config }: CommandContext) => ({ payoutCaps: config }), answer: viewProposal }

export const commands: readonly Command[] = [
  capsSet,
  capsList,
  actCommand(decideCapProposal.approve, decides),
  actCommand(decideCapProposal.refuse, decides),
]
