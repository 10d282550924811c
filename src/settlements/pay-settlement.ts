import { defineAct, refuse } from '../acts/act.ts'
import { type Field, text } from '../acts/facts.ts'
import { bankField, bankToRead } from '../external-accounts/bank-field.ts'
import { BANK } from '../external-accounts/external-account.ts'
import { bankReferenceIn } from '../values/bank-reference.ts'
import { move, moveRefusals, moving } from './move-settlement.ts'
import type { BankDays } from './settlement.ts'
import * as store from './store.ts'

const common = moving('transfer_made')

const referenceFact = text(['Référence du virement', 'Reference of the transfer'])

const reference: Field<string> = {
  ...referenceFact,
  read: (typed) => bankReferenceIn(typed) ?? undefined,
  form: {
    label: referenceFact.name,
    kind: 'line',
    longest: 140,
    fault: [
      'Écrivez la référence du virement, 140 caractères au plus.',
      'Write the reference of the transfer, at most 140 characters.',
    ],
  },
  option: {
    ...{ name: 'bank-reference', value: 'R', says: "the bank's reference of the transfer", sample: 'VIR-2026-0042' },
    must: 'has 1 to 140 characters.',
  },
}

/** The account that paid: of a bank, or a wallet from which an operator pays. */
const paidFrom: Field<string> = {
  ...bankField,
  option: {
    ...bankField.option,
    says: 'the external account that paid, as external-account list shows it; otherwise bank',
  },
}

/**
 * Enters the bank's transfer that paid a settlement. This is the second of two people, and not the validator. A bank reference pays one
 * settlement of a merchant; spelling variants of it are the same reference. Refusals, in order of precedence: one that is not validated or
 * is paid already, the validator, the maker or an API key, a reference that paid another settlement.
 */
export const paySettlement = payment()

/** The same act for a line of the bank's file, whose dates are stored with the reference. */
export const payByBankLine = (bank_days: BankDays) => payment(bank_days)

function payment(bank_days?: BankDays) {
  return defineAct({
    ...common,
    name: 'settlement.pay',
    summary: 'Enter the bank transfer that paid a settlement, as the second of two people',
    title: ['Entrer le virement', 'Enter the transfer'],
    right: 'settlements.pay',
    fields: { reference, account: paidFrom },
    async load(tx, call) {
      const has = await common.load(tx, call)
      return has && { ...has, paid_id: await store.findPaidWith(tx, has.about, call.values.reference) }
    },
    facts: { ...common.facts, reference: referenceFact, account: text(bankField.name) },
    content: (has, { reference: written, account = BANK }) => ({
      ...common.content(has),
      reference: written,
      account: bankToRead(account),
    }),
    decide(call, has, now) {
      const { reference: bank_reference, account: bank_account = BANK } = call.values
      if (!has.is_account) return refuse('no_account')
      const wanted = { trigger: 'transfer_made', merchant_active: true, bank_reference, bank_account } as const
      const moved = move(call, has, bank_days === undefined ? wanted : { ...wanted, bank_days }, now)
      if (moved.kind === 'refused' || has.paid_id === null) return moved
      return refuse('bank_reference_used', { paid_id: has.paid_id })
    },
    refusals: {
      ...moveRefusals,
      no_account: {
        at: 'account',
        words: ['Ce mode n’a pas ce compte.', 'This mode has no such account.'],
        command: 'This mode has no account {account}. bandama external-account list shows them.',
      },
      bank_reference_used: {
        words: ['Cette référence a déjà payé {paid_id}.', 'This reference has paid {paid_id} already.'],
        command: 'This transfer was already entered for the settlement {paid_id}.',
        at: 'reference',
      },
    },
  })
}
