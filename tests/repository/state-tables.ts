import { proposedTransitions } from '../../src/acts/decision.ts'
import { proposalTransitions as actProposals } from '../../src/acts/withdraw-proposal.ts'
import { keyTransitions } from '../../src/api-keys/states.ts'
import { proposalTransitions } from '../../src/beneficiaries/proposal-states.ts'
import { linkTransitions } from '../../src/checkout/link-states.ts'
import { transitions as ofSessions } from '../../src/checkout/states.ts'
import { instructionTransitions } from '../../src/operators/instruction-states.ts'
import { transitions as ofPayments } from '../../src/payments/states.ts'
import type { BatchStatus } from '../../src/payout-batches/batch.ts'
import { transitions as ofBatches } from '../../src/payout-batches/states.ts'
import { requestTransitions } from '../../src/payouts/request-states.ts'
import { transitions as ofPayouts } from '../../src/payouts/states.ts'
import { personTransitions } from '../../src/people/states.ts'
import { differenceTransitions } from '../../src/reconciliation/differences/states.ts'
import { transitions as ofRefunds } from '../../src/refunds/states.ts'
import { transitions as ofSettlements } from '../../src/settlements/states.ts'
import { fileTransitions, lineTransitions } from '../../src/statement-files/states.ts'
import { endpointTransitions } from '../../src/webhooks/endpoints/states.ts'
import type { StateTable } from './derive-states.ts'

const batchGloss: Record<BatchStatus, string> = {
  brouillon: 'draft: it has sent nothing, and can be executed or cancelled',
  en_attente_validation: 'waiting for approval: its total exceeds the cap of 24 hours',
  en_cours: 'in progress: lines are being sent',
  termine: 'finished, every line succeeded',
  termine_avec_erreurs: 'finished, at least one line failed or is indeterminate',
  annule: 'cancelled: it has sent nothing and never will',
}

/** The resources with states, in the order of docs/states.md. */
export const stateTables: readonly StateTable[] = [
  {
    title: 'Payment',
    source: '../src/payments/states.ts',
    text: 'An accepted request creates a payment as `created`. While its outcome is uncertain it stays `pending`.',
    initial: ['created'],
    transitions: ofPayments,
  },
  {
    title: 'Payout',
    source: '../src/payouts/states.ts',
    text:
      'An accepted request creates a payout as `created` and debits its money. Without a final answer from the operator it becomes ' +
      '`indeterminate`, until the operator answers or two people conclude it.',
    initial: ['created'],
    transitions: ofPayouts,
  },
  {
    title: 'Payout request',
    source: '../src/payouts/request-states.ts',
    text: 'A payout above a cap is kept as a request in `pending_approval`, and sends nothing.',
    initial: ['pending_approval'],
    transitions: requestTransitions,
  },
  {
    title: 'Payout batch',
    source: '../src/payout-batches/states.ts',
    text:
      'A batch is created as `brouillon`, or above the cap of 24 hours as `en_attente_validation`. The names are French, as in the ' +
      'existing interface.',
    initial: ['brouillon', 'en_attente_validation'],
    transitions: ofBatches,
    gloss: batchGloss,
  },
  {
    title: 'Checkout session',
    source: '../src/checkout/states.ts',
    text:
      'A session is created as `open`. It neither expires nor is closed while an attempt is in progress; a later confirmation of an ' +
      'attempt still pays it.',
    initial: ['open'],
    transitions: ofSessions,
  },
  {
    title: 'Payment link',
    source: '../src/checkout/link-states.ts',
    text: 'A link is created as `open`. Expiry is computed from its time, not stored; a reusable link is never `paid`.',
    initial: ['open'],
    transitions: linkTransitions,
  },
  {
    title: 'Settlement',
    source: '../src/settlements/states.ts',
    text:
      'A settlement is created as `pending_validation`, and its amount is debited. Staff make each transition; one ' +
      'person validates it and another records the transfer.',
    initial: ['pending_validation'],
    transitions: ofSettlements,
  },
  {
    title: 'Refund',
    source: '../src/refunds/states.ts',
    text:
      'A refund is debited at once. It is `requested` if the operator can refund, otherwise `manual`: a person refunds by hand. ' +
      'When it succeeds, the merchant gets an event of the payment.',
    initial: ['requested', 'manual'],
    transitions: ofRefunds,
  },
  {
    title: 'Statement file',
    source: '../src/statement-files/states.ts',
    text: 'A file is `reading` until its last line is written, and no line of a refused one stays. One that people type begins as `proposed`.',
    initial: ['reading', 'proposed', 'refused'],
    transitions: fileTransitions,
  },
  {
    title: 'Line of a statement',
    source: '../src/statement-files/states.ts',
    text: 'A movement that an operator or a bank lists. No state of a line ends an order or moves money.',
    initial: ['unmatched', 'matched', 'explained'],
    transitions: lineTransitions,
  },
  {
    title: 'Difference',
    source: '../src/reconciliation/differences/states.ts',
    text: 'A fact in which a statement and our books disagree; `waiting` while it may still explain itself.',
    initial: ['waiting', 'open'],
    transitions: differenceTransitions,
  },
  {
    title: 'Instruction',
    source: '../src/operators/instruction-states.ts',
    text:
      'The order of a payout or a refund is created as `prepared`, of a payment as `sending`. An operator that does not answer leaves it ' +
      '`unknown`, and the service asks again.',
    initial: ['prepared', 'sending'],
    transitions: instructionTransitions,
  },
  {
    title: 'Person',
    source: '../src/people/states.ts',
    text:
      'A person is created as `invited`, and can sign in after opening the link and setting their factors. A disabled person has ' +
      'no roles.',
    initial: ['invited'],
    transitions: personTransitions,
  },
  {
    title: 'Endpoint',
    source: '../src/webhooks/endpoints/states.ts',
    text: 'An endpoint is created as `enabled`. While it is `disabled`, its deliveries are held.',
    initial: ['enabled'],
    transitions: endpointTransitions,
  },
  {
    title: 'API key',
    source: '../src/api-keys/states.ts',
    text:
      'A payout key that a person creates waits as `to_confirm`. Any other is `active` at once. No column holds the status: the ' +
      'confirmation and the revocation of the key tell it.',
    initial: ['to_confirm', 'active'],
    transitions: keyTransitions,
  },
  {
    title: 'Proposal of a destination',
    source: '../src/beneficiaries/proposal-states.ts',
    text: 'A person proposes where settlements go, and another decides. A command on the host records one that is `confirmed` already.',
    initial: ['proposed', 'confirmed'],
    transitions: proposalTransitions,
  },
  {
    title: 'Proposal of an act',
    source: '../src/acts/withdraw-proposal.ts',
    text: 'A deposit, a refund, a connector or a route that waits for a second person in live mode.',
    initial: ['proposed'],
    transitions: actProposals,
  },
  {
    title: 'Proposal of an adjustment, a resolution or a cap',
    source: '../src/acts/decision.ts',
    text: 'A person proposes it, and another decides. A proposal of a cap ends as `superseded` when the cap changes before the decision.',
    initial: ['proposed'],
    transitions: proposedTransitions,
  },
]
