import { readFileSync } from 'node:fs'
import { type Html, html } from '../../platform/http/html.ts'
import { baseStyle } from '../../platform/http/pages/base-style.ts'
import { Msisdn } from '../../values/msisdn.ts'
import type { OperatorCode } from '../../values/operators.ts'
import type { Operations } from '../operations.ts'
import type { Phones } from '../phones.ts'
import type { Phone } from '../state.ts'
import type { Time } from '../time.ts'
import type { TwinAnswer, TwinRequest } from '../wire.ts'
import { drawPage } from './page.ts'
import { createPayPage, type PayRefusal } from './pay-page.ts'
import { drawPhone, type Frame, type PhoneFacts } from './screens.ts'
import { type Language, sayIn, writeNumber } from './words.ts'

type Parts = {
  time: Time
  phones: Phones
  operations: Operations
  /** A number that grows with each change. */
  version: () => number
  nextChange: () => Promise<void>
  changed: () => void
}

/** Phones on one page. */
const SHOWN_MAX = 24

/** Milliseconds for which a browser that asks for changes waits. */
const CHANGES_MS = 15_000

/** Numbers for a page that would be empty. */
const samples = ['+2250758412077', '+2250544109832', '+2250102378511']

const policy =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'"

const file = (body: string, type: string): TwinAnswer => ({
  status: 200,
  body,
  headers: { 'Content-Type': type, 'Cache-Control': 'no-cache' },
})
const readText = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')
const files: Record<string, TwinAnswer> = {
  '/style.css': file(baseStyle + readText('style.css'), 'text/css; charset=utf-8'),
  '/refresh.js': file(readText('refresh.js'), 'text/javascript; charset=utf-8'),
}

const page = (text: string, status = 200): TwinAnswer => ({
  status,
  body: text,
  headers: {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  },
})

const seeOther = (address: string): TwinAnswer => ({ status: 303, headers: { Location: address } })

type Pages = Parts & {
  /** The references whose last code was wrong, until a right one. */
  readonly wrongPins: Set<string>
  readonly pay: ReturnType<typeof createPayPage>
}

/** Answers `/phones` and everything beneath it. */
export function servePhones(parts: Parts): (request: TwinRequest) => Promise<TwinAnswer> {
  const { phones, operations } = parts
  const pay = createPayPage(operations, (msisdn) => factsOf(pages, phones.of(msisdn)))
  const pages: Pages = { ...parts, wrongPins: new Set(), pay }
  return async (request) => {
    const { method, path, query, headers, body } = request
    const fields = method === 'POST' ? new URLSearchParams(body.toString('utf8')) : query
    const language = languageOf(fields.get('lang'), headers['accept-language'])
    const msisdn = Msisdn.parse(path.slice(1))?.e164 ?? null
    if (method === 'POST' && path === '/') return takeNumber(pages, fields, language)
    if (method === 'POST' && path === '/pay') return beginToPay(pages, fields, language)
    if (method === 'POST' && msisdn !== null) {
      act(pages, msisdn, fields)
      parts.changed()
      const back = fields.get('back') ?? ''
      return seeOther(/^\/phones(?:[/?]|$)/.test(back) ? back : `/phones?lang=${language}`)
    }
    if (method !== 'GET' && method !== 'HEAD') return { status: 405, headers: { Allow: 'GET, POST' } }
    if (path === '/') return allPhones(pages, language, null)
    if (path === '/pay') return payPage(pages, fields.get('operation') ?? '', language)
    if (path === '/changes') return await changes(pages, query.get('since'))
    return files[path] ?? (msisdn === null ? seeOther(`/phones?lang=${language}`) : onePhone(pages, msisdn, language))
  }
}

/** Adds a typed number to the phones. */
function takeNumber(pages: Pages, fields: URLSearchParams, language: Language): TwinAnswer {
  const taken = Msisdn.parse(fields.get('number') ?? '')
  if (taken === null) return allPhones(pages, language, fields.get('number') ?? '')
  pages.phones.of(taken.e164)
  pages.changed()
  return seeOther(`/phones/${taken.e164.slice(4)}?lang=${language}`)
}

function beginToPay(pages: Pages, fields: URLSearchParams, language: Language): TwinAnswer {
  const operation = fields.get('operation') ?? ''
  const refused = pages.pay.begin(operation, fields.get('number') ?? '')
  if (refused !== null) return payPage(pages, operation, language, refused)
  pages.changed()
  return seeOther(pages.pay.addressOf(operation, language))
}

function factsOf({ time, phones, operations, wrongPins }: Pages, phone: Phone): PhoneFacts {
  const asking = operations.asking(phone.msisdn)
  const isOrange = phone.msisdn.startsWith('+22507') || phone.accounts.orange_ci !== undefined
  const [oldest] = asking
  return {
    phone,
    asking,
    balance: (operator: OperatorCode) => phones.balance(phone.msisdn, operator),
    now: time.now(),
    wrong_pin: oldest !== undefined && wrongPins.has(oldest.reference),
    codes_of: isOrange ? 'orange_ci' : null,
  }
}

/** The phones to show: ringing ones first, then those with the latest events. */
function shown(pages: Pages): PhoneFacts[] {
  const { phones, operations } = pages
  if (phones.all().length === 0) for (const msisdn of samples) phones.of(msisdn)
  const ringing = new Set(
    operations
      .open()
      .filter(({ state }) => state === 'asking')
      .map(({ msisdn }) => msisdn),
  )
  const order = phones.all().toSorted((a, b) => Number(ringing.has(b.msisdn)) - Number(ringing.has(a.msisdn)))
  return order.slice(0, SHOWN_MAX).map((phone) => factsOf(pages, phone))
}

function allPhones(pages: Pages, language: Language, bad: string | null): TwinAnswer {
  const say = sayIn(language)
  const frame: Frame = { say, language, back: `/phones?lang=${language}` }
  const facts = shown(pages)
  const over = pages.phones.all().length - facts.length
  const more = over > 0 && html`<p class="soft gap">${say('more', { count: String(over) })}</p>`
  const title = html`<div><h1>${say('title')}</h1><p class="lead">${say('lead')}</p></div>`
  const content = html`<div class="head">${title}${drawAdding(say, language, bad)}</div>
<div class="phones">${facts.map((one) => drawPhone(one, frame))}</div>${more}`
  const refresh_seconds = facts.some(({ asking }) => asking.length > 0) ? 30 : 5
  const other = `/phones?lang=${language === 'fr' ? 'en' : 'fr'}`
  return page(
    drawPage({ title: say('title'), other, language, say, content, refresh_seconds }),
    bad === null ? 200 : 422,
  )
}

function onePhone(pages: Pages, msisdn: string, language: Language): TwinAnswer {
  const say = sayIn(language)
  const own = `/phones/${msisdn.slice(4)}`
  const facts = factsOf(pages, pages.phones.of(msisdn))
  const frame: Frame = { say, language, back: `${own}?lang=${language}` }
  const all = html`<p class="below"><a class="all" href="/phones?lang=${language}">${say('all_phones')}</a></p>`
  const phone = html`<div class="phones alone">${drawPhone(facts, frame)}</div>`
  const content = html`<h1 class="sr">${writeNumber(msisdn)}</h1>${phone}${all}`
  const refresh_seconds = facts.asking.length > 0 ? 30 : 5
  const other = `${own}?lang=${language === 'fr' ? 'en' : 'fr'}`
  return page(drawPage({ title: writeNumber(msisdn), other, language, say, content, refresh_seconds }))
}

function payPage({ pay }: Pages, key: string, language: Language, refused: PayRefusal | null = null): TwinAnswer {
  const { text, status } = pay.draw(key, language, refused)
  return page(text, status)
}

function act({ phones, operations, wrongPins }: Pages, msisdn: string, fields: URLSearchParams): void {
  const phone = phones.of(msisdn)
  const done = fields.get('do')
  if (done === 'code') phones.newCode(msisdn, 'orange_ci')
  if (done === 'drop') phone.code = null
  const about = ['api', 'kind', 'reference'].map((name) => fields.get(name) ?? '')
  const operation = operations.byKey(about.join('/'))
  if (operation === null || operation.msisdn !== msisdn) return
  if (done === 'decline') operations.decline(operation)
  if (done === 'lapse') operations.lapse(operation)
  if (done !== 'approve') return
  // Without enough balance the phone asks for no code.
  const short = phones.balance(msisdn, operation.operator) < operation.amount
  const approval = operations.approve(operation, short ? null : (fields.get('pin') ?? ''))
  if (approval === 'wrong_code') wrongPins.add(operation.reference)
  else wrongPins.delete(operation.reference)
}

async function changes({ version, nextChange }: Pages, since: string | null): Promise<TwinAnswer> {
  const late = new Promise<void>((resolve) => {
    setTimeout(resolve, CHANGES_MS).unref()
  })
  if (since === String(version())) await Promise.race([nextChange(), late])
  return { status: 200, body: { version: version() }, headers: { 'Cache-Control': 'no-store' } }
}

/** French, unless English is asked for. */
function languageOf(asked: string | null, accepted = ''): Language {
  if (asked === 'fr' || asked === 'en') return asked
  return /^\s*en\b/i.test(accepted) ? 'en' : 'fr'
}

/** The form of a further number, open when the typed one is no number. */
function drawAdding(say: Frame['say'], language: Language, bad: string | null): Html {
  const error = bad !== null && html`<p class="error" id="num-e">${say('bad_number')}</p>`
  const wrong = bad !== null && html` aria-invalid="true" aria-describedby="num-e"`
  const kind = html` inputmode="tel" autocomplete="off" placeholder="07 00 00 00 00" value="${bad ?? ''}"`
  const input = html`<input id="num" name="number"${kind}${wrong}>`
  const field = html`<div class="field"><label for="num">${say('another')}</label>${error}${input}</div>`
  const hidden = html`<input type="hidden" name="lang" value="${language}">`
  const form = html`<form method="post" action="/phones">${hidden}${field}<button>${say('take')}</button></form>`
  const open = bad !== null && html` open`
  return html`<details class="add"${open}><summary>${say('another')}</summary>${form}</details>`
}
