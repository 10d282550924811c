import { readActs } from '../audit-log/find-acts.ts'
import { type Command, defineCommand, readInteger, readMerchant } from './command.ts'

const LIMIT_DEFAULT = '50'
const LIMIT_MAX = 1_000

const auditLogList = defineCommand({
  name: 'audit-log list',
  summary: 'Show who did what, the newest first: of all merchants, or of one',
  options: {
    merchant: 'optional',
    limit: { kind: 'optional', value: 'N', says: `lines at most, ${LIMIT_DEFAULT} when absent` },
  },
  table: {
    rows: 'acts',
    columns: ['at', 'actor', 'act', 'merchant_id', 'subject'],
    empty: 'Nobody has done anything yet.',
  },
  async run(context, { merchant, limit = LIMIT_DEFAULT }) {
    const of = { merchant_id: merchant === undefined ? null : readMerchant(merchant), livemode: null }
    return { acts: await readActs(await context.sql(), of, readInteger('limit', limit, 1, LIMIT_MAX)) }
  },
})

export const commands: readonly Command[] = [auditLogList]
