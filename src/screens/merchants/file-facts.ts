import type { ScreenRequest } from '../../console/screen.ts'
import { tenantIn } from '../../console/tenant-in.ts'
import { readDocuments } from '../../merchant-files/document-store.ts'
import { emptyFile } from '../../merchant-files/merchant-file.ts'
import { countSameTaxNumber, readFile, readOwners } from '../../merchant-files/store.ts'
import { readMerchant } from '../../merchants/store.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sql } from '../../platform/postgres/database.ts'

/** Reads the file of a merchant. Null: there is no such merchant. */
export async function readFileFacts(
  request: ScreenRequest<'desk'>,
  { sql, clock }: { readonly sql: Sql; readonly clock: Clock },
) {
  const tenant = tenantIn(request)
  const merchant = tenant === null ? null : await readMerchant(sql, tenant.merchant_id)
  if (merchant === null) return null
  const { merchant_id } = merchant
  const [file, owners, documents] = await Promise.all([
    readFile(sql, merchant_id),
    readOwners(sql, merchant_id),
    readDocuments(sql, merchant_id),
  ])
  const number = file?.tax_number ?? null
  const same_tax_number = number === null ? 0 : await countSameTaxNumber(sql, merchant_id, number)
  return { merchant, file: file ?? emptyFile, owners, documents, now: clock.now(), same_tax_number }
}

export type FileFacts = NonNullable<Awaited<ReturnType<typeof readFileFacts>>>
