import { plainTitle } from '../../platform/tables/read-csv.ts'

/**
 * The columns of a bank's file that we read. `amount` has the amounts of both directions; `debit` and `credit` have one direction each;
 * `direction` says whether the amount of a line left or came in. `date` is the day on which the bank booked the line, `value_date` the
 * day from which it counts for interest.
 */
export const bankColumns = [
  'debit',
  'credit',
  'amount',
  'direction',
  'date',
  'value_date',
  'reference',
  'label',
  'account',
  'holder',
] as const
export type BankColumn = (typeof bankColumns)[number]
/** The index of each column in its line, from 0. */
export type BankColumns = Partial<Readonly<Record<BankColumn, number>>>

/** Titles that certainly mean the account to which the money went, in the form of `plainTitle`. */
const beneficiaryAccounts: readonly string[] = [
  ...['comptebeneficiaire', 'ibanbeneficiaire', 'ribbeneficiaire', 'comptedubeneficiaire', 'ibandubeneficiaire'],
  ...['numerodecomptebeneficiaire', 'numerodecomptedubeneficiaire', 'beneficiaryaccount', 'beneficiaryiban'],
  ...['beneficiaryaccountnumber', 'payeeaccount'],
]

/**
 * The known titles of each column, in French and English, in the form of `plainTitle`. A second list counts only if no column has a title
 * of the first.
 */
const titles: Readonly<Record<BankColumn, readonly (readonly string[])[]>> = {
  debit: [
    [
      ...['debit', 'debits', 'montantdebit', 'montantdebite', 'montantaudebit', 'debitfcfa', 'debitxof', 'debitcfa'],
      ...['debitamount', 'withdrawal', 'withdrawals', 'paidout', 'moneyout'],
    ],
  ],
  credit: [
    [
      ...['credit', 'credits', 'montantcredit', 'montantcredite', 'montantaucredit', 'creditfcfa', 'creditxof'],
      ...['creditcfa', 'creditamount', 'deposit', 'deposits', 'paidin', 'moneyin'],
    ],
  ],
  amount: [['montant', 'montantfcfa', 'montantxof', 'montantcfa', 'somme', 'amount', 'amountxof']],
  direction: [
    [
      ...['sens', 'dc', 'cd', 'debitcredit', 'creditdebit', 'debitoucredit', 'sensoperation', 'sensdeloperation'],
      ...['direction', 'drcr', 'crdr', 'debitorcredit', 'creditdebitindicator', 'debitcreditindicator'],
    ],
  ],
  date: [
    [
      ...['date', 'dateoperation', 'datedoperation', 'datedeloperation', 'dateop', 'datecomptable', 'datecompta'],
      ...['dateduvirement', 'datevirement', 'transactiondate', 'bookingdate', 'operationdate', 'transferdate'],
    ],
  ],
  value_date: [
    [...['datevaleur', 'datedevaleur', 'dateval', 'dateeffet', 'datedeffet', 'valuedate', 'valdate', 'effectivedate']],
  ],
  reference: [
    [
      ...['reference', 'ref', 'referencebanque', 'referenceoperation', 'referencedeloperation', 'referenceduvirement'],
      ...['noperation', 'ndoperation', 'numerooperation', 'numerodoperation', 'nduvirement', 'numeroduvirement'],
      ...['bankreference', 'transactionid', 'transactionreference', 'transferreference', 'operationnumber'],
    ],
  ],
  label: [
    [
      ...['libelle', 'libelleoperation', 'libelledeloperation', 'motif', 'communication', 'objet', 'details'],
      ...['detail', 'label', 'description', 'narrative', 'memo', 'purpose', 'remittanceinformation'],
    ],
  ],
  account: [beneficiaryAccounts, ['iban', 'rib', 'compte', 'numerodecompte', 'account', 'accountnumber']],
  holder: [
    [
      ...['beneficiaire', 'titulaire', 'nom', 'nombeneficiaire', 'nomdubeneficiaire'],
      ...['beneficiary', 'beneficiaryname', 'holder', 'name', 'payee'],
    ],
  ],
}

/** Returns the columns that titles name. A column that two titles name is left out. */
export function columnsIn(found: readonly string[]): BankColumns {
  const plain = found.map(plainTitle)
  const entries = bankColumns.flatMap((column) => {
    const places = titles[column]
      .map((list) => plain.flatMap((title, place) => (list.includes(title) ? [place] : [])))
      .find((some) => some.length > 0)
    return places?.length === 1 ? [[column, places[0]!] as const] : []
  })
  return Object.fromEntries(entries)
}

/** Whether a title certainly means the accounts to which the money went. Other accounts are often our own. */
export function isBeneficiaryAccount(title: string): boolean {
  return beneficiaryAccounts.includes(plainTitle(title))
}

/** Whether the columns suffice: amounts, references and beneficiaries, each at a different index. */
export function areEnough(columns: BankColumns, width: number): boolean {
  const { amount, debit, credit, reference, label, account, holder } = columns
  const places = Object.values(columns)
  return (
    places.every((place) => place < width) &&
    new Set(places).size === places.length &&
    // Amounts of both directions are in one column or in two. If a file seems to have both forms, a person chooses.
    (amount === undefined) !== (debit === undefined) &&
    (amount === undefined || credit === undefined) &&
    reference !== undefined &&
    (label ?? account ?? holder) !== undefined
  )
}
