import { defineAct, isWithin, type RefusalWords, refuse, row } from '../acts/act.ts'
import { choiceField, type Field, merchantField, optional, reasonField, sumField } from '../acts/facts.ts'
import { merchantExists } from '../merchants/store.ts'
import { findAnomaly, leftConnector } from '../operators/doubts/anomaly-store.ts'
import { readSends } from '../operators/doubts/doubt-store.ts'
import { failableAfter } from '../operators/doubts/failable-after.ts'
import type { Instruction } from '../operators/instruction.ts'
import { connectorOf, type Registry } from '../operators/routing/registry.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import type { Db } from '../platform/postgres/database.ts'
import { newId } from '../values/ids.ts'
import { type ProposalRow, type Resolution, resolutions } from './anomaly.ts'
import { readSubject } from './find-anomalies.ts'
import { resolutionFact, resolutionWords } from './resolution-facts.ts'
import * as store from './store.ts'
import { type ResolutionError, validateResolution } from './validate-resolution.ts'

const writeProposal = defineEffect<ProposalRow>('anomaly proposal', (tx, proposals) => {
  for (const proposal of proposals) store.insertProposal(tx, proposal)
})

const resolution = choiceField<Resolution>(resolutionFact, {
  label: ['Que faire', 'What to do'],
  choices: Object.fromEntries(resolutions.map((one) => [one, resolutionWords[one]])) as typeof resolutionWords,
  fault: ['Choisissez ce qu’il faut faire.', 'Choose what to do.'],
  says:
    'how to close it: as_proven or as_refused ends an open operation; credit_available or debit_available adjusts what is owed; ' +
    'returned_by_hand: the operator has its money back; nothing: close without any change',
})

/** An optional field with its own error and help. */
function asked<Value>(field: Field<Value>, fault: Field<Value>['form']['fault'], says: string): Field<Value | null> {
  return optional({ ...field, form: { ...field.form, fault }, option: { ...field.option, says } })
}

const typedAmount = sumField(['Montant', 'Amount'])
const amount = asked(
  typedAmount,
  ['Écrivez un montant entier, comme 25 000.', 'Write a whole amount, such as 25 000.'],
  'the francs that the operator moved, or to adjust',
)

const merchant = asked(
  merchantField(['Marchand', 'Merchant']),
  ['Le numéro d’un marchand est un nombre.', 'The number of a merchant is a number.'],
  'the merchant to credit, when the anomaly has none',
)

/**
 * Proposes how to close an anomaly. Another person decides, and nothing is done until then. Refusals, in order of precedence: an API key,
 * a closed anomaly, a resolution that does not fit, a failure in live mode less than `minutes` after the last send, an unknown merchant,
 * another proposal that waits.
 */
export const proposeResolution = defineAct({
  name: 'anomaly.propose',
  summary: 'Propose how to close an anomaly; another person decides',
  title: ['Proposer une issue', 'Propose an outcome'],
  right: 'cases.decide',
  fresh: false,
  on: row('ano', 'anomaly'),
  fields: {
    resolution,
    amount,
    merchant,
    reason: reasonField(['Pourquoi', 'Why']),
  },
  async load(tx, { id, within, values }, { registry }: { readonly registry: Pick<Registry, 'connectorNamed'> }) {
    const about = await findAnomaly(tx, id)
    if (about === null || !isWithin(about, within)) return null
    const subject = await readSubject(tx, about)
    return {
      ...{ about, subject },
      last_sent: subject === null ? 0 : await lastSendOf(tx, subject),
      window: subject === null ? 0 : failableAfter(connectorOf(registry, subject), subject.direction),
      is_merchant_known: values.merchant === null || (await merchantExists(tx, values.merchant)),
    }
  },
  facts: {},
  content: () => ({}),
  decide({ by, values }, { about, subject, last_sent, window, is_merchant_known }, now) {
    if (by.person.startsWith('key:')) return refuse('not_a_person')
    if (about.closed_at !== null) return refuse('already_closed')
    const { merchant: of_merchant_id, reason, ...wanted } = values
    const elsewhere = leftConnector(about, subject)
    if (wanted.resolution === 'as_proven' && elsewhere !== null)
      return refuse('carried_before', { connector: elsewhere })
    const error = validateResolution(about.kind, subject, { ...wanted, of_merchant_id })
    if (error !== null) return refuse(error)
    // An anomaly of another kind may be older than the last send, whose outcome is unknown.
    const mayArrive = about.kind === 'in_doubt' || subject?.state !== 'sent'
    const isTested = wanted.resolution === 'as_refused' && mayArrive && subject!.livemode
    if (isTested && now.getTime() - last_sent < window) return refuse('too_early', { minutes: window / 60_000 })
    if (!is_merchant_known) return refuse('unknown_merchant')
    const { merchant_id, livemode, id: anomaly_id } = about
    const proposal: ProposalRow = {
      ...{ merchant_id, livemode, anomaly_id, of_merchant_id, reason, ...wanted },
      ...{ id: newId('anp', now.getTime()), status: 'proposed', proposed_by: by.person, proposed_at: now },
      ...{ decided_by: null, adjustment_id: null, decided_at: null },
    }
    const after = { proposal_id: proposal.id, ...wanted, of_merchant_id }
    return { kind: 'accepted', effects: [writeProposal(proposal)], result: proposal, after }
  },
  unknown: 'There is no such anomaly.',
  refusals: {
    ...({
      does_not_fit: {
        words: [
          'Cela ne convient plus : l’opération a changé entre-temps. Choisissez de nouveau.',
          'This does not fit any more: the operation has changed meanwhile. Choose again.',
        ],
        command:
          'This resolution does not fit. End an open operation first (as_proven or as_refused); adjust or refund one that has ended.',
        at: 'resolution',
      },
      amount_needed: {
        words: ['Écrivez combien de francs.', 'Write how many francs.'],
        command: '--amount is missing: the francs that the operator moved, or to adjust.',
        at: 'amount',
      },
      amount_not_taken: {
        words: ['Ce choix ne prend pas de montant. Effacez-le.', 'This choice takes no amount. Erase it.'],
        command: 'This resolution takes no --amount. Leave it out.',
        at: 'amount',
      },
      merchant_needed: {
        words: ['Écrivez le numéro du marchand à créditer.', 'Write the number of the merchant to credit.'],
        command: 'Name the merchant to credit with --merchant.',
        at: 'merchant',
      },
      merchant_not_taken: {
        words: [
          'Ce choix ne prend pas de marchand : l’affaire a déjà le sien.',
          'This choice takes no merchant: the case already has its own.',
        ],
        command: '--merchant is only for crediting an anomaly that has no merchant. Leave it out.',
        at: 'merchant',
      },
    } satisfies Record<ResolutionError, RefusalWords>),
    // Its end would be booked at the connector that carries it now.
    carried_before: {
      words: [
        'C’est {connector} qui le dit, et l’ordre n’y est plus. Finissez l’ordre d’abord, puis corrigez ce que l’on doit au marchand.',
        'This is what {connector} says, which no longer carries the order. End the order first, then adjust what we owe the merchant.',
      ],
      command:
        'This is what {connector} says, which no longer carries the order. End the order by another case or by its operator, then choose credit_available or debit_available here.',
      at: 'resolution',
    },
    not_a_person: {
      words: ['Il faut une personne.', 'A person has to do it.'],
      command: 'An API key cannot propose. Name a person with --as.',
      at: 'resolution',
    },
    already_closed: {
      words: ['Cette affaire est finie.', 'This case is closed.'],
      command: 'This anomaly is closed.',
      at: 'resolution',
    },
    already_proposed: {
      words: ['Une proposition attend déjà d’être décidée.', 'A proposal already waits to be decided.'],
      command: 'A proposal for this anomaly already waits for a decision.',
      at: 'resolution',
    },
    unknown_merchant: {
      words: ['Aucun marchand n’a ce numéro.', 'No merchant has this number.'],
      command: 'There is no such merchant.',
      at: 'merchant',
    },
    too_early: {
      words: [
        'Envoyé il y a moins de {minutes} minutes : cela peut encore arriver. Proposez l’échec après.',
        'Sent less than {minutes} minutes ago: it may still arrive. Propose the failure after that.',
      ],
      command: 'The order was sent less than {minutes} minutes ago and may still arrive. Propose as_refused later.',
      at: 'resolution',
    },
  },
  conflicts: { anomaly_proposals_standing: 'already_proposed' },
})

/** The moment of the last send, in milliseconds since 1970: an order that was sent again may still arrive although the first send is old. */
async function lastSendOf(db: Db, subject: Instruction): Promise<number> {
  const sends = await readSends(db, subject)
  return Math.max(subject.sent_at?.getTime() ?? 0, ...sends.map(({ sent_at }) => sent_at.getTime()))
}
