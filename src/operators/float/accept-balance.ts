import { defineAct, isWithin, refuse, row } from '../../acts/act.ts'
import { type Fact, type Field, francs, text } from '../../acts/facts.ts'
import { WHOLE_SERVICE } from '../../audit-log/record-act.ts'
import { defineEffect } from '../../platform/commands/effects.ts'
import { writeAmount } from '../../platform/http/pages/write-values.ts'
import { readMoment } from '../../values/read-typed.ts'
import { readConnector } from '../contracts/connector-store.ts'
import * as store from './float-store.ts'

const momentFact: Fact<string> = {
  name: ['Lu le', 'Read at'],
  write: (at) => [at.slice(0, 16).replace('T', ' '), at.slice(0, 16).replace('T', ' ')],
}

/** The balance that a person saw, by its time: the newest one may hide another difference. */
const momentField: Field<string> = {
  ...momentFact,
  read: (typed) => readMoment(typed)?.toISOString(),
  form: { label: momentFact.name, kind: 'line', fault: ['Ce solde n’existe pas.', 'There is no such balance.'] },
  option: { name: 'accept', must: 'must be the asked_at of a balance, such as 2027-01-01T09:30:00.123Z.' },
}

const signed = (sum: number): string => `${sum < 0 ? '−' : ''}${writeAmount(Math.abs(sum))}`

const markAccepted = defineEffect<{ readonly balance: store.BalanceKey; readonly by: string }>(
  'connector',
  async (tx, accepted) => {
    for (const { balance, by } of accepted) await store.markAccepted(tx, balance, by)
  },
)

/**
 * Accepts a balance as the base of later comparisons: it is the first one, or a person has explained its difference. Refused when it or a newer one
 * was accepted already.
 */
export const acceptBalance = defineAct({
  name: 'connector.accept_balance',
  summary: 'Make a balance that an operator stated the starting point of the expected one',
  title: ['Accepter ce solde', 'Accept this balance'],
  right: 'float.manage',
  fresh: true,
  on: row('any', 'connector', { option: 'name' }),
  fields: { asked_at: momentField },
  async load(tx, { id, within, values: { asked_at } }) {
    const connector = await readConnector(tx, id)
    if (connector === null) return null
    const about = { merchant_id: WHOLE_SERVICE, livemode: connector.livemode }
    if (!isWithin(about, within)) return null
    const key = { connector: id, asked_at: new Date(asked_at) }
    return { about, key, balance: await store.lockAcceptable(tx, key) }
  },
  facts: {
    amount: francs(['Solde', 'Balance']),
    connector: text(['Connecteur', 'Connector']),
    asked_at: momentFact,
    difference: {
      name: ['Différence', 'Difference'],
      write: (sum) => [signed(sum), signed(sum)],
    } as Fact<number>,
  },
  content: ({ key: { connector, asked_at }, balance }) => ({
    ...{ connector, amount: balance?.amount ?? null, asked_at: asked_at.toISOString() },
    difference: balance?.difference ?? null,
  }),
  decide({ by }, { key, balance }) {
    if (balance === null) return refuse('not_acceptable')
    const { amount, difference } = balance
    const effects = [markAccepted({ balance: key, by: by.person })]
    return { kind: 'accepted', effects, result: key, after: { amount, difference } }
  },
  refusals: {
    not_acceptable: {
      words: [
        'Ce solde n’est plus à accepter : lui ou un plus récent l’est déjà.',
        'This balance is no longer to accept: it or a newer one is accepted already.',
      ],
      command:
        'No balance of {name} with the asked_at {accept} can be accepted: there is none, or it or a newer one was accepted already. bandama connector balance --name {name} asks for a new one.',
    },
  },
  unknown: 'There is no connector {name}. bandama connector list shows them.',
})
