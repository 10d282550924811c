import { accountsOfMerchant } from '../ledger/accounts.ts'
import { createMerchant } from '../merchants/create-merchant.ts'
import { setActive } from '../merchants/set-active.ts'
import { type Command, CommandError, defineCommand, readMerchant, readPerson } from './command.ts'

const merchantCreate = defineCommand({
  name: 'merchant create',
  summary: 'Create a merchant, in test and live mode',
  options: { name: 'needed', as: 'optional' },
  async run(bench, { name, as }) {
    if (name.trim() === '' || name.length > 200) throw new CommandError('--name has 1 to 200 characters.', 2)
    const by = readPerson(as)
    const merchant_id = await createMerchant(await bench.sql(), { name, accounts: accountsOfMerchant }, by)
    return { merchant_id, name }
  },
})

const merchantActivate = activation('activate', 'Let a merchant operate', true)
const merchantDeactivate = activation('deactivate', 'Let a merchant only read', false)

function activation(verb: string, summary: string, active: boolean) {
  return defineCommand({
    name: `merchant ${verb}`,
    summary,
    options: { merchant: 'needed', as: 'optional' },
    async run(bench, { merchant, as }) {
      const merchant_id = readMerchant(merchant)
      const result = await setActive(await bench.sql(), merchant_id, active, readPerson(as))
      if (result.kind === 'refused') throw new CommandError(`There is no merchant ${merchant_id}.`)
      return { merchant_id, active }
    },
  })
}

export const commands: readonly Command[] = [merchantCreate, merchantActivate, merchantDeactivate]
