import assert from 'node:assert/strict'
import { checkHeaders } from './answers.ts'
import type { Answer } from './ask.ts'

// The promises of the interface and docs/en/pay-out.md for a payout, a payout request and a batch, written from their text.

export type Destination = { name: string | null; label: string | null; msisdn: string | null }

export type Payout = {
  id: string
  amount: number
  fee_amount: number
  total_debited: number
  currency: string
  status: string
  beneficiary: Destination
  reference: string | null
  failure_code: string | null
  livemode: boolean
  created_at: string
}

export type PayoutRequest = {
  id: string
  status: string
  reason: string
  limit: number
  amount: number
  currency: string
  beneficiary: Destination
  reference: string | null
  payout_id?: string
  livemode: boolean
  created_at: string
  decided_at: string | null
}

export type Line = {
  rank: number
  status: string
  amount: number
  fee_amount: number
  reference: string | null
  beneficiary: Destination
  payout_id: string | null
  failure_code: string | null
  failure_message: string | null
}

export type Batch = {
  id: string
  status: string
  reference: string | null
  currency: string
  total_amount: number
  line_count: number
  livemode: boolean
  created_at: string
  executed_at: string | null
  finished_at: string | null
  lines: Line[]
}

type Fields = Readonly<Record<string, (value: unknown) => boolean>>

/** In the order of the interface's table. */
const payoutFields: Fields = {
  id: isId('txn'),
  object: (value) => value === 'payout',
  amount: isFrancs,
  fee_amount: isFrancs,
  total_debited: isFrancs,
  currency: (value) => value === 'XOF',
  status: isOneOf('created', 'processing', 'succeeded', 'failed', 'indeterminate'),
  beneficiary: isDestination,
  reference: isTextOrNull,
  failure_code: isTextOrNull,
  livemode: isBoolean,
  created_at: isTime,
}

const requestFields: Fields = {
  id: isId('por'),
  object: (value) => value === 'payout_request',
  status: isOneOf('pending_approval', 'approved', 'rejected', 'expired'),
  reason: isOneOf('plafond_operation', 'plafond_24h'),
  limit: isFrancs,
  amount: isFrancs,
  currency: (value) => value === 'XOF',
  beneficiary: isDestination,
  reference: isTextOrNull,
  payout_id: isId('txn'),
  livemode: isBoolean,
  created_at: isTime,
  decided_at: isTimeOrNull,
}

const batchFields: Fields = {
  id: isId('pob'),
  object: (value) => value === 'payout_batch',
  status: isOneOf('brouillon', 'en_attente_validation', 'en_cours', 'termine', 'termine_avec_erreurs', 'annule'),
  reference: isTextOrNull,
  currency: (value) => value === 'XOF',
  total_amount: isFrancs,
  line_count: isFrancs,
  livemode: isBoolean,
  created_at: isTime,
  executed_at: isTimeOrNull,
  finished_at: isTimeOrNull,
  lines: Array.isArray,
}

const lineFields: Fields = {
  rank: isFrancs,
  status: isOneOf('pending', 'processing', 'succeeded', 'failed', 'indeterminate', 'cancelled'),
  amount: isFrancs,
  fee_amount: isFrancs,
  reference: isTextOrNull,
  beneficiary: isDestination,
  payout_id: (value) => value === null || isId('txn')(value),
  failure_code: isTextOrNull,
  failure_message: isTextOrNull,
}

/** A payout in every respect, with `expected` among its fields. Returns it. */
export function checkPayout(answer: Answer, status: number, expected: Partial<Payout> = {}, why = ''): Payout {
  return checkPayoutShape(checkAnswer<Payout>(answer, status, why), expected, why)
}

export function checkPayoutShape(payout: Payout, expected: Partial<Payout> = {}, why = ''): Payout {
  checkFields(payout, payoutFields, why)
  assert.equal(payout.total_debited, payout.amount + payout.fee_amount, `${why}: the fee comes on top`)
  assert.equal(payout.failure_code !== null, payout.status === 'failed', `${why}: failure_code`)
  return having(payout, expected, why)
}

/** A payout request in every respect; `payout_id` is there once it is approved, and only then. */
export function checkRequest(
  answer: Answer,
  status: number,
  expected: Partial<PayoutRequest> = {},
  why = '',
): PayoutRequest {
  return checkRequestShape(checkAnswer<PayoutRequest>(answer, status, why), expected, why)
}

function checkRequestShape(request: PayoutRequest, expected: Partial<PayoutRequest> = {}, why = ''): PayoutRequest {
  const { payout_id: whenApproved, ...always } = requestFields
  checkFields(request, request.status === 'approved' ? requestFields : always, why)
  assert.equal(request.decided_at === null, request.status === 'pending_approval', `${why}: decided_at`)
  return having(request, expected, why)
}

/** A batch with its lines in every respect. */
export function checkBatch(answer: Answer, status: number, expected: Partial<Batch> = {}, why = ''): Batch {
  return checkBatchShape(checkAnswer<Batch>(answer, status, why), expected, why)
}

const unsent: Readonly<Record<string, string>> = {
  brouillon: 'pending',
  en_attente_validation: 'pending',
  annule: 'cancelled',
}

export function checkBatchShape(batch: Batch, expected: Partial<Batch> = {}, why = ''): Batch {
  checkFields(batch, batchFields, why)
  const { status, lines } = batch
  lines.forEach((line, at) => {
    checkFields(line, lineFields, `${why}: line ${at + 1}`)
    assert.equal(line.rank, at + 1, why)
    assert.equal(line.failure_code !== null, line.status === 'failed', `${why}: failure_code of ${line.rank}`)
    assert.equal(line.failure_message !== null, line.status === 'failed', `${why}: failure_message of ${line.rank}`)
    const isSent = ['processing', 'succeeded', 'indeterminate'].includes(line.status)
    if (isSent) assert.notEqual(line.payout_id, null, `${why}: ${line.rank} has its payout`)
  })
  assert.equal(batch.line_count, lines.length, why)
  assert.equal(
    batch.total_amount,
    lines.reduce((sum, { amount }) => sum + amount, 0),
    why,
  )
  const ended = status === 'termine' || status === 'termine_avec_erreurs'
  assert.equal(batch.finished_at !== null, ended, `${why}: finished_at`)
  assert.equal(batch.executed_at !== null, ended || status === 'en_cours', `${why}: executed_at`)
  if (status in unsent) {
    for (const line of lines) assert.deepEqual([line.status, line.payout_id], [unsent[status], null], why)
  }
  if (status === 'termine') for (const line of lines) assert.equal(line.status, 'succeeded', why)
  if (ended) for (const line of lines) assert.ok(!['pending', 'processing'].includes(line.status), why)
  return having(batch, expected, why)
}

function checkAnswer<Resource>(answer: Answer, status: number, why: string): Resource {
  assert.equal(answer.status, status, `${why}: ${answer.text.slice(0, 500)}`)
  checkHeaders(answer, why)
  return answer.json() as Resource
}

/** Checks for exactly these fields in this order, each with a valid value. */
function checkFields(resource: object, fields: Fields, why: string): void {
  assert.deepEqual(Object.keys(resource), Object.keys(fields), why)
  for (const [name, isRight] of Object.entries(fields)) {
    const value = (resource as Record<string, unknown>)[name]
    assert.ok(isRight(value), `${why}: ${name} is ${JSON.stringify(value)}`)
  }
}

function having<Resource extends object>(resource: Resource, expected: Partial<Resource>, why: string): Resource {
  for (const [name, value] of Object.entries(expected)) {
    assert.deepEqual(resource[name as keyof Resource], value, `${why}: ${name}`)
  }
  return resource
}

function isId(prefix: string): (value: unknown) => boolean {
  return (value) => typeof value === 'string' && new RegExp(`^${prefix}_[0-9A-Za-z]{1,64}$`).test(value)
}

function isOneOf(...values: string[]): (value: unknown) => boolean {
  return (value) => values.includes(String(value))
}

function isDestination(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.keys(value).join() === 'name,label,msisdn' && Object.values(value).every(isTextOrNull)
}

function isFrancs(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean'
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === 'string'
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value)
}

function isTimeOrNull(value: unknown): boolean {
  return value === null || isTime(value)
}
