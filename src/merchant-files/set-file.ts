import { defineAct, merchantInBothModes, refuse } from '../acts/act.ts'
import { type Field, merchantFact } from '../acts/facts.ts'
import { lockMerchant } from '../merchants/store.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import { changeOf, fileFacts } from './file-fields.ts'
import { emptyFile, type FileColumn, fileColumns, type MerchantFile } from './merchant-file.ts'
import * as store from './store.ts'

type Changes = Readonly<Record<FileColumn, string | null>>

const writeFile = defineEffect<MerchantFile & { readonly merchant_id: number; readonly changed_at: Date }>(
  'merchant',
  async (tx, files) => {
    for (const file of files) await store.writeFile(tx, file)
  },
)

const ofEach = <Value>(make: (column: FileColumn) => Value) =>
  Object.fromEntries(fileColumns.map((column) => [column, make(column)])) as Readonly<Record<FileColumn, Value>>

/** The file after a change: null stays as it is, an empty text takes the fact away. */
function changed(file: MerchantFile, changes: Changes): MerchantFile {
  return ofEach((column) => {
    const change = changes[column]
    return change === null ? file[column] : change === '' ? null : change
  })
}

const differing = (before: MerchantFile, after: MerchantFile) =>
  fileColumns.filter((column) => before[column] !== after[column])

/**
 * Changes what the company knows of a merchant's business. The line of the audit log names the changed facts and quotes none, because they are
 * names, numbers and addresses of people too.
 */
export const setFile = defineAct({
  name: 'merchant_file.set',
  summary: 'Change the facts of a merchant: its legal name and form, registers, taxes, address and contact',
  title: ['Corriger le dossier', 'Change the file'],
  right: 'merchants.manage',
  fresh: true,
  on: merchantInBothModes,
  fields: ofEach<Field<string | null>>((column) => changeOf(fileFacts[column])),
  async load(tx, { merchant_id }) {
    if ((await lockMerchant(tx, merchant_id)) === null) return null
    const file = (await store.readFile(tx, merchant_id)) ?? emptyFile
    return { about: { merchant_id, livemode: null }, file }
  },
  facts: { merchant: merchantFact, ...ofEach<Field<string | null>>((column) => changeOf(fileFacts[column])) },
  content({ file }, values) {
    const after = changed(file, values)
    return ofEach((column) => (after[column] === file[column] ? null : (after[column] ?? '')))
  },
  decide({ merchant_id, values }, { file }, now) {
    const after = changed(file, values)
    const columns = differing(file, after)
    const result = { merchant_id, ...after }
    if (columns.length === 0) return { kind: 'unchanged', result }
    if (after.tax_regime === null && after.tax_regime_since !== null) return refuse('since_without_regime')
    const effects = [writeFile({ ...result, changed_at: now })]
    return { kind: 'accepted', effects, result, after: { changed: columns } }
  },
  refusals: {
    since_without_regime: {
      words: ['Choisissez le régime qui commence ce jour.', 'Choose the regime that begins on that day.'],
      command: 'A regime needs --tax-regime before its first day.',
      at: 'tax_regime',
    },
  },
})
