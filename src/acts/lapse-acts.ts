import type { ActName } from '../audit-log/act-words.ts'
import type { Effect } from '../platform/commands/effects.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { defineLapse, type LapsingKind } from './lapse-proposals.ts'
import type { ActProposal, ProposedAct } from './proposal.ts'
import { lockProposal, writeActDecision } from './proposal-store.ts'

/** The line of the audit log of each act that waits. */
const proposedAs: Readonly<Record<ProposedAct, ActName>> = {
  'balance.deposit': 'deposit.propose',
  'refund.create': 'refund.propose',
  'connector.set': 'connector.propose',
  'route.set': 'route.propose',
  'external_account.open': 'external_account.open',
  'reconcile.type': 'reconcile.type',
  'reconcile.withdraw': 'reconcile.withdraw',
  'reconcile.propose': 'reconcile.propose',
  'merchant_check.propose': 'merchant_check.propose',
}

type Lapsing = {
  /** The prefix of their ids. */
  readonly prefix: 'prp' | 'rcp'
  readonly lock: (tx: Tx, id: string) => Promise<ActProposal | null>
  readonly undo?: (row: ActProposal) => readonly Effect[]
}

/** How acts lapse that wait for a second person. The secrets of their settings are deleted. */
export const lapsingActs = ({ prefix, ...kind }: Lapsing): LapsingKind =>
  defineLapse<ActProposal>({
    ...kind,
    table: 'act_proposals',
    ids: `${prefix}\\_%`,
    proposedAs: ({ act }) => proposedAs[act],
    write: (row) => writeActDecision({ ...row, sealed: null }),
  })

/** Deposits, refunds, connectors, routes and the checks of merchants. */
export const lapsingWaitingActs = lapsingActs({
  prefix: 'prp',
  lock: (tx, id) =>
    lockProposal(tx, id, 'balance.deposit', 'refund.create', 'connector.set', 'route.set', 'merchant_check.propose'),
})
