import type { ListedOperation } from './listed-operation.ts'

/** The columns of an export in order, each with its value in a row. */
const columns = {
  created_at: ({ created_at }) => created_at.toISOString(),
  id: ({ id }) => id,
  status: ({ status }) => status,
  amount: ({ amount }) => amount,
  fee_amount: ({ fee_amount }) => fee_amount ?? '',
  operator: ({ operator }) => operator ?? '',
  number: ({ msisdn, last4 }, wholeNumbers) =>
    msisdn === null ? (last4 ?? '') : wholeNumbers ? msisdn.e164 : msisdn.masked,
  name: ({ name }) => name ?? '',
  reference: ({ reference }) => reference ?? '',
  description: ({ description }) => description ?? '',
  failure_code: ({ failure_code }) => failure_code ?? '',
  parent_id: ({ parent_id }) => parent_id ?? '',
  concluded_at: ({ concluded_at }) => concluded_at?.toISOString() ?? '',
} satisfies Record<string, (operation: ListedOperation, wholeNumbers: boolean) => string | number>

export type ExportColumn = keyof typeof columns
export const exportColumns = Object.keys(columns) as readonly ExportColumn[]

/** The fields of a line in the order of the columns. Amounts are numbers, all else is text. */
export type Row = readonly (string | number)[]

const values = Object.values(columns)

/** Returns the line of an operation. @param wholeNumbers whether the reader of the file may see whole phone numbers */
export function rowOf(operation: ListedOperation, wholeNumbers: boolean): Row {
  return values.map((value) => value(operation, wholeNumbers))
}
