import { resolutions, viewAnomaly, viewProposal } from '../../anomalies/anomaly.ts'
import { type DecideResolutionResult, decideResolution } from '../../anomalies/decide-resolution.ts'
import { readAnomalies, readAnomaly } from '../../anomalies/find-anomalies.ts'
import { type OpenAnomalyResult, openAnomaly } from '../../anomalies/open-anomaly.ts'
import { type ProposeResult, proposeResolution } from '../../anomalies/propose-resolution.ts'
import { conclusions } from '../../app/work.ts'
import type { ActFacts } from '../../people/terminals/act-facts.ts'
import {
  type Command,
  CommandError,
  defineCommand,
  idOf,
  readAmount,
  readMerchant,
  readTenant,
  readText,
  sampleId,
} from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { openRegistry } from '../open-registry.ts'
import { factsOfTenant } from '../sign-in/act-facts.ts'

const REASON_MAX = 500

const anomalyList = defineCommand({
  name: 'anomaly list',
  summary: 'Show the open anomalies (reports of operators that contradict our records), with their evidence',
  options: { merchant: 'optional', mode: 'optional' },
  table: {
    rows: 'anomalies',
    columns: ['id', 'merchant', 'kind', 'opened_at', 'fact'],
    empty: 'No anomaly is open.',
  },
  async run(context, { merchant, mode }) {
    if ((merchant === undefined) !== (mode === undefined)) {
      throw new CommandError('Give --merchant and --mode together.', 2)
    }
    const tenant = merchant === undefined ? null : readTenant({ merchant, mode: mode! })
    return { anomalies: (await readAnomalies(await context.sql(), tenant)).map(viewAnomaly) }
  },
})

const anomalyShow = defineCommand({
  name: 'anomaly show',
  summary: 'Show an anomaly, its subject and the proposed resolution',
  options: { id: idOf('ano', 'anomaly') },
  async run(context, { id }) {
    const file = await readAnomaly(await context.sql(), id)
    if (file === null) throw new CommandError(`There is no anomaly ${id}.`)
    const { anomaly, subject, proposals } = file
    const about =
      subject === null
        ? null
        : {
            direction: subject.direction,
            amount: subject.amount,
            state: subject.state,
            failure_code: subject.failure_code,
          }
    return { ...viewAnomaly(anomaly), about, proposals: proposals.map(viewProposal) }
  },
})

const anomalyOpen = defineCommand({
  name: 'anomaly open',
  summary: 'Open an anomaly about a payment, payout or refund without a final status from its operator in time',
  right: 'cases.decide',
  options: {
    subject: { kind: 'needed', value: 'ID', says: 'the payment, payout or refund', sample: sampleId('txn') },
    reason: 'needed',
    as: 'optional',
  },
  async run(context, { subject, reason, as }) {
    const { clock } = context
    const sql = await context.sql()
    const registry = await openRegistry(context)
    const why = { reason: readText('reason', reason, REASON_MAX), opened_by: context.actor(as) }
    const result = await openAnomaly({ sql, clock, registry }, subject, why)
    if (result.kind === 'refused') throw new CommandError(whyNotOpened[result.code])
    return { anomaly_id: result.anomaly_id, subject_id: subject }
  },
})

const whyNotOpened: Record<Extract<OpenAnomalyResult, { kind: 'refused' }>['code'], string> = {
  not_a_person: 'An API key cannot open an anomaly. Name a person with --as.',
  resource_not_found: 'No order with this id was sent to an operator.',
  not_open: 'This operation is not in doubt: it has ended, or it was never sent.',
  too_early:
    'The operator may still answer. Open an anomaly once the operator has been silent for the full waiting time.',
  opened_before: 'An anomaly about this operation is already open. See bandama anomaly list.',
}

const resolutionWords =
  'how to close it: as_proven or as_refused ends an open operation; credit_available or debit_available adjusts what is owed; ' +
  'returned_by_hand: the operator has its money back; nothing: close without any change'

const anomalyPropose = defineCommand({
  name: 'anomaly propose',
  summary: 'Propose how to close an anomaly; another person decides',
  right: 'cases.decide',
  options: {
    id: idOf('ano', 'anomaly'),
    resolution: { kind: 'needed', value: 'R', says: resolutionWords, choices: resolutions, sample: 'nothing' },
    amount: { kind: 'optional', says: 'the francs that the operator moved, or to adjust' },
    merchant: { kind: 'optional', says: 'the merchant to credit, when the anomaly has none' },
    reason: 'needed',
    as: 'optional',
  },
  async run(context, { id, resolution, amount, merchant, reason, as }) {
    const deps = { sql: await context.sql(), clock: context.clock, registry: await openRegistry(context) }
    const result = await proposeResolution(deps, id, {
      resolution,
      amount: amount === undefined ? null : readAmount('amount', amount),
      of_merchant_id: merchant === undefined ? null : readMerchant(merchant),
      reason: readText('reason', reason, REASON_MAX),
      proposed_by: context.actor(as),
    })
    if (result.kind === 'refused') {
      throw new CommandError(
        result.code === 'too_early'
          ? `The order was sent less than ${result.minutes} minutes ago and may still arrive. Propose as_refused later.`
          : whyNotProposed[result.code],
      )
    }
    return { anomaly_id: id, ...viewProposal(result.proposal) }
  },
})

const whyNotProposed: Record<Exclude<Extract<ProposeResult, { kind: 'refused' }>['code'], 'too_early'>, string> = {
  not_a_person: 'An API key cannot propose. Name a person with --as.',
  resource_not_found: 'There is no such anomaly.',
  already_closed: 'This anomaly is closed.',
  already_proposed: 'A proposal for this anomaly already waits for a decision.',
  unknown_merchant: 'There is no such merchant.',
  does_not_fit:
    'This resolution does not fit. End an open operation first (as_proven or as_refused); adjust or refund one that has ended.',
  amount_needed: '--amount is missing: the francs that the operator moved, or to adjust.',
  amount_not_taken: 'This resolution takes no --amount. Leave it out.',
  merchant_needed: 'Name the merchant to credit with --merchant.',
  merchant_not_taken: '--merchant is only for crediting an anomaly that has no merchant. Leave it out.',
}

/** The proposal that waits, with the amount of the operation that it ends when it has none of its own. */
async function factsOfProposal(context: CommandContext, { id }: { id: string }): Promise<ActFacts> {
  const file = await readAnomaly(await context.sql(), id)
  const proposal = file?.proposals.find(({ status }) => status === 'proposed')
  if (file === null || proposal === undefined) return {}
  const { id: proposal_id, resolution, reason, of_merchant_id, proposed_by: requested_by } = proposal
  const amount = proposal.amount ?? file.subject?.amount
  const merchant_id = of_merchant_id ?? file.anomaly.merchant_id
  return {
    ...(await factsOfTenant(context, { merchant_id, livemode: file.anomaly.livemode })),
    ...(amount === undefined ? {} : { amount }),
    ...{ proposal_id, resolution, reason, requested_by },
  }
}

const anomalyApprove = decision(
  'approve',
  'Carry out the proposed resolution and close the anomaly; needs a person other than the proposer',
)
const anomalyRefuse = decision('refuse', 'Refuse the proposed resolution; the anomaly stays open')

function decision(verb: 'approve' | 'refuse', summary: string) {
  return defineCommand({
    name: `anomaly ${verb}`,
    summary,
    right: 'cases.decide',
    ...(verb === 'approve' ? { fresh: true, facts: factsOfProposal } : {}),
    options: { id: idOf('ano', 'anomaly'), as: 'optional' },
    async run(context, { id, as }) {
      const { clock } = context
      const { proposal_id } = context.facts ?? {}
      const result = await decideResolution({ sql: await context.sql(), clock, conclusions }, id, {
        approve: verb === 'approve',
        decided_by: context.actor(as),
        // If another proposal waits by now, the person has not confirmed that one.
        ...(proposal_id === undefined ? {} : { proposal_id }),
      })
      if (result.kind === 'refused') throw new CommandError(whyNotDecided[result.code])
      return { anomaly_id: id, ...viewProposal(result.proposal) }
    },
  })
}

const whyNotDecided: Record<Extract<DecideResolutionResult, { kind: 'refused' }>['code'], string> = {
  resource_not_found: 'There is no such anomaly.',
  not_proposed: 'No proposal for this anomaly waits for a decision.',
  same_person:
    'The proposer cannot decide, nor whoever let them in within 90 days, and an API key never can. Name another person with --as.',
  does_not_fit:
    'The proposal no longer fits: its subject has ended or was sent again since. Refuse the proposal and make another.',
  insufficient_funds: 'The available balance does not cover it yet. The proposal keeps waiting.',
}

export const commands: readonly Command[] = [
  anomalyList,
  anomalyShow,
  anomalyOpen,
  anomalyPropose,
  anomalyApprove,
  anomalyRefuse,
]
