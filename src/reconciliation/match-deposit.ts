import { type ActDecision, defineAct, type RefusalWords, refuse, row } from '../acts/act.ts'
import { decidedAlready, decisionTransitions } from '../acts/decision.ts'
import { text } from '../acts/facts.ts'
import type { ActProposal } from '../acts/proposal.ts'
import { readProposal, writeActDecision } from '../acts/proposal-store.ts'
import { type Beginners, isSecondPerson, readBeginners } from '../acts/second-person.ts'
import { BANK } from '../external-accounts/external-account.ts'
import {
  bookProposed,
  loadDeposit,
  lockDeposit,
  proposedFacts,
  proposedRefusals,
  type TypedDeposit,
} from '../ledger/fill-transfer.ts'
import { STAFF } from '../people/person.ts'
import { readEffectiveRoles } from '../people/store.ts'
import type { Clock } from '../platform/clock.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { type CreditLine, readCreditLines } from '../statement-files/import/credit-lines.ts'
import { lockStatements } from '../statement-files/import/find-account.ts'
import { tenantOf } from '../values/caller.ts'
import { findTransition } from '../values/transition.ts'
import * as store from './store.ts'

const useLine = defineEffect<store.DepositLine>('new row', async (tx, lines) => {
  for (const line of lines) await store.insertDepositLine(tx, line)
})

/** The line in the place of a second person, or why there is none. */
type Found =
  | { readonly kind: 'line'; readonly line: CreditLine }
  | { readonly kind: 'no_line' | 'line_used' | 'same_role' }

const refusals = {
  ...proposedRefusals,
  already_decided: decidedAlready,
  no_line: {
    words: [
      'Aucun relevé importé de ce compte ne montre cette somme sous cette référence.',
      'No imported statement of this account shows this sum under this reference.',
    ],
    command:
      "No line of a bank's file in this account shows this sum under this reference. Import the file: bandama reconcile import.",
  },
  line_used: [
    'La ligne du relevé a déjà confirmé un autre dépôt.',
    'The line of the statement has confirmed another deposit already.',
  ],
  same_role: {
    words: [
      'Le relevé doit être importé par une personne d’un autre rôle, que vous n’avez pas fait entrer. Une deuxième personne peut confirmer.',
      'The statement has to be imported by a person of another role than the proposer’s. A second person can confirm.',
    ],
    command:
      'The person who imported the file has no role in the staff, has a role of the proposer, or let the proposer in within 90 days. Another person approves it.',
  },
} as const satisfies Record<string, RefusalWords>

/**
 * Books a deposit that waits, on a line of the bank's file in its account: the line shows its sum and its reference, and the person who imported the
 * file counts as the second person. That person has a role of the staff and none of the first one's, and did not let them in within 90 days. Each line
 * serves one deposit. Refusals in order of precedence: decided already, no such line, all of them used, nobody of another role imported one, then those of booking.
 */
export const matchDeposit = defineAct({
  name: 'deposit.match',
  summary: "Book a deposit that waits, on a line of the bank's file that a person of another role imported",
  title: ['Inscrire d’après le relevé', 'Book it on the statement'],
  right: 'deposits.record',
  fresh: true,
  on: row('prp', 'proposed deposit'),
  fields: {},
  async load(tx, { id }, { clock }: { readonly clock: Clock }) {
    const known = await readProposal(tx, id, ['balance.deposit'])
    if (known === null) return null
    const { account = BANK } = known.typed as TypedDeposit
    // Before the proposal: no file of the account is withdrawn meanwhile.
    await lockStatements(tx, { livemode: known.livemode, account })
    const proposal = (await lockDeposit(tx, id))!
    const first = await readBeginners(tx, [proposal.proposed_by])
    const found = await findLine(tx, proposal, account, first)
    return { about: tenantOf(proposal), proposal, account, found, filling: await loadDeposit(tx, proposal, clock) }
  },
  facts: {
    ...proposedFacts,
    day: text(['Jour du relevé', 'Day of the statement']),
    imported_by: text(['Relevé importé par', 'Statement imported by']),
  },
  content: ({ proposal: { typed, proposed_by: requested_by }, account, found }) => ({
    ...{
      amount: typed.deposited,
      reference: typed.reference,
      account: account === BANK ? null : account,
      requested_by,
    },
    day: found.kind === 'line' ? found.line.day : null,
    imported_by: found.kind === 'line' ? found.line.imported_by : null,
  }),
  decide(_, { proposal, account, found, filling }, now): ActDecision<ActProposal, keyof typeof refusals> {
    const transition = findTransition(decisionTransitions, proposal.status, 'approved_by_second_person')
    if (transition === null) return refuse('already_decided')
    if (found.kind !== 'line') return refuse(found.kind)
    const booked = bookProposed(filling)
    if ('kind' in booked) return booked
    const { id: line_id, month: line_month, imported_by, file_id } = found.line
    const { outcome } = booked.row
    const decision = { status: transition.to, decided_by: imported_by, decided_at: now, outcome } as const
    const result: ActProposal = { ...proposal, ...decision }
    const { livemode, id: proposal_id, typed } = proposal
    const used = useLine({
      ...{ livemode, line_id, line_month, account, file_id, imported_by, proposal_id, deposit_id: outcome },
      ...{ reference: typed.reference!, amount: typed.deposited },
    })
    const after = { ...booked.after, status: decision.status, line_id, file_id, imported_by }
    const effects = [writeActDecision(result), ...booked.effects, used]
    return { kind: 'accepted', effects, result, before: { status: proposal.status }, after }
  },
  unknown: 'There is no such proposed deposit.',
  refusals,
  conflicts: { deposit_lines: 'line_used' },
})

async function findLine(
  tx: Tx,
  { livemode, typed, proposed_by, proposed_at }: ActProposal<TypedDeposit>,
  account: string,
  first: Beginners,
): Promise<Found> {
  const { deposited: amount, reference } = typed
  if (reference === null) return { kind: 'no_line' }
  const lines = await readCreditLines(tx, { livemode, account, reference, amount, before: proposed_at })
  if (lines.length === 0) return { kind: 'no_line' }
  const used = await store.readUsedLines(tx, livemode, lines)
  const free = lines.filter(({ id }) => !used.has(id))
  if (free.length === 0) return { kind: 'line_used' }
  const own = await staffRoles(tx, proposed_by)
  for (const line of free) {
    const roles = await staffRoles(tx, line.imported_by)
    const isOther = roles.length > 0 && roles.every((role) => !own.includes(role))
    if (isOther && isSecondPerson(first, line.imported_by)) return { kind: 'line', line }
  }
  return { kind: 'same_role' }
}

async function staffRoles(tx: Tx, person: string): Promise<string[]> {
  const roles = await readEffectiveRoles(tx, person, STAFF)
  return roles.map(({ role }) => role)
}
