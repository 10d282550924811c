import { openAccounts } from '../../ledger/open-accounts.ts'
import { createMerchant } from '../../merchants/create-merchant.ts'
import { listMerchants } from '../../merchants/find-merchants.ts'
import { activateMerchant, deactivateMerchant } from '../../merchants/set-active.ts'
import { actCommand } from '../act-command.ts'
import { type Command, defineCommand } from '../command.ts'
import { listed, pageOptions, readPage } from '../page.ts'
import { merchantBrand } from './merchant-brand.ts'

const merchantCreate = actCommand(createMerchant, {
  example: "--name 'Boutique Awa'",
  deps: async () => ({ openAccounts, is_checked: true }),
  answer: (created) => created,
  advice: ({ merchant_id }) =>
    `Merchant ${merchant_id} is charged nothing yet. 1 % of payments, for example, is set with:\n` +
    `  bandama fees set --merchant ${merchant_id} --service collection --bps 100\n` +
    'and what payouts cost with --service payout.',
})

const merchantList = defineCommand({
  name: 'merchant list',
  summary: 'Show the merchants in the order of their numbers',
  options: { ...pageOptions, after: { kind: 'optional', value: 'M', says: 'go on after this number' } },
  table: {
    rows: 'merchants',
    columns: ['merchant_id', 'active', 'fees', 'created_at', 'name'],
    empty: 'There are no merchants yet: bandama merchant create makes one.',
  },
  async run(context, words) {
    const wanted = readPage(words, (text) => /^\d{1,15}$/.test(text))
    return listed('merchants', await listMerchants(await context.reads(), wanted))
  },
})

const merchantActivate = actCommand(activateMerchant, { answer: (set) => set })
const merchantDeactivate = actCommand(deactivateMerchant, { answer: (set) => set })

export const commands: readonly Command[] = [
  merchantCreate,
  merchantList,
  merchantActivate,
  merchantDeactivate,
  merchantBrand,
]
