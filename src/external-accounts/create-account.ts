import { type ActDecision, defineAct, refuse, service } from '../acts/act.ts'
import { WHOLE_SERVICE } from '../audit-log/record-act.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import { isOperatorCode } from '../values/operators.ts'
import type { Secret } from '../values/secret.ts'
import { accountFacts, accountFields } from './account-fields.ts'
import { type NewExternalAccount, usualLateDays } from './external-account.ts'
import { createNumberBox } from './number-box.ts'
import * as store from './store.ts'

/** Seconds from the creation of a wallet to its first order. By then every process knows it, also one that could not read the database for a while. */
export const ORDERS_AFTER_SECONDS = 60

const writeAccount = defineEffect<NewExternalAccount>('external account', async (tx, accounts) => {
  for (const account of accounts) await store.insertAccount(tx, account, ORDERS_AFTER_SECONDS)
})

type Refusal =
  | 'code_reserved'
  | 'code_taken'
  | 'connector_missing'
  | 'connector_of_wallets'
  | 'connector_unknown'
  | 'direction_missing'
  | 'direction_taken'

/**
 * Creates an account that others keep for the service: a second wallet of a connector, a bank account, or one for money of clients alone. Its
 * code, kind and connector never change. A wallet takes the orders of its directions that begin from a minute later on.
 */
export const createAccount = defineAct({
  name: 'external_account.create',
  summary: 'Add an account that an operator or a bank keeps for the service',
  title: ['Ajouter un compte', 'Add an account'],
  right: 'accounts.manage',
  // Its command names the account with --code, as the question for a factor would. The act moves no money.
  fresh: false,
  on: service,
  fields: accountFields,
  async load(tx, { values: { code, mode, connector, number } }, { secretKey }: { secretKey: Secret }) {
    const livemode = mode === 'live'
    const wallets = connector === null ? [] : await store.lockWalletsOf(tx, { livemode, connector })
    const sealed = number === null ? null : createNumberBox(secretKey).seal({ livemode, code }, number)
    return {
      about: { merchant_id: WHOLE_SERVICE, livemode },
      wallets,
      number: number === null ? null : { sealed: sealed!, end: number.replace(/\s/g, '').slice(-4) },
      is_known: (await store.readAccount(tx, { livemode, code })) !== null,
    }
  },
  facts: accountFacts,
  content: ({ number }, { code, kind, mode, connector, directions, profile, due, late }) => ({
    ...{ account: code, kind, mode, connector, profile, number_end: number?.end ?? null },
    directions: kind === 'wallet' ? directions : null,
    ...usual({ kind, due, late }),
  }),
  decide({ by, values }, { about: { livemode }, wallets, number, is_known }): ActDecision<NewExternalAccount, Refusal> {
    const { code, kind, connector, directions, profile } = values
    if (code === 'fees' || isOperatorCode(code)) return refuse('code_reserved')
    if (is_known) return refuse('code_taken')
    if (kind === 'wallet') {
      if (connector === null) return refuse('connector_missing')
      if (wallets.length === 0) return refuse('connector_unknown')
      if (directions.length === 0) return refuse('direction_missing')
      const other = wallets.find((wallet) => wallet.directions.some((one) => directions.includes(one)))
      if (other !== undefined) return refuse('direction_taken', { account: other.code })
    } else if (connector !== null || directions.length > 0) return refuse('connector_of_wallets')
    const account: NewExternalAccount = {
      ...{ livemode, code, kind, connector, directions, number, profile, created_by: by.person },
      ...usual(values),
    }
    return {
      kind: 'accepted',
      effects: [writeAccount(account)],
      result: account,
      subject: code,
      after: { kind, connector, directions, profile, number_end: number?.end ?? null, ...usual(values) },
    }
  },
  refusals: {
    // An adjustment names the other side with the same option.
    code_reserved: {
      at: 'code',
      words: [
        'Ce nom désigne déjà les frais ou un opérateur. Choisissez-en un autre.',
        'This name stands for the fees or an operator already. Choose another.',
      ],
    },
    code_taken: {
      at: 'code',
      words: ['Un compte de ce mode porte déjà ce nom.', 'An account of this mode has this name already.'],
    },
    connector_missing: {
      at: 'connector',
      words: ['Un portefeuille est celui d’un connecteur : dites lequel.', 'A wallet belongs to a connector: name it.'],
      command: 'A wallet belongs to a connector: give --connector.',
    },
    connector_of_wallets: {
      at: 'connector',
      words: ['Seul un portefeuille a un connecteur et des sens.', 'Only a wallet has a connector and directions.'],
    },
    connector_unknown: {
      at: 'connector',
      words: ['Il n’y a pas de tel connecteur dans ce mode.', 'There is no such connector in this mode.'],
      command: 'There is no connector {connector} in this mode. bandama connector list shows them.',
    },
    direction_missing: {
      at: 'directions',
      words: [
        'Ce connecteur a déjà son portefeuille. Dites pour quels ordres est celui-ci.',
        'This connector has its wallet already. Say which orders this one is for.',
      ],
      command: 'This connector has its wallet already: give --direction for the orders of this one.',
    },
    direction_taken: {
      at: 'directions',
      words: ['Le compte {account} prend déjà ces ordres.', 'The account {account} takes these orders already.'],
    },
  },
  // Two at once with the same code.
  conflicts: { external_accounts_pkey: 'code_taken' },
})

/** The terms of an account, with the usual ones for those that nobody named. */
function usual({
  kind,
  due,
  late,
}: {
  kind: NewExternalAccount['kind']
  due: NewExternalAccount['due'] | null
  late: number | null
}) {
  return {
    due: due ?? (kind === 'wallet' ? ('daily' as const) : ('business' as const)),
    late_days: late ?? usualLateDays[kind],
  }
}
