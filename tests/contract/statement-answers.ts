import assert from 'node:assert/strict'
import { checkHeaders } from './answers.ts'
import type { Answer } from './ask.ts'

export const STATEMENTS = '/v1-statements'

export type Movement = {
  id: string
  object: 'movement'
  type: string
  direction: 'in' | 'out'
  amount: number
  balance: number
  reference: string | null
  payment_id: string | null
  created_at: string
}

export type Statement = {
  object: 'statement'
  from: string
  to: string
  currency: 'XOF'
  livemode: boolean
  opening_balance: number
  total_in: number
  total_out: number
  closing_balance: number
  data: Movement[]
  total_count: number
  limit: number
  offset: number
  has_more: boolean
}

const types = ['collection', 'refund', 'refund_returned', 'settlement', 'settlement_returned', 'transfer', 'adjustment']

const isFrancs = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0
const isTextOrNull = (value: unknown) => value === null || (typeof value === 'string' && value !== '')

const movementFields: Record<keyof Movement, (value: unknown) => boolean> = {
  id: (value) => /^(?:txn|rfd|stl|mov|adj)_[0-9A-Za-z]{1,64}$/.test(String(value)),
  object: (value) => value === 'movement',
  type: (value) => types.includes(String(value)),
  direction: (value) => value === 'in' || value === 'out',
  amount: (value) => isFrancs(value) && value !== 0,
  balance: isFrancs,
  reference: isTextOrNull,
  payment_id: (value) => value === null || /^txn_/.test(String(value)),
  created_at: (value) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(String(value)),
}

const statementFields: Record<keyof Statement, (value: unknown) => boolean> = {
  object: (value) => value === 'statement',
  from: (value) => /^\d{4}-\d\d-\d\d$/.test(String(value)),
  to: (value) => /^\d{4}-\d\d-\d\d$/.test(String(value)),
  currency: (value) => value === 'XOF',
  livemode: (value) => typeof value === 'boolean',
  opening_balance: isFrancs,
  total_in: isFrancs,
  total_out: isFrancs,
  closing_balance: isFrancs,
  data: Array.isArray,
  total_count: isFrancs,
  limit: (value) => isFrancs(value) && Number(value) >= 1 && Number(value) <= 500,
  offset: isFrancs,
  has_more: (value) => typeof value === 'boolean',
}

function checkFields<Checked extends object>(
  checked: Checked,
  fields: Record<keyof Checked, (value: unknown) => boolean>,
): void {
  assert.deepEqual(Object.keys(checked), Object.keys(fields))
  for (const [name, isRight] of Object.entries(fields)) {
    const value = checked[name as keyof Checked]
    assert.ok((isRight as (value: unknown) => boolean)(value), `${name} is ${JSON.stringify(value)}`)
  }
}

/**
 * Checks a statement: its fields, the equation, and the movements, each of which leads from one balance to the next, from the opening
 * balance on the first page to the closing balance on the last. Returns the statement.
 */
export function checkStatement(answer: Answer): Statement {
  assert.equal(answer.status, 200, answer.text)
  checkHeaders(answer)
  const statement = answer.json() as Statement
  checkFields(statement, statementFields)
  const { opening_balance, total_in, total_out, closing_balance, data, total_count, limit, offset, has_more } =
    statement
  assert.equal(opening_balance + total_in - total_out, closing_balance)
  assert.equal(data.length, Math.max(0, Math.min(limit, total_count - offset)))
  assert.equal(has_more, offset + data.length < total_count)
  let balance = offset === 0 ? opening_balance : null
  let time = `${statement.from}T`
  for (const movement of data) {
    checkFields(movement, movementFields)
    const signed = movement.direction === 'in' ? movement.amount : -movement.amount
    if (balance !== null) assert.equal(movement.balance, balance + signed, movement.id)
    balance = movement.balance
    assert.ok(movement.created_at >= time && movement.created_at.slice(0, 10) <= statement.to, movement.created_at)
    time = movement.created_at
  }
  if (!has_more && balance !== null && offset <= total_count) assert.equal(balance, closing_balance)
  return statement
}

/** Returns the sums of the movements in and out. */
export function totalsOf(data: readonly Movement[]): { total_in: number; total_out: number } {
  const sum = (direction: string) =>
    data.filter((movement) => movement.direction === direction).reduce((total, { amount }) => total + amount, 0)
  return { total_in: sum('in'), total_out: sum('out') }
}
