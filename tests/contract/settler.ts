import assert from 'node:assert/strict'
import { type Balances, readBalances } from '../../src/ledger/balances.ts'
import type { Tenant } from '../../src/values/caller.ts'
import type { Installation } from '../harness/installation.ts'
import type { Merchant, Mode } from '../harness/merchant.ts'
import { mode as ofTests } from '../harness/mode.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkHeaders, checkPayment } from './answers.ts'
import type { Answer, Asked } from './ask.ts'
import { IBAN, isTime } from './book.ts'
import { PATIENCE, post } from './sender.ts'

export const SETTLEMENTS = '/v1-settlements'

/** A merchant with an available balance and a destination past its cooling-off, in one mode. */
export type Settler = {
  merchant: Merchant
  tenant: Tenant
  /** Its key with the scope `payout`. */
  key: string
  /** The options `--merchant … --mode …`. */
  words: string[]
  /** Its designated destination, a bank account. */
  destination: string
  /** Calls `POST /v1-settlements` for that destination, with a new idempotency key. */
  request(amount: number, more?: Partial<Asked>, process?: number): Promise<Answer>
  read(id: string, process?: number): Promise<Answer>
  list(process?: number): Promise<Answer>
  balances(): Promise<Balances>
  /** Adds another destination to the book. */
  newWallet(msisdn: string): Promise<string>
  /** Designates a destination. @param since absent: now */
  designate(id: string, since?: string): Promise<unknown>
}

/** A time long ago, so that the cooling-off is over. */
const LONG_AGO = '2026-01-01T00:00:00.000Z'

/** Makes the merchant. @param available francs, collected from a payer in the mode of the tests; the balance of the other mode stays 0 */
export async function newSettler(
  installation: Installation,
  { available = 100_000, mode = ofTests, of }: { available?: number; mode?: Mode; of?: Merchant } = {},
): Promise<Settler> {
  const { ask, bandama, db } = installation
  const merchant = of ?? (await installation.newMerchant())
  const tenant = { merchant_id: merchant.merchant_id, livemode: mode === 'live' }
  const { key } = await merchant.newKey(mode, 'payout')
  const words = ['--merchant', String(merchant.merchant_id), '--mode', mode]
  const destination = await newDestination(installation, tenant)
  const balances = async () => (await readBalances(db.sql, tenant))!
  if (mode === ofTests && available > 0) await collect(installation, merchant, available, balances)
  return {
    merchant,
    tenant,
    key,
    words,
    destination,
    request: (amount, more = {}, process = 0) =>
      ask({ ...post(SETTLEMENTS, key, { amount, beneficiary: destination }), ...more }, process),
    read: (id, process = 0) => ask({ path: `${SETTLEMENTS}/${id}`, key }, process),
    list: (process = 0) => ask({ path: SETTLEMENTS, key }, process),
    balances,
    async newWallet(msisdn) {
      const named = ['--msisdn', msisdn, '--operator', 'wave_ci', '--name', 'Caisse']
      return String((await bandama('destination', 'create', ...words, ...named)).beneficiary_id)
    },
    designate: (id, since) =>
      bandama('destination', 'designate', ...words, '--beneficiary', id, ...(since ? ['--since', since] : [])),
  }
}

/** Inserts an account that was designated long ago. It does not use the commands, which are slow and have their own tests. */
async function newDestination({ db }: Installation, { merchant_id, livemode }: Tenant): Promise<string> {
  const [row] = await db.sql<{ id: string }[]>`
    insert into beneficiaries (merchant_id, livemode, kind, name, iban, last4, designated_at)
    values (${merchant_id}, ${livemode}, 'settlement', 'Boutique', ${IBAN}, ${IBAN.slice(-4)}, ${LONG_AGO})
    returning id`
  return row!.id
}

async function collect(
  installation: Installation,
  merchant: Merchant,
  amount: number,
  balances: Settler['balances'],
): Promise<void> {
  const { available } = await balances()
  checkPayment(await installation.pay(merchant.key, { amount, simulate: 'succeed' }), 201)
  await waitFor(async () => (await balances()).available === available + amount, {
    ...PATIENCE,
    what: 'the payment to be credited',
  })
}

export type Settlement = {
  id: string
  object: string
  amount: number
  currency: string
  status: 'pending_validation' | 'validated' | 'paid' | 'rejected'
  beneficiary: { id: string; name: string; account_type: string; operator: string | null; last4: string }
  bank_reference: string | null
  rejection_reason: string | null
  livemode: boolean
  created_at: string
  validated_at: string | null
  paid_at: string | null
  rejected_at: string | null
}

const isTimeOrNull = (value: unknown) => value === null || isTime(value)
const isTextOrNull = (value: unknown) => value === null || (typeof value === 'string' && value !== '')

const fields: Record<keyof Settlement, (value: unknown) => boolean> = {
  id: (value) => /^stl_[0-9a-z]{26}$/.test(String(value)),
  object: (value) => value === 'settlement',
  amount: (value) => Number.isSafeInteger(value) && Number(value) >= 1,
  currency: (value) => value === 'XOF',
  status: (value) => ['pending_validation', 'validated', 'paid', 'rejected'].includes(String(value)),
  beneficiary: (value) =>
    JSON.stringify(Object.keys(value as object)) === '["id","name","account_type","operator","last4"]',
  bank_reference: isTextOrNull,
  rejection_reason: isTextOrNull,
  livemode: (value) => typeof value === 'boolean',
  created_at: isTime,
  validated_at: isTimeOrNull,
  paid_at: isTimeOrNull,
  rejected_at: isTimeOrNull,
}

/** Checks all fields of a settlement, with `expected` among them. */
export function checkSettlement(answer: Answer, status: number, expected: Partial<Settlement> = {}): Settlement {
  assert.equal(answer.status, status, answer.text)
  checkHeaders(answer)
  return checkSettlementShape(answer.json() as Settlement, expected)
}

/** Checks the fields of a settlement and their relations. */
export function checkSettlementShape(settlement: Settlement, expected: Partial<Settlement> = {}): Settlement {
  assert.deepEqual(Object.keys(settlement), Object.keys(fields))
  for (const [name, isRight] of Object.entries(fields)) {
    assert.ok(isRight(settlement[name as keyof Settlement]), `${name} of ${JSON.stringify(settlement)}`)
  }
  assert.deepEqual({ ...settlement, ...expected }, settlement)
  const { status, validated_at, paid_at, rejected_at, bank_reference, rejection_reason } = settlement
  assert.equal(paid_at !== null, status === 'paid')
  assert.equal(bank_reference !== null, status === 'paid')
  assert.equal(rejected_at !== null, status === 'rejected')
  if (status === 'pending_validation') assert.equal(validated_at, null)
  if (status === 'validated' || status === 'paid') assert.notEqual(validated_at, null)
  if (status !== 'rejected') assert.equal(rejection_reason, null)
  assert.doesNotMatch(JSON.stringify(settlement), /CI93CI|\+225/, 'of the destination only the end')
  return settlement
}
