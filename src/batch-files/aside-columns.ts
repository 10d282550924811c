import { plainTitle } from '../platform/tables/read-csv.ts'
import { Msisdn } from '../values/msisdn.ts'
import type { Ask } from './batch-draft.ts'
import { isOtherCurrency } from './currencies.ts'
import { operatorIn } from './judge-line.ts'

/** The share of a column's cells that must have a meaning, so that the column has it. Empty cells do not count. */
const MOST = 0.7
/** The most characters of a cell that a question repeats. */
const SAID_MAX = 60

const yesOrNo = new Set(['oui', 'non', 'o', 'n', 'yes', 'no', 'y', 'vrai', 'faux', 'true', 'false', 'x', 'ok', 'ko'])
const ticks = /^[\u2610-\u2612\u2713-\u2718\u2705\u274c\u274e]\ufe0f?$/u
/** Means of payment that no other column would say, and those that only count among others. */
const otherMeans = /^(?:especes?|cash|cheques?|virements?(?:bancaires?)?|banktransfer|liquide|argentliquide)$/
const anyMeans = /^(?:banque|bank|carte|card|mandat|compte|rib|iban|esp|vir|chq|mobilemoney|momo|transfert|transfer)$/
/** A cell that says no, also in a column that mostly says something else; `n` and `0` only where the others say yes or no. */
const no = /^(?:non|no|faux|false|ko)$/
const crossed = /^[\u2610\u2717\u2718\u274c\u274e]\ufe0f?$/u
/** Words that speak against a payment, wherever they stand. */
const against =
  /ne ?pas|not pay|suspen|annul|cancel|bloqu|deced|licenci|demission|deja pay|already paid|rejet|^(?:parti|sorti|stop|paye|paid|regle|solde|impaye|unpaid)e?s?$/

const isPlainNumber = (text: string) => Msisdn.parse(text) !== null || /^[157]\d{8}$/.test(text.replace(/\s/g, ''))
const isOther = (word: string) => otherMeans.test(word) || anyMeans.test(word)

const isFrancs = (text: string) => /^(?:xof|f?cfa|f)$/i.test(text.replace(/\s/g, ''))

/** A question about a cell of a column that is left out. Null: the cell says nothing about money. */
type AskAbout = (text: string) => Pick<Ask, 'code' | 'text' | 'said'> | null

/** The question about an empty cell of a column in which others say yes or no: a line that was not ticked. */
const unticked = { code: 'beside_nothing' } as const

/**
 * Finds what a column that is left out says about money: the operators, other numbers, yes or no, means of payment, a currency, or words
 * against a payment. Pure.
 * @param texts the cells of the column as the sheet shows them
 * @returns the question about each cell. Cells with one answer, such as all that say "no", share one question
 */
export function askAbout(texts: readonly string[]): AskAbout {
  const cells = texts.map((text) => text.trim()).filter((text) => text !== '')
  const most = (is: (text: string, word: string) => boolean) =>
    cells.length > 0 && cells.filter((text) => is(text, plainTitle(text))).length >= cells.length * MOST
  const every = (is: (text: string) => boolean) => cells.length > 0 && cells.every(is)
  const one =
    (code: Ask['code'], is: (text: string) => boolean): AskAbout =>
    (text) =>
      is(text.trim()) ? { code, said: short(text) } : said(text)
  const each: AskAbout = (text) => said(text)
  if (most(isPlainNumber)) return one('beside_number', isPlainNumber)
  // "Espèces" among operators is a question of its own.
  if (most((text) => operatorIn(text) !== null)) return one('beside_operator', (text) => operatorIn(text) !== null)
  if (most((text, word) => operatorIn(text) !== null || isOther(word))) return each
  if (most((text, word) => yesOrNo.has(word) || ticks.test(text)) || every((text) => /^[01]$/.test(text)))
    return cells.some(saysYes) ? (text) => (text.trim() === '' ? unticked : said(text)) : each
  if (most((text) => isOtherCurrency(text) || isFrancs(text))) return each
  return (text) => {
    const [word, bare] = [plainTitle(text), text.trim()]
    const plain = bare.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
    const speaks =
      otherMeans.test(word) ||
      (isOtherCurrency(bare) && !/^\p{L}{3}$/u.test(bare)) ||
      no.test(word) ||
      crossed.test(bare) ||
      against.test(plain)
    return speaks ? said(text) : null
  }
}

function saysYes(text: string): boolean {
  const word = plainTitle(text)
  return !no.test(word) && word !== 'n' && word !== '0' && !crossed.test(text)
}

function said(text: string): { code: 'beside_word'; text: string } | null {
  const bare = short(text)
  // Our own currency says nothing new.
  if (bare === '' || isFrancs(bare)) return null
  return { code: 'beside_word', text: bare }
}

function short(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, SAID_MAX).toWellFormed()
}
