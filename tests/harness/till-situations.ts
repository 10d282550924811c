import type { TillFacts, TillResult } from '../../src/checkout/till/read-till.ts'
import { tillNotice, tillNotices, tillView } from '../../src/checkout/till/till-view.ts'
import { contextOf, type PageSituation } from './page-situations.ts'

// The pages of a telephone of a till, which page-situations.ts adds to those of payers.

function result(more: Partial<TillResult> = {}): TillResult {
  return {
    status: 'paid',
    amount: 12_500,
    amount_source: 'address',
    reference: 'CMD-417',
    code: '6W0Z',
    operator: 'orange_ci',
    msisdn_end: '17',
    paid_at: '2026-11-28T14:32:10.000Z',
    ...more,
  }
}

const facts: TillFacts = {
  merchant_name: 'Librairie du Plateau',
  livemode: true,
  till_name: 'Adjamé, caisse 1',
  phone_name: 'Awa',
  asked: '',
  results: [
    result(),
    result({ status: 'waiting', amount: 3_000, paid_at: null, code: '7KQ2', operator: 'wave_ci', reference: null }),
    result({ status: 'not_paid', amount: 500, paid_at: null, code: 'A1B2', amount_source: 'payer' }),
    result({ status: 'refunded', amount: 9_000, code: 'ZZ01' }),
    result({ status: 'part_refunded', amount: 7_500, code: 'ZZ02' }),
  ],
}

function till(name: string, more: Partial<TillFacts>): PageSituation {
  return { name, render: (language) => tillView({ ...facts, ...more }, 'f00d', contextOf(language)) }
}

const join = {
  ...tillNotices.join('Adjamé, caisse 1', 'Librairie du Plateau'),
  pair: '/till/join/k3q9',
  livemode: true,
}

export const tillSituations: readonly PageSituation[] = [
  till('till', {}),
  till('till-empty', { results: [], livemode: false }),
  till('till-paid', { asked: '6W0Z', results: [result()] }),
  till('till-none', { asked: 'ZZZZ', results: [] }),
  { name: 'till-join', render: (language) => tillNotice(join, contextOf(language)) },
  {
    name: 'till-unpaired',
    render: (language) => tillNotice({ ...tillNotices.unpaired, pair: null, livemode: true }, contextOf(language)),
  },
]
