import { type ActScreenDeps, consoleAct } from '../../console/acts/act-screen.ts'
import type { FieldError } from '../../console/forms.ts'
import { absent, defineConsoleScreen, moved, type ScreenRequest } from '../../console/screen.ts'
import type { Clock } from '../../platform/clock.ts'
import { writeAmount } from '../../platform/http/pages/write-values.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { isDay } from '../../values/period.ts'
import { readFrancs } from '../../values/read-typed.ts'
import type { Addresses } from '../addresses.ts'
import { closeLink } from '../close-link.ts'
import { createLink } from '../create-link.ts'
import { showLinks, showOwnLink } from '../find-links.ts'
import type { LinkAmount } from '../link.ts'
import { chosenLinks, linkFilterNames, linkFilters } from './link-filters.ts'
import { linkView } from './link-page.ts'
import { linksView, nothingTyped, type TypedLink } from './link-views.ts'

export type LinkScreenDeps = {
  readonly links: {
    readonly sql: Sql
    readonly clock: Clock
    readonly addresses: Addresses
    /** The most that a payer of this merchant can pay, in francs. */
    readonly amountMax: (merchant_id: number) => Promise<number>
  }
}
type Request = ScreenRequest<'console'>

const PAGE = 50

/** The least amount that a payer can choose, in francs, so that a typing error makes no payment. */
const FREE_MIN = 100

/** Shows one link. `absent` when it is not this caller's. */
async function showOne(request: Request, { links }: LinkScreenDeps, more: { refused?: string } = {}) {
  const { tenant, params, query } = request
  const found = await showOwnLink(links, tenant, params.id!, { limit: PAGE, after: query.get('after') })
  return found === null ? absent : linkView(request, { ...found, ...more })
}

async function show(
  request: Request,
  { links }: LinkScreenDeps,
  more: { typed?: TypedLink; errors?: readonly FieldError[] } = {},
) {
  const chosen = chosenLinks(request)
  const wanted = { limit: PAGE, after: request.query.get('after') }
  const page = await showLinks(links, request.tenant, linkFilters(chosen), wanted)
  return linksView(request, { chosen, links: page, typed: nothingTyped, errors: [], ...more })
}

export const getLinks = defineConsoleScreen<LinkScreenDeps>({
  method: 'GET',
  path: '/links',
  query: [...linkFilterNames, 'after'],
  operation: 'consoleLinks',
  summary: 'The payment links of a merchant and what each brought',
  right: 'payments.read',
  menu: { group: 'received', icon: 'link', words: ['Liens de paiement', 'Payment links'] },
  handle: (request, deps) => show(request, deps),
})

export const getLink = defineConsoleScreen<LinkScreenDeps>({
  method: 'GET',
  path: '/links/:id',
  query: ['after'],
  operation: 'consoleLink',
  summary: 'One payment link and the payments that it brought',
  right: 'payments.read',
  handle: (request, deps) => showOne(request, deps),
})

export const postLink = defineConsoleScreen<LinkScreenDeps>({
  method: 'POST',
  path: '/links',
  operation: 'consoleCreateLink',
  summary: 'Create a payment link',
  right: 'links.manage',
  async handle(request, deps) {
    const { say, fields, tenant, actor, at } = request
    const typed: TypedLink = {
      description: fields.text('description'),
      amount: fields.text('amount'),
      reusable: fields.all('reusable').includes('yes'),
      until: fields.text('until'),
    }
    const max = await deps.links.amountMax(tenant.merchant_id)
    const amount = readAmount(typed.amount, max)
    const expires_at = readUntil(typed.until)
    const errors: FieldError[] = []
    if (typed.description === '')
      errors.push({
        field: 'description',
        text: say(['Dites ce que le client paie.', 'Write what the payer pays for.']),
      })
    if (amount === null)
      errors.push({
        field: 'amount',
        text: say(
          [
            'Un montant est un nombre entier de francs, {max} au plus.',
            'An amount is a whole number of francs, {max} at most.',
          ],
          { max: writeAmount(max) },
        ),
      })
    if (expires_at === 'unreadable')
      errors.push({ field: 'until', text: say(['Choisissez un jour.', 'Choose a day.']) })
    if (errors.length > 0 || amount === null || expires_at === 'unreadable')
      return show(request, deps, { typed, errors })
    const wanted = { ...tenant, amount, reusable: typed.reusable, description: typed.description, expires_at }
    const result = await createLink(deps.links, wanted, actor)
    if (result.kind === 'created') return moved(at(`/links/${result.link_id}?done=created`))
    const past = say(['Ce jour est passé.', 'This day has passed.'])
    const long = say(['1 000 lettres au plus.', '1,000 letters at most.'])
    const wrong =
      result.code === 'expiry_in_past' ? { field: 'until', text: past } : { field: 'description', text: long }
    return show(request, deps, { typed, errors: [wrong] })
  },
})

/** Reads an amount. Empty text lets the payer choose. Null for an invalid amount. */
function readAmount(typed: string, amount_max: number): LinkAmount | null {
  if (typed === '') return { kind: 'free', min_amount: FREE_MIN, max_amount: amount_max }
  const amount = readFrancs(typed)
  return amount !== null && amount <= amount_max ? { kind: 'fixed', amount } : null
}

/** The end of a day in Abidjan; null for a link without an end. */
function readUntil(typed: string): Date | null | 'unreadable' {
  if (typed === '') return null
  return isDay(typed) ? new Date(`${typed}T23:59:59Z`) : 'unreadable'
}

const postLinkClose = consoleAct(closeLink, {
  path: '/links/:id/close',
  back: ({ at, params }) => at(`/links/${params.id}`),
  done: ({ params }) => `/links/${params.id}?done=closed`,
  again: (request, deps: LinkScreenDeps & ActScreenDeps, [error]) =>
    showOne(request, deps, error === undefined ? {} : { refused: error.text }),
})

export const linkScreens = [getLinks, getLink, postLink, postLinkClose] as const
