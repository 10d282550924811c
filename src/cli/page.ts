import type { Tenant } from '../values/caller.ts'
import { type IdPrefix, looksLikeId } from '../values/ids.ts'
import type { Page, PageWanted } from '../values/page.ts'
import { CommandError, readInteger, readTenant } from './command.ts'

/** Rows of a list without --limit. `LIMIT_MAX`: the most rows. */
const LIMIT_DEFAULT = 50
const LIMIT_MAX = 200

/** The options of every list for staff. */
export const pageOptions = { limit: 'optional', after: 'optional' } as const
export const listOptions = { merchant: 'optional', mode: 'optional', ...pageOptions } as const

type Written = Partial<Record<'merchant' | 'mode' | 'limit' | 'after', string | undefined>>

/**
 * Reads `--limit` and `--after`.
 * @param isName whether a text can be the id of a row
 */
export function readPage({ limit, after }: Written, isName: (text: string) => boolean): PageWanted {
  if (after !== undefined && !isName(after)) {
    throw new CommandError('--after must be the id of the last row that was shown.', 2)
  }
  return {
    limit: limit === undefined ? LIMIT_DEFAULT : readInteger('limit', limit, 1, LIMIT_MAX),
    after: after ?? null,
  }
}

/** Reads the options of a list: the merchant and mode, or null for all, and the page. */
export function readList(words: Written, prefix: IdPrefix): PageWanted & { tenant: Tenant | null } {
  return { tenant: readTenantOrAll(words), ...readPage(words, (text) => looksLikeId(prefix, text)) }
}

/** Reads `--merchant` and `--mode` as a tenant. Null, meaning all, when neither is given. */
export function readTenantOrAll({ merchant, mode }: Written): Tenant | null {
  if (merchant === undefined && mode === undefined) return null
  if (merchant === undefined || mode === undefined) throw new CommandError('Give --merchant and --mode together.', 2)
  return readTenant({ merchant, mode })
}

/** The answer of a list: its rows, whether there are more, and the `--after` that reads them. */
export function listed<Row extends object>(
  name: string,
  { rows, after }: Page<Row>,
  view: (row: Row) => object = (row) => row,
): object {
  return { [name]: rows.map(view), has_more: after !== null, after }
}
