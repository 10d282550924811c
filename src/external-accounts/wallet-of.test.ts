import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Wallet, walletOf } from './wallet-of.ts'

const at = (day: number) => new Date(Date.UTC(2027, 0, day))
const wallet = (code: string, fields: Partial<Wallet> = {}): Wallet => ({
  ...{ livemode: true, code, connector: 'mtn', directions: [], orders_from: new Date(0) },
  ...fields,
})
const wallets = [
  wallet('mtn'),
  wallet('mtn-out', { directions: ['payout', 'refund'], orders_from: at(10) }),
  wallet('wave', { connector: 'wave' }),
  wallet('simulator', { livemode: false, connector: 'simulator' }),
]
const order = { livemode: true, connector: 'mtn', direction: 'payout', created_at: at(20) } as const

test('an order is in the wallet of its connector that names its direction, or else in that of the rest', () => {
  assert.equal(walletOf(wallets, order), 'mtn-out')
  assert.equal(walletOf(wallets, { ...order, direction: 'refund' }), 'mtn-out')
  assert.equal(walletOf(wallets, { ...order, direction: 'collect' }), 'mtn')
  assert.equal(walletOf(wallets, { ...order, connector: 'wave' }), 'wave')
})

test('an order that began before a wallet stays in the other one, whenever somebody asks', () => {
  assert.equal(walletOf(wallets, { ...order, created_at: at(9) }), 'mtn')
  assert.equal(walletOf(wallets, { ...order, created_at: at(10) }), 'mtn-out')
})

test('a scenario of test mode is in the wallet of the simulator, and money is never booked at a guess', () => {
  assert.equal(walletOf(wallets, { ...order, livemode: false, connector: null }), 'simulator')
  assert.throws(() => walletOf(wallets, { ...order, connector: null }), /no wallet/)
  assert.throws(() => walletOf(wallets, { ...order, livemode: false }), /no wallet/)
})
