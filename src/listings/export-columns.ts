import type { ListedOperation } from './listed-operation.ts'
import type { ListColumns } from './rows-of-list.ts'

/** The columns of a file of operations, in order. @param wholeNumbers whether the reader of the file may see whole phone numbers */
export function operationColumns(wholeNumbers: boolean): ListColumns<ListedOperation> {
  return {
    created_at: ({ created_at }) => created_at.toISOString(),
    id: ({ id }) => id,
    status: ({ status }) => status,
    amount: ({ amount }) => amount,
    fee_amount: ({ fee_amount }) => fee_amount ?? '',
    operator: ({ operator }) => operator ?? '',
    number: ({ msisdn, last4 }) => {
      if (msisdn === null) return last4 ?? ''
      return wholeNumbers ? msisdn.e164 : msisdn.masked
    },
    name: ({ name }) => name ?? '',
    reference: ({ reference }) => reference ?? '',
    description: ({ description }) => description ?? '',
    failure_code: ({ failure_code }) => failure_code ?? '',
    parent_id: ({ parent_id }) => parent_id ?? '',
    concluded_at: ({ concluded_at }) => concluded_at?.toISOString() ?? '',
  }
}
