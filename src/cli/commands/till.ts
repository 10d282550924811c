import { createAddresses } from '../../checkout/addresses.ts'
import { findLink } from '../../checkout/link-store.ts'
import { assignCashier, releaseCashier } from '../../checkout/till/assign-cashier.ts'
import { endPhone } from '../../checkout/till/end-phone.ts'
import { invitePhone } from '../../checkout/till/invite-phone.ts'
import { phoneState } from '../../checkout/till/till-phone.ts'
import { findPhone, readPhonesOf } from '../../checkout/till/till-store.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { actCommand } from '../act-command.ts'
import { type Command, CommandError, defineCommand, idOf } from '../command.ts'
import { serviceOrigin } from '../service-origin.ts'

const tillInvite = actCommand(invitePhone, {
  example: "--id lnk_01kag5x9y2f3v8n4q7m1c6w0zt --name 'Caisse Adjamé, Awa'",
  merchantOf: async (context, id) => (await findLink(await context.sql(), id))?.merchant_id ?? null,
  async deps(context) {
    const origin = await serviceOrigin(context)
    return { links: { addresses: createAddresses({ secretKey: await context.secretKey(), origin: () => origin }) } }
  },
  answer: ({ phone_id, url }) => ({ phone_id, url }),
})

const tillEnd = actCommand(endPhone, {
  merchantOf: async (context, id) => (await findPhone(await context.sql(), id))?.merchant_id ?? null,
  answer: ({ phone_id }) => ({ phone_id, status: 'ended' }),
})

const merchantOf = async (context: { readonly sql: () => Promise<Sql> }, id: string) =>
  (await findLink(await context.sql(), id))?.merchant_id ?? null

const tillAssign = actCommand(assignCashier, { merchantOf, answer: (result) => result })
const tillRelease = actCommand(releaseCashier, { merchantOf, answer: (result) => result })

const tillList = defineCommand({
  name: 'till list',
  summary: 'Show the telephones of a till that nobody has ended',
  options: { id: idOf('lnk', 'payment link') },
  table: {
    rows: 'phones',
    columns: ['phone_id', 'state', 'name', 'created_at', 'seen_at'],
    empty: 'This till has no telephones.',
  },
  async run(context, { id }) {
    const sql = await context.sql()
    const key = await findLink(sql, id)
    if (key === null) throw new CommandError(`There is no link ${id}.`)
    const phones = (await readPhonesOf(sql, key)).map((phone) => ({
      phone_id: phone.id,
      state: phoneState(phone),
      name: phone.name,
      created_at: phone.created_at.toISOString(),
      seen_at: phone.seen_at?.toISOString() ?? null,
    }))
    return { phones }
  },
})

export const commands: readonly Command[] = [tillInvite, tillEnd, tillList, tillAssign, tillRelease]
