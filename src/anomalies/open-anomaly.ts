import { defineAct, isWithin, refuse, row } from '../acts/act.ts'
import { reasonField } from '../acts/facts.ts'
import { keepAnomaly } from '../operators/doubts/anomalies.ts'
import { findFact, isOpenAbout } from '../operators/doubts/anomaly-store.ts'
import { isOpen } from '../operators/doubts/conclude-by-hand.ts'
import { usualSilence } from '../operators/port.ts'
import { connectorOf, type Registry } from '../operators/routing/registry.ts'
import { findInstruction, lockInstructions } from '../operators/store.ts'
import { tenantOf } from '../values/caller.ts'
import { newId } from '../values/ids.ts'

const FACT = ({ asked }: { asked: number }) => `${asked} answers`

/**
 * Opens an anomaly about a payment, payout or refund that its operator does not settle, so that two people can end it by what they have
 * seen in the operator's books. This needs the operator to have been silent for its whole time: until then an answer may be on its way.
 * Refusals, in order of precedence: an API key, an operation that has ended or was not sent, an operator that has not been silent for long
 * enough, an anomaly that is open already, or was closed since the operator's last answer.
 */
export const openAnomaly = defineAct({
  name: 'anomaly.open',
  summary: 'Open an anomaly about a payment, payout or refund without a final status from its operator in time',
  title: ['Ouvrir une anomalie', 'Open an anomaly'],
  right: 'cases.decide',
  fresh: false,
  on: row('any', 'payment, payout or refund', { option: 'subject' }),
  fields: {
    reason: reasonField(['Pourquoi', 'Why']),
  },
  async load(tx, { id, within }, { registry }: { readonly registry: Pick<Registry, 'connectorNamed'> }) {
    const found = await findInstruction(tx, id)
    if (found === null || !isWithin(found, within)) return null
    const [order] = await lockInstructions(tx, [found])
    const fact = { ...found, kind: 'in_doubt', fact: FACT(order!) } as const
    return {
      ...{ about: tenantOf(found), order: order! },
      silence: connectorOf(registry, order!)?.silenceAfter ?? usualSilence(),
      isKnown: (await isOpenAbout(tx, found, 'in_doubt')) || (await findFact(tx, fact)),
    }
  },
  facts: {},
  content: () => ({}),
  decide({ by, values: { reason } }, { about, order, silence, isKnown }, now) {
    if (by.person.startsWith('key:')) return refuse('not_a_person')
    if (!isOpen(order)) return refuse('not_open')
    if ((order.sent_ms_ago ?? 0) < silence) return refuse('too_early')
    if (isKnown) return refuse('opened_before')
    const { subject_id, operator, state, asked } = order
    const id = newId('ano', now.getTime())
    const evidence = { reason, opened_by: by.person, state, asked }
    const kept = keepAnomaly({ ...about, id, subject_id, operator, kind: 'in_doubt', fact: FACT(order), evidence })
    const result = { anomaly_id: id, subject_id }
    return { kind: 'accepted', effects: [kept], result, subject: id, after: { subject_id } }
  },
  unknown: 'No order with this id was sent to an operator.',
  refusals: {
    not_a_person: {
      words: ['Il faut une personne.', 'A person has to do it.'],
      command: 'An API key cannot open an anomaly. Name a person with --as.',
      at: 'reason',
    },
    not_open: {
      words: [
        'Ce n’est plus en doute : c’est fini, ou jamais parti.',
        'This is no longer in doubt: it has ended, or never left.',
      ],
      command: 'This operation is not in doubt: it has ended, or it was never sent.',
      at: 'reason',
    },
    too_early: {
      words: [
        'L’opérateur peut encore répondre. Attendez la fin du délai : quinze minutes après l’envoi.',
        'The operator may still answer. Wait until its time is over: fifteen minutes after the send.',
      ],
      command:
        'The operator may still answer. Open an anomaly once the operator has been silent for the full waiting time.',
      at: 'reason',
    },
    opened_before: {
      words: ['Une anomalie est déjà ouverte à ce sujet.', 'A mismatch about this is open already.'],
      command: 'An anomaly about this operation is already open. See bandama anomaly list.',
      at: 'reason',
    },
  },
})
