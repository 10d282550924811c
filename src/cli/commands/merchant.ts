import { openAccounts } from '../../ledger/open-accounts.ts'
import { createMerchant } from '../../merchants/create-merchant.ts'
import { listMerchants } from '../../merchants/find-merchants.ts'
import { activateMerchant, deactivateMerchant } from '../../merchants/set-active.ts'
import { actCommand } from '../act-command.ts'
import { type Command, CommandError, defineCommand } from '../command.ts'
import { listed, pageOptions, readPage } from '../page.ts'
import { merchantBrand } from './merchant-brand.ts'

const merchantCreate = defineCommand({
  name: 'merchant create',
  summary: 'Create a merchant, in test and live mode',
  right: 'merchants.manage',
  fresh: true,
  options: { name: 'needed', as: 'optional' },
  async run(context, { name, as }) {
    if (name.trim() === '' || name.length > 200) throw new CommandError('--name has 1 to 200 characters.', 2)
    const by = context.actor(as)
    const merchant_id = await createMerchant(await context.sql(), { name, openAccounts }, by)
    context.advise(
      `Merchant ${merchant_id} is charged nothing yet. 1 % of payments, for example, is set with:\n` +
        `  bandama fees set --merchant ${merchant_id} --service collection --bps 100\n` +
        'and what payouts cost with --service payout.',
    )
    return { merchant_id, name }
  },
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
