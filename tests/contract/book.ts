import assert from 'node:assert/strict'
import { type Installation, openInstallation } from '../harness/installation.ts'
import type { Merchant } from '../harness/merchant.ts'
import { mode } from '../harness/mode.ts'
import { checkHeaders } from './answers.ts'
import type { Answer, Asked } from './ask.ts'

export const BOOK = '/v1-beneficiaries'

/** The example account of the public registry. */
export const IBAN = 'CI93CI0080111301134291200589'

/** The service with a merchant and its book, and short calls of its routes. */
export type Book = {
  installation: Installation
  merchant: Merchant
  /** The merchant's test key with the scope `payout`. */
  key: string
  ask(asked: Asked, process?: number): Promise<Answer>
  add(body: unknown, key?: string, process?: number): Promise<Answer>
  read(id: string, key?: string): Promise<Answer>
  /** @param query with its question mark, or empty */
  list(query: string, key?: string): Promise<Answer>
  /** Returns a number that no test of the file has used, as ten digits. */
  newNumber(): string
  /** Returns a valid body with a new number. */
  good(): { msisdn: string; operator: string; name: string }
  /** Makes another merchant with a test key with the scope `payout`. */
  newBook(): Promise<Merchant & { payout: string }>
  /** Checks that no answer, log line or stored request so far shows a whole number or account. */
  checkNothingShown(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export async function openBook(processes: string[][]): Promise<Book> {
  const installation = await openInstallation({ env: { LOG_LEVEL: 'debug' }, processes })
  const merchant = await installation.newMerchant()
  const { key } = await merchant.newKey(mode, 'payout')
  const answers: string[] = []
  const numbers: string[] = []

  const ask: Book['ask'] = async (asked, process = 0) => {
    const answer = await installation.ask(asked, process)
    answers.push(answer.text)
    return answer
  }
  const newNumber = () => {
    const number = `07${String(71_000_000 + numbers.length)}`
    numbers.push(number)
    return number
  }
  return {
    installation,
    merchant,
    key,
    ask,
    add: (body, as = key, process = 0) => ask({ path: BOOK, key: as, body }, process),
    read: (id, as = key) => ask({ path: `${BOOK}/${id}`, key: as }),
    list: (query, as = key) => ask({ path: `${BOOK}${query}`, key: as }),
    newNumber,
    good: () => ({ msisdn: newNumber(), operator: 'orange_ci', name: 'Awa Koné' }),
    async newBook() {
      const fresh = await installation.newMerchant()
      return { ...fresh, payout: (await fresh.newKey(mode, 'payout')).key }
    },
    async checkNothingShown() {
      const kept = await installation.db.sql<{ line: string }[]>`select row_to_json(r)::text as line from request_log r`
      assert.ok(answers.length > 0 && numbers.length > 0 && kept.length > 0, 'there was something to look through')
      const logs = installation.services.map((service) => service.output())
      const everything = [...answers, ...logs, ...kept.map(({ line }) => line)].join('\n')
      for (const number of numbers) assert.ok(!everything.includes(number.slice(1)), 'a number is shown')
      assert.ok(!everything.includes(IBAN.slice(4)), 'an account is shown')
    },
    [Symbol.asyncDispose]: () => installation[Symbol.asyncDispose](),
  }
}

export type Beneficiary = {
  id: string
  object: 'beneficiary'
  kind: string
  label: string | null
  name: string
  operator: string | null
  last4: string
  active: boolean
  livemode: boolean
  created_at: string
  archived_at: string | null
}

const fields: Record<keyof Beneficiary, (value: unknown) => boolean> = {
  id: (value) => typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value),
  object: (value) => value === 'beneficiary',
  kind: (value) => value === 'payout' || value === 'settlement',
  label: (value) => value === null || typeof value === 'string',
  name: (value) => typeof value === 'string' && value.length >= 2,
  operator: (value) => value === null || ['orange_ci', 'mtn_ci', 'moov_ci', 'wave_ci'].includes(String(value)),
  last4: (value) => typeof value === 'string' && /^\d{4}$/.test(value),
  active: (value) => typeof value === 'boolean',
  livemode: (value) => typeof value === 'boolean',
  created_at: (value) => isTime(value),
  archived_at: (value) => value === null || isTime(value),
}

export function isTime(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value)
}

/** Checks all fields of an entry, with `expected` among them. */
export function checkEntry(answer: Answer, status: number, expected: Partial<Beneficiary> = {}): Beneficiary {
  assert.equal(answer.status, status, answer.text)
  checkHeaders(answer)
  return checkFields(answer.json() as Beneficiary, expected)
}

function checkFields(entry: Beneficiary, expected: Partial<Beneficiary> = {}): Beneficiary {
  assert.deepEqual(Object.keys(entry), Object.keys(fields))
  for (const [name, isRight] of Object.entries(fields)) {
    assert.ok(isRight(entry[name as keyof Beneficiary]), `${name} of ${JSON.stringify(entry)}`)
  }
  assert.deepEqual({ ...entry, ...expected }, entry)
  assert.equal(entry.active, entry.archived_at === null)
  return entry
}

export type List = { data: Beneficiary[]; total_count: number; limit: number; offset: number; has_more: boolean }

export function checkList(answer: Answer): List {
  assert.equal(answer.status, 200, answer.text)
  checkHeaders(answer)
  const page = answer.json() as List & { object: string; total: number }
  assert.deepEqual(Object.keys(page), ['object', 'data', 'total_count', 'total', 'limit', 'offset', 'has_more'])
  assert.equal(page.object, 'list')
  assert.equal(page.total, page.total_count)
  for (const entry of page.data) checkFields(entry)
  return page
}
