import { createAddresses } from '../../checkout/addresses.ts'
import { closeLink } from '../../checkout/close-link.ts'
import { closeSession } from '../../checkout/close-session.ts'
import { sessionList } from '../../checkout/console/session-list.ts'
import { createLink } from '../../checkout/create-link.ts'
import type { Collectors } from '../../checkout/create-session.ts'
import { listLinks, showLink } from '../../checkout/find-links.ts'
import type { LinkAmount } from '../../checkout/link.ts'
import { findLink } from '../../checkout/link-store.ts'
import { nameLink } from '../../checkout/name-link.ts'
import { findSession } from '../../checkout/store.ts'
import type { Tenant } from '../../values/caller.ts'
import { operatorCodes } from '../../values/operators.ts'
import { actCommand } from '../act-command.ts'
import { type Command, CommandError, defineCommand, idOf, readTenant, readTime } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { listCommand } from '../list-command.ts'
import { openRegistry } from '../open-registry.ts'
import { serviceOrigin } from '../service-origin.ts'

const linkCreate = actCommand(createLink, {
  example: "--merchant 1 --mode test --min 500 --max 50000 --reusable --description 'For the school'",
  deps: async (context) => ({ links: await readers(context) }),
  instead: {
    options: {
      amount: { kind: 'optional', says: 'the amount to pay' },
      min: { kind: 'optional', value: 'FRANCS', says: 'the least that a payer may choose, with --max' },
      max: { kind: 'optional', value: 'FRANCS', says: 'the most that a payer may choose, with --min' },
      reusable: { kind: 'flag', says: 'many payers may pay; otherwise the first payment closes it' },
      expires: {
        kind: 'optional',
        value: 'TIME',
        says: 'the time until which it can be paid, such as 2027-01-01T00:00:00Z',
      },
      description: { kind: 'optional', value: 'TEXT', says: 'the text that payers read above the amount' },
      reference: { kind: 'optional', value: 'TEXT', says: 'your own label, such as an order number' },
      whatsapp: { kind: 'optional', value: 'NUMBER', says: 'the number to which payers may send their receipt' },
    },
    typed({ reusable, expires, ...given }) {
      const { amount, min, max, description, reference, whatsapp } = given as Record<string, string | undefined>
      const isFixed = amount !== undefined && min === undefined && max === undefined
      const isFree = amount === undefined && min !== undefined && max !== undefined
      if (!isFixed && !isFree) throw new CommandError('A link has --amount, or --min and --max.', 2)
      const until = expires === undefined ? undefined : readTime('expires', String(expires)).toISOString()
      return { amount, min, max, description, reference, whatsapp, until, reusable: reusable === true ? 'yes' : '' }
    },
  },
  async answer({ link_id, url, tenant, amount }, context) {
    const collectors = await collectorsOf(context, tenant, amount)
    if (collectors !== 'some') {
      const why = collectors === 'none' ? 'No operator can collect' : 'No operator that collects takes such an amount'
      const mode = tenant.livemode ? 'live' : 'test'
      context.advise(`${why} in ${mode} mode yet, so nobody can pay on this link. bandama route set changes that.`)
    }
    return { link_id, url }
  },
})

const linkClose = actCommand(closeLink, {
  merchantOf: async (context, id) => (await findLink(await context.sql(), id))?.merchant_id ?? null,
  answer: ({ link_id, sessions_closed }) => ({ link_id, status: 'closed', sessions_closed }),
})

const linkName = actCommand(nameLink, {
  example: '--id lnk_01kag5x9y2f3v8n4q7m1c6w0zt --handle boutique-awa',
  deps: async (context) => ({ links: await readers(context) }),
  answer: (named) => named,
})

const linkList = defineCommand({
  name: 'link list',
  summary: "Show a merchant's links, the newest 200; link show and --json give their addresses",
  options: { merchant: 'needed', mode: 'needed' },
  table: {
    rows: 'links',
    columns: ['link_id', 'status', 'amount', 'min_amount:least', 'max_amount:most', 'description'],
    empty: 'This merchant has no payment links.',
  },
  async run(context, { merchant, mode }) {
    return { links: await listLinks(await readers(context), readTenant({ merchant, mode })) }
  },
})

const linkShow = defineCommand({
  name: 'link show',
  summary: 'Show one link with its address',
  options: { id: idOf('lnk', 'payment link') },
  async run(context, { id }) {
    const link = await showLink(await readers(context), id)
    if (link === null) throw new CommandError(`There is no link ${id}.`)
    return link
  },
})

const sessionClose = actCommand(closeSession, {
  name: 'session close',
  merchantOf: async (context, id) => (await findSession(await context.sql(), id))?.merchant_id ?? null,
  answer: ({ session_id }) => ({ session_id, status: 'closed' }),
})

const sessionListed = listCommand(sessionList, {
  noun: 'session',
  summary: "Show a merchant's hosted payment pages, newest first",
  columns: ['id', 'status', 'amount', 'attempts', 'created_at', 'description'],
  empty: 'No such payment pages.',
})

/**
 * Whether an operator can now collect for the merchant, and accepts an amount of the link. A fee that the payer bears
 * is not considered.
 */
async function collectorsOf(context: CommandContext, tenant: Tenant, amount: LinkAmount): Promise<Collectors> {
  const registry = await openRegistry(context)
  const orders = operatorCodes.map((operator) => ({ ...tenant, operator, direction: 'collect' as const }))
  const able = orders.filter((order) => registry.connectorFor(order) !== null)
  if (able.length === 0) return 'none'
  const [least, most] =
    amount.kind === 'fixed' ? [amount.amount, amount.amount] : [amount.min_amount, amount.max_amount]
  const takes = able.some((order) => {
    const bounds = registry.boundsFor(order)
    return bounds === null || (bounds.min <= most && bounds.max >= least)
  })
  return takes ? 'some' : 'other_amounts'
}

async function readers(context: CommandContext) {
  const origin = await serviceOrigin(context)
  return {
    sql: await context.sql(),
    addresses: createAddresses({ secretKey: await context.secretKey(), origin: () => origin }),
  }
}

export const commands: readonly Command[] = [
  linkCreate,
  linkName,
  linkClose,
  linkList,
  linkShow,
  sessionClose,
  sessionListed,
]
