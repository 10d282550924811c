import { counterpartAccount, counterparts, viewAdjustment } from '../../adjustments/adjustment.ts'
import { decideAdjustment } from '../../adjustments/decide-adjustment.ts'
import { readAdjustment, readAdjustments } from '../../adjustments/find-adjustments.ts'
import { proposeAdjustment } from '../../adjustments/propose-adjustment.ts'
import type { ActFacts } from '../../people/terminals/act-facts.ts'
import { type Command, CommandError, defineCommand, idOf, readAmount, readTenant, readText } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { factsOfSum, factsOfTenant } from '../sign-in/act-facts.ts'

const REASON_MAX = 500

const adjustmentPropose = defineCommand({
  name: 'adjustment propose',
  summary: "Propose a correction of a merchant's available balance: more (credit) or less (debit)",
  right: 'adjustments.manage',
  fresh: true,
  facts: factsOfSum,
  options: {
    merchant: 'needed',
    mode: 'needed',
    direction: {
      kind: 'needed',
      says: 'credit: the service owes the merchant more; debit: less',
      choices: ['credit', 'debit'],
    },
    amount: 'needed',
    against: { kind: 'needed', says: 'the account that it is booked against', choices: counterparts },
    reason: 'needed',
    as: 'optional',
  },
  async run(context, { merchant, mode, direction, amount, against, reason, as }) {
    const result = await proposeAdjustment(
      { sql: await context.sql(), clock: context.clock },
      {
        ...readTenant({ merchant, mode }),
        direction,
        amount: readAmount('amount', amount),
        counterpart: counterpartAccount(against)!,
        reason: readText('reason', reason, REASON_MAX),
        proposed_by: context.actor(as),
      },
    )
    if (result.kind === 'refused') {
      const unknown = result.code === 'resource_not_found'
      throw new CommandError(
        unknown ? `There is no merchant ${merchant}.` : 'An API key cannot propose. Name a person with --as.',
      )
    }
    return { adjustment_id: result.adjustment.id, ...viewAdjustment(result.adjustment) }
  },
})

const adjustmentApprove = decision(
  'approve',
  'approved',
  'Approve and book an adjustment; needs a person other than the proposer',
)
const adjustmentRefuse = decision('refuse', 'refused', 'Refuse an adjustment; nothing is booked')

/** The proposed adjustment. */
async function factsOfProposed(context: CommandContext, { id }: { id: string }): Promise<ActFacts> {
  const adjustment = await readAdjustment(await context.sql(), id)
  if (adjustment === null) return {}
  const { amount, direction, reason, proposed_by: requested_by } = adjustment
  const { against } = viewAdjustment(adjustment)
  return { ...(await factsOfTenant(context, adjustment)), amount, direction, against, reason, requested_by }
}

function decision(verb: string, status: 'approved' | 'refused', summary: string) {
  return defineCommand({
    name: `adjustment ${verb}`,
    summary,
    right: 'adjustments.manage',
    ...(status === 'approved' ? { fresh: true, facts: factsOfProposed } : {}),
    options: { id: idOf('adj', 'adjustment'), as: 'optional' },
    async run(context, { id, as }) {
      const result = await decideAdjustment(await context.sql(), id, { status, decided_by: context.actor(as) })
      if (result.kind === 'refused') throw new CommandError(refusals[result.code])
      return { adjustment_id: id, ...viewAdjustment(result.adjustment) }
    },
  })
}

const refusals = {
  resource_not_found: 'There is no such adjustment.',
  already_decided: 'This adjustment is already decided.',
  same_person:
    'The proposer cannot decide, nor whoever let them in within 90 days, and an API key never can. Name another person with --as.',
  insufficient_funds: 'The available balance does not cover the adjustment yet. It keeps waiting.',
}

const adjustmentList = defineCommand({
  name: 'adjustment list',
  summary: 'Show the adjustments of a merchant, newest first',
  options: { merchant: 'needed', mode: 'needed' },
  table: {
    rows: 'adjustments',
    columns: ['id', 'status', 'direction', 'amount', 'proposed_at', 'reason'],
    empty: 'This merchant has no adjustments.',
  },
  async run(context, { merchant, mode }) {
    const adjustments = await readAdjustments(await context.sql(), readTenant({ merchant, mode }))
    return { adjustments: adjustments.map(viewAdjustment) }
  },
})

export const commands: readonly Command[] = [adjustmentPropose, adjustmentApprove, adjustmentRefuse, adjustmentList]
