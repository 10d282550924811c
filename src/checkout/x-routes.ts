import Type from 'typebox'
import { defineRoute } from '../platform/http/route.ts'
import type { Db, Sql } from '../platform/postgres/database.ts'
import { amountField } from '../values/amount.ts'
import { tenantOf } from '../values/caller.ts'
import { createdOn, objectField, onlyThese, pageCursor, pageLimit } from '../values/fields.ts'
import { idPattern } from '../values/ids.ts'
import { momentsOf } from '../values/period.ts'
import type { Addresses } from './addresses.ts'
import { showLinks } from './find-links.ts'
import { linkSituations, viewLink } from './link.ts'
import { readReference } from './link-address.ts'
import type { createLinkOperations } from './link-commands.ts'
import { readLink } from './link-store.ts'
import { addressed, PaymentLink, viewPaymentLink } from './payment-link.ts'
import { readWhatsApp } from './whatsapp-number.ts'

/** Links of one page: the default, and the maximum. */
const PAGE_DEFAULT = 20
const PAGE_MAX = 100

type LinkOperations = ReturnType<typeof createLinkOperations>
type Links = { readonly links: { readonly addresses: Addresses } }

const LinkRequest = Type.Object({
  amount: Type.Optional(amountField('The amount to pay, in francs. Without it payers choose between the bounds.')),
  min_amount: Type.Optional(
    amountField('The least that a payer may choose, in francs: 100 when absent. Not with `amount`.'),
  ),
  max_amount: Type.Optional(
    amountField(
      'The most that a payer may choose, in francs: your limit for one payment when absent. Not with `amount`.',
    ),
  ),
  currency: Type.Optional(Type.String({ pattern: '^[Xx][Oo][Ff]$', default: 'XOF', description: 'Only XOF.' })),
  description: Type.Optional(
    Type.String({ minLength: 1, maxLength: 1_000, description: 'The text that payers read on the page, in one line.' }),
  ),
  reference: Type.Optional(
    Type.Refine(
      Type.String({ description: 'Your own label, such as an order number; not unique.' }),
      (text) => readReference(text) !== null,
      () => '1 to 40 Latin letters, digits, spaces and the signs - _ . / #',
    ),
  ),
  whatsapp: Type.Optional(
    Type.Refine(
      Type.String({
        minLength: 8,
        maxLength: 24,
        description:
          'The number to which payers may send their receipt by WhatsApp: ten digits, or with `+` and the code of its country.',
      }),
      (text) => readWhatsApp(text) !== null,
      () => 'a phone number: ten digits, or with + and the code of its country',
    ),
  ),
  reusable: Type.Optional(
    Type.Boolean({ default: false, description: 'True: many payers may pay. False: the first payment ends the link.' }),
  ),
  expires_at: Type.Optional(
    Type.Refine(
      Type.String({
        format: 'date-time',
        description: 'The moment after which nobody can pay, in the future. Absent: the link does not expire.',
      }),
      (text) => !Number.isNaN(Date.parse(text)),
      () => 'a moment such as 2027-01-01T00:00:00Z',
    ),
  ),
})

const TWO_AMOUNTS =
  'amount excludes min_amount and max_amount. Send amount for a fixed sum, or the bounds of a free one.'

const common = { auth: 'api', tags: ['Extensions'], scope: 'collect', fault: 'payment_failed' } as const

const linkParam = {
  params: { link_id: 'lnk' },
  paramDescriptions: { link_id: 'The `id` of a link, with prefix `lnk_`, as `POST /x/links` answers it.' },
} as const

/** An extension: a link that payers pay on, without a program of the merchant's for each of them. */
export const postLink = defineRoute({
  ...common,
  method: 'POST',
  path: '/x/links',
  operation: 'createPaymentLink',
  summary: 'Create a link for one payer or many, of a fixed amount or one that they choose',
  description:
    'Hand `url` to payers. Each of them gets a checkout session from it, with its own events. An `Idempotency-Key` is optional, and honoured.',
  idempotent: 'optional',
  body: LinkRequest,
  example: { body: { amount: 12_500, description: 'A dress, order CMD-417' } },
  replies: { 201: PaymentLink },
  errors: {
    400: ['idempotency_key_required', 'invalid_body'],
    403: ['merchant_inactive'],
    409: ['idempotency_in_progress'],
    422: ['invalid_amount', 'invalid_currency', 'invalid_expires_at', 'idempotency_key_reused', 'amount_above_limit'],
    500: ['checkout_creation_failed'],
  },
  invalid: {
    amount: 'invalid_amount',
    min_amount: 'invalid_amount',
    max_amount: 'invalid_amount',
    currency: 'invalid_currency',
    expires_at: 'invalid_expires_at',
    otherwise: 'invalid_body',
  },
  fault: 'checkout_creation_failed',
  concurrency: 'batched',
  async handle({ call, body, reply, refuse }, deps: Pick<LinkOperations, 'createLink'>) {
    const { amount = null, min_amount: min = null, max_amount: max = null, description = null, reusable = false } = body
    const reference = body.reference === undefined ? null : readReference(body.reference)
    const whatsapp = body.whatsapp === undefined ? null : readWhatsApp(body.whatsapp)
    if (amount !== null && (min ?? max) !== null) return refuse('invalid_amount', { message: TWO_AMOUNTS })
    const expires_at = body.expires_at === undefined ? null : new Date(body.expires_at)
    const result = await deps.createLink(call, {
      ...{ amount, min, max, description, reference, whatsapp, reusable, expires_at },
    })
    return result.kind === 'refused'
      ? refuse(result.code, { message: result.message })
      : reply.stored(result.status, result.text)
  },
})

export const listLinks = defineRoute({
  ...common,
  method: 'GET',
  path: '/x/links',
  operation: 'listPaymentLinks',
  summary: 'Find links, newest first',
  query: Type.Object(
    {
      status: Type.Optional(Type.Enum([...linkSituations], { description: 'Only those in this state.' })),
      day: createdOn,
      limit: pageLimit(PAGE_DEFAULT, PAGE_MAX),
      starting_after: pageCursor(
        'The id of the last one of the page before.',
        idPattern('lnk'),
        'the id of the last link of the page before, with the prefix lnk_',
      ),
    },
    onlyThese,
  ),
  replies: {
    200: Type.Object(
      {
        object: objectField('list'),
        data: Type.Array(PaymentLink, { description: 'Newest first.' }),
        limit: Type.Integer({ description: 'As it was applied.' }),
        has_more: Type.Boolean({ description: 'Whether older ones follow this page.' }),
      },
      { $id: 'PaymentLinkList', description: 'A page of links.' },
    ),
  },
  errors: { 400: ['invalid_request'], 500: ['payment_failed'] },
  invalid: { otherwise: 'invalid_request' },
  async handle({ caller, query, reply }, { reads, links: { addresses } }: Links & { reads: Db }) {
    const { status, day = '', starting_after: after = null } = query
    const limit = Math.min(Number(query.limit ?? PAGE_DEFAULT), PAGE_MAX)
    const filters = { situation: status ?? null, text: null, ...momentsOf({ from: day, to: day }) }
    const page = await showLinks({ sql: reads, addresses }, tenantOf(caller), filters, { limit, after })
    const data = page.rows.map((link) => addressed(viewPaymentLink(link), addresses.linkUrl))
    return reply(200, { object: 'list', data, limit, has_more: page.after !== null })
  },
})

export const getLink = defineRoute({
  ...common,
  ...linkParam,
  method: 'GET',
  path: '/x/links/:link_id',
  operation: 'getPaymentLink',
  summary: 'Read a link',
  replies: { 200: PaymentLink },
  errors: { 404: ['resource_not_found'], 422: ['invalid_id'], 500: ['payment_failed'] },
  async handle({ caller, params, reply, refuse }, { sql, links: { addresses } }: Links & { sql: Sql }) {
    const link = await readLink(sql, { ...tenantOf(caller), link_id: params.link_id })
    if (link === null) return refuse('resource_not_found')
    return reply(200, addressed(viewPaymentLink(viewLink(link)), addresses.linkUrl))
  },
})

export const postLinkClose = defineRoute({
  ...common,
  ...linkParam,
  method: 'POST',
  path: '/x/links/:link_id/close',
  operation: 'closePaymentLink',
  summary: 'Close a link and the pages that payers opened from it',
  description:
    'Nobody can pay on it any more. A page whose payment is in progress stays open until it ends, and its payment still counts. No body.',
  replies: { 200: PaymentLink },
  errors: {
    404: ['resource_not_found'],
    409: ['link_not_closable'],
    422: ['invalid_id'],
    500: ['payment_failed'],
  },
  async handle({ call, params, reply, refuse }, deps: Pick<LinkOperations, 'closeLink'>) {
    const result = await deps.closeLink({ ...call, link_id: params.link_id })
    return result.kind === 'refused' ? refuse(result.code) : reply.stored(result.status, result.text)
  },
})
