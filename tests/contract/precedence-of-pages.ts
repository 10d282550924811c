import assert from 'node:assert/strict'
import { type Installation, newAddress, newPayer } from '../harness/installation.ts'
import { closeLink, closeSession } from '../harness/links.ts'
import { waitFor } from '../harness/wait-for.ts'
import { isLimited } from './answers.ts'
import { addLink, newSession, open, openLink, submit } from './payer.ts'
import { type Draft, field, inactive, type Step, step } from './precedence-steps.ts'
import { PATIENCE } from './sender.ts'

/** A page that a payer sends a form of: its whole order, and a good form. The first process answers, with these limits. */
export type PageOrder = {
  steps: readonly Step[]
  good(
    installation: Installation,
  ): Promise<Pick<Draft, 'merchant' | 'id'> & { path: string; body: Draft['asked']['body'] }>
}

export const pageLimits = { PAGE_ATTEMPTS_PER_ADDRESS: '3', PAYER_ATTEMPTS_MAX: '1' }

const early: Step[] = [
  step('no such page', [404, 'resource_not_found'], ({ asked }) =>
    Object.assign(asked, { path: `${asked.path.slice(0, -1)}!` }),
  ),
  step('a form of another site', [400, 'invalid_request'], ({ asked }) => {
    asked.headers = { ...asked.headers, 'Sec-Fetch-Site': 'cross-site' }
  }),
  step('the rate of the address', [429, 'rate_limit_exceeded'], ({ merchant, address, finally: last }, installation) =>
    last.push(async () => {
      const page = await open(installation, (await newSession(installation, merchant.key)).path)
      // From the same address, with none of the other faults.
      const more = { headers: { 'X-Forwarded-For': address } }
      const form = { nonce: page.nonce, msisdn: 'x' }
      await waitFor(async () => isLimited(await submit(installation, page.address, form, more)), PATIENCE)
    }),
  ),
]
const payer: Step[] = [
  field(422, 'invalid_msisdn', { msisdn: '12' }),
  field(422, 'invalid_operator', { operator: 'nobody_ci' }),
]
const tooMany = step('too many attempts', [429, 'too_many_attempts'], async ({ merchant, asked }, installation) => {
  const other = await newSession(installation, merchant.key)
  const { nonce } = await open(installation, other.path)
  const headers = { 'X-Forwarded-For': newAddress() }
  const first = await submit(installation, other.path, { nonce, msisdn: asked.body!.msisdn }, { headers })
  assert.equal(first.status, 200, first.text)
})
const closed = step('a closed session', [409, 'session_closed'], ({ id, finally: last }, { db: { sql } }) =>
  last.push(() => closeSession(sql, id)),
)
const linkClosed = step('a closed link', [409, 'lien_indisponible'], ({ id, finally: last }, { db: { sql } }) =>
  last.push(() => closeLink(sql, id)),
)

export const pageOrders: Readonly<Record<string, PageOrder>> = {
  session: {
    steps: [...early, ...payer, inactive, closed, tooMany],
    async good(installation) {
      const merchant = await installation.newMerchant()
      const { path, id } = await newSession(installation, merchant.key)
      const { nonce } = await open(installation, path)
      return { merchant, id, path, body: { nonce, msisdn: newPayer() } }
    },
  },
  link: {
    steps: [
      ...early,
      field(422, 'invalid_amount', { amount: 'x' }),
      ...payer,
      inactive,
      linkClosed,
      field(422, 'amount_too_small', { amount: 499 }),
      field(422, 'amount_too_large', { amount: 80_001 }),
      field(422, 'amount_above_limit', { amount: 60_000 }),
      tooMany,
    ],
    async good(installation) {
      const merchant = await installation.newMerchant()
      const amounts = { kind: 'free', min_amount: 500, max_amount: 80_000 } as const
      const { path, link_id: id } = await addLink(installation, merchant.merchant_id, amounts)
      const { nonce } = await openLink(installation, path)
      return { merchant, id, path, body: { nonce, msisdn: newPayer(), amount: 700 } }
    },
  },
}
