import Type from 'typebox'
import { defineRoute } from '../platform/http/route.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { expecting, objectField, pageCursor, pageLimit } from '../values/fields.ts'
import { Msisdn } from '../values/msisdn.ts'
import { operatorCodes } from '../values/operators.ts'
import { addBeneficiary } from './add-beneficiary.ts'
import { Beneficiary, beneficiaryIdIn, ENTRY_ID, holderNameIn, viewBeneficiary } from './beneficiary.ts'
import * as store from './store.ts'

/** The number of entries on a page: by default, and at most. */
const PAGE_DEFAULT = 50
const PAGE_MAX = 100
/** The largest offset, because a page reads all entries that it skips. `starting_after` reaches any position at once. */
const OFFSET_MAX = 10_000

const BeneficiaryList = Type.Object(
  {
    object: objectField('list'),
    data: Type.Array(Beneficiary, { description: 'Oldest first.' }),
    total_count: Type.Integer({ description: 'Entries of the whole list, whatever the page.' }),
    total: Type.Integer({ description: 'The same as `total_count`.' }),
    limit: Type.Integer({ description: 'As it was applied.' }),
    offset: Type.Integer({ description: 'How many entries were passed over.' }),
    has_more: Type.Boolean({ description: 'Whether entries follow this page.' }),
  },
  { $id: 'BeneficiaryList', description: 'A page of your book of beneficiaries.' },
)

const offsetTooLarge = `offset is at most ${OFFSET_MAX}. To read further, send starting_after with the id of the last entry that you have read.`

export const listBeneficiaries = defineRoute({
  auth: 'api',
  method: 'GET',
  path: '/v1-beneficiaries',
  operation: 'listBeneficiaries',
  summary: 'Read the book, oldest entry first',
  tags: ['Beneficiaries'],
  scope: 'payout',
  query: Type.Object({
    active: Type.Optional(
      Type.Enum(['true', 'false'], { description: '`true`: only active entries; `false`: only archived ones.' }),
    ),
    limit: pageLimit(PAGE_DEFAULT, PAGE_MAX),
    offset: Type.Optional(
      expecting(
        'a whole number of at least 0',
        Type.String({
          pattern: '^[0-9]+$',
          description: `Entries to pass over, ${OFFSET_MAX} at most. Beyond that send \`starting_after\`.`,
        }),
      ),
    ),
    starting_after: pageCursor(
      'The id of the last entry of the page before. As quick at any depth.',
      ENTRY_ID,
      'the id of an entry, a UUID',
    ),
  }),
  example: { query: { active: 'true', limit: '50' } },
  replies: { 200: BeneficiaryList },
  errors: { 400: ['invalid_request'], 500: ['payment_failed'] },
  invalid: { otherwise: 'invalid_request' },
  fault: 'payment_failed',
  async handle({ caller: { merchant_id, livemode }, query, reply, refuse }, deps: { sql: Sql }) {
    const limit = Math.min(Number(query.limit ?? PAGE_DEFAULT), PAGE_MAX)
    const offset = Number(query.offset ?? 0)
    if (offset > OFFSET_MAX) return refuse('invalid_request', { message: offsetTooLarge })
    const active = query.active === undefined ? null : query.active === 'true'
    const starting_after = query.starting_after === undefined ? null : beneficiaryIdIn(query.starting_after)
    // One entry more than the page shows whether another page follows.
    const wanted = { merchant_id, livemode, active, limit: limit + 1, offset, starting_after }
    const { entries, total_count, start_known } = await store.readPage(deps.sql, wanted)
    if (!start_known) return refuse('invalid_request', { message: 'starting_after is not the id of an entry.' })
    return reply(200, {
      object: 'list',
      data: entries.slice(0, limit).map(viewBeneficiary),
      total_count,
      total: total_count,
      limit,
      offset,
      has_more: entries.length > limit,
    })
  },
})

export const getBeneficiary = defineRoute({
  auth: 'api',
  method: 'GET',
  path: '/v1-beneficiaries/:beneficiary_id',
  operation: 'getBeneficiary',
  summary: 'Read an entry of the book',
  tags: ['Beneficiaries'],
  scope: 'payout',
  params: { beneficiary_id: 'text' },
  paramDescriptions: {
    beneficiary_id: 'The `id` of an entry, a UUID, as the list and `POST /v1-beneficiaries` answer it.',
  },
  replies: { 200: Beneficiary },
  errors: { 404: ['resource_not_found'], 500: ['payment_failed'] },
  fault: 'payment_failed',
  async handle({ caller: { merchant_id, livemode }, params, reply, refuse }, deps: { sql: Sql }) {
    const id = beneficiaryIdIn(params.beneficiary_id)
    const row = id === null ? null : await store.readBeneficiary(deps.sql, { merchant_id, livemode, id })
    return row === null ? refuse('resource_not_found') : reply(200, viewBeneficiary(row))
  },
})

const destination = {
  msisdn: Type.Refine(
    Type.String({ maxLength: 64, description: 'Ten digits, or the international form with `+225`.' }),
    (written) => Msisdn.parse(written) !== null,
    () => 'an Ivorian mobile number: ten digits, or +225 and ten digits',
  ),
  operator: Type.Enum([...operatorCodes], { description: 'The network of the destination.' }),
  name: Type.Refine(
    Type.String({ description: 'Your own label, 2 to 200 characters; not verified with the operator.' }),
    (written) => holderNameIn(written) !== null,
    () => 'a name of 2 to 200 characters',
  ),
}

export const postBeneficiary = defineRoute({
  auth: 'api',
  method: 'POST',
  path: '/v1-beneficiaries',
  operation: 'addBeneficiary',
  summary: 'Add a payout destination to the book',
  description:
    'The fields stand in the body itself or in `beneficiary`. A number that is in the book stays as it is: 200 and its entry.',
  tags: ['Beneficiaries'],
  scope: 'payout',
  body: Type.Object({
    beneficiary: Type.Optional(
      Type.Object(destination, { description: 'The same three fields, if you prefer them in an object of their own.' }),
    ),
    msisdn: Type.Optional(destination.msisdn),
    operator: Type.Optional(destination.operator),
    name: Type.Optional(destination.name),
  }),
  example: { body: { msisdn: '0700000010', operator: 'orange_ci', name: 'Issa Diallo' } },
  replies: { 200: Beneficiary, 201: Beneficiary },
  errors: {
    400: ['invalid_request'],
    403: ['merchant_inactive'],
    422: ['invalid_beneficiary'],
    500: ['payment_failed'],
  },
  unreadable: 'invalid_request',
  invalid: { otherwise: 'invalid_beneficiary' },
  fault: 'payment_failed',
  async handle({ caller, body, reply, refuse }, deps: { sql: Sql }) {
    const sent = body.beneficiary ?? body
    const msisdn = Msisdn.parse(sent.msisdn ?? '')
    const name = holderNameIn(sent.name ?? '')
    if (msisdn === null || sent.operator === undefined || name === null) {
      const missing = msisdn === null ? 'msisdn' : sent.operator === undefined ? 'operator' : 'name'
      return refuse('invalid_beneficiary', { message: `${missing} is missing. Send msisdn, operator and name.` })
    }
    const result = await addBeneficiary(deps.sql, caller, { msisdn, operator: sent.operator, name })
    if (result.kind === 'refused') return refuse(result.code)
    return reply(result.kind === 'created' ? 201 : 200, viewBeneficiary(result.beneficiary))
  },
})
