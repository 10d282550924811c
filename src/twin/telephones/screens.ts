import { type Html, html } from '../../platform/http/html.ts'
import { groupDigits } from '../../values/group-digits.ts'
import { type OperatorCode, operatorNames } from '../../values/operators.ts'
import type { Message, Operation, Phone } from '../state.ts'
import { type Language, type Say, writeAmount, writeDay, writeLeft, writeNumber, writeTime } from './words.ts'

/** All that the drawing of a phone needs. */
export type PhoneFacts = {
  phone: Phone
  /** The requests that it shows, oldest first. */
  asking: readonly Operation[]
  balance: (operator: OperatorCode) => number
  now: number
  /** The last secret code typed for the oldest request was wrong. */
  wrong_pin: boolean
  /** The operator whose one-time codes its holder can get; null: none. */
  codes_of: OperatorCode | null
}

export type Frame = {
  say: Say
  language: Language
  /** Where a form leads back to. */
  back: string
}

/** Milliseconds for which a phone shows how a request has ended, before it locks. */
const RESULT_MS = 5 * 60_000

/** Milliseconds for which a phone that has just been asked shakes. */
const RING_MS = 4_000

/** One phone, with what it shows now. */
export function drawPhone(facts: PhoneFacts, frame: Frame): Html {
  const { phone, asking, now } = facts
  const number = writeNumber(phone.msisdn)
  const [oldest] = asking
  const [newest] = phone.messages
  const ended = newest !== undefined && newest.about !== 'received' && newest.about !== 'refunded'
  const code = phone.code !== null && phone.code.until > now
  const drawn =
    oldest !== undefined
      ? drawRequest(oldest, facts, frame)
      : code
        ? drawCode(facts, frame)
        : ended && now - newest.at < RESULT_MS
          ? drawResult(newest, frame)
          : drawLocked(facts, frame)
  const rings = oldest !== undefined && now - oldest.changed_at < RING_MS
  const locked = oldest === undefined && !code && !(ended && now - newest.at < RESULT_MS)
  const kind = `phone${rings ? ' ring' : ''}${locked ? ' locked' : ''}`
  const id = `p${phone.msisdn.slice(4)}`
  const own = `/phones/${phone.msisdn.slice(4)}?lang=${frame.language}`
  const named = html`<h2 id="${id}-n"><a href="${own}">${number}</a></h2><span>${phone.holder.split(' ')[0]}</span>`
  return html`<article class="${kind}" id="${id}" aria-labelledby="${id}-n"><header>${named}</header>${drawn}</article>`
}

/** A payer's phone on a page of its own, where nothing but the page's request is on its screen. */
export function drawAlone(title: string, shown: Html): Html {
  const head = html`<header><h2 id="payer-n">${title}</h2></header>`
  return html`<article class="phone" id="payer" aria-labelledby="payer-n">${head}${shown}</article>`
}

function screen(operator: OperatorCode, content: Html, kind = ''): Html {
  return html`<div class="screen ${operator}"><header>${operatorNames[operator]}</header><div class="${kind}">${content}</div></div>`
}

function form(phone: Phone, frame: Frame, content: Html, hidden: Record<string, string> = {}): Html {
  const fields = Object.entries({ back: frame.back, lang: frame.language, ...hidden }).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  return html`<form class="grow" method="post" action="/phones/${phone.msisdn.slice(4)}">${fields}${content}</form>`
}

function drawRequest(operation: Operation, { phone, asking, balance, now, wrong_pin }: PhoneFacts, frame: Frame): Html {
  const { say } = frame
  const { operator, amount, payee } = operation
  const has = balance(operator)
  const on = html`<span class="sr"> ${say('on', { number: writeNumber(phone.msisdn) })}</span>`
  const id = `pin${phone.msisdn.slice(4)}`
  const error = html`<p class="error" id="${id}-e">${say('pin_wrong')}</p>`
  const described = wrong_pin
    ? html` aria-invalid="true" aria-describedby="${id}-e"`
    : html` aria-describedby="${id}-h"`
  const kind = html` name="pin" type="password" inputmode="numeric" maxlength="4" autocomplete="off"`
  const input = html`<input class="digits" id="${id}"${kind}${described}>`
  const hint = html`<p class="soft" id="${id}-h">${say('pin_hint', { pin: phone.pin })}</p>`
  const label = html`<label for="${id}">${say('pin')}</label>`
  const code = html`<div class="field gap">${label}${wrong_pin && error}${input}${hint}</div>`
  const until = operation.asked_until === null ? null : writeLeft(operation.asked_until - now)
  const asked = html`<p class="soft">${say('asks', { payee })}</p>${drawSum(amount)}`
  const account = html`<p class="soft">${say('account', { balance: writeAmount(has) })}</p>`
  const need = has < amount ? html`<p class="note care gap">${say('short')}</p>` : code
  const others =
    asking.length > 1 && html`<p class="soft gap">${say('waiting', { count: String(asking.length - 1) })}</p>`
  const lapses = html`${say('lapse')}${on}${until !== null && html`<span class="soft until">${until}</span>`}`
  const acts = [
    html`<button class="stop" name="do" value="decline">${say('decline')}${on}</button>`,
    html`<button name="do" value="approve">${say('approve')}${on}</button>`,
    html`<button class="quiet lapse" name="do" value="lapse">${lapses}</button>`,
  ]
  const content = html`${asked}${account}${need}${others}<p class="acts">${acts}</p>`
  return screen(
    operator,
    form(phone, frame, content, { reference: operation.reference, kind: operation.kind, api: operation.api }),
  )
}

/** The amount in large figures. */
export function drawSum(amount: number): Html {
  return html`<span class="sum">${groupDigits(amount)} <small>F\u00a0CFA</small></span>`
}

function drawCode({ phone, now }: PhoneFacts, frame: Frame): Html {
  const { say } = frame
  const { operator, digits, until } = phone.code!
  const left = say('left', { left: writeLeft(until - now) })
  // The payer gets it from the phone's menu; an SMS arrives unasked.
  const another = html`<button class="second" name="do" value="code">${say('new_code')}</button>`
  const drop = html`<button class="quiet lapse" name="do" value="drop">${say('drop_code')}</button>`
  const shown = html`<p class="soft">${say('code_for')}</p><p class="sum code">${digits.split('').join(' ')}</p>`
  const acts = html`<p class="acts">${operator === 'orange_ci' && another}${drop}</p>`
  const content = html`${shown}<p class="soft gap">${say('code_use', { left })}</p>${acts}`
  return screen(operator, form(phone, frame, content))
}

function drawResult(message: Message, { say }: Frame): Html {
  const { operator, about, amount, payee, balance, at } = message
  const good = about === 'paid'
  const sign = good ? 'i-ok' : about === 'lapsed' ? 'i-clock' : 'i-no'
  const icon = html`<span class="icon${good ? '' : ' bad'}"><svg class="i" aria-hidden="true"><use href="#${sign}"/></svg></span>`
  const more = { payee, time: writeTime(at), balance: writeAmount(balance) }
  const words = good
    ? html`<p><b>${say('paid')}</b></p>${drawSum(amount)}<p class="soft">${say('paid_more', more)}</p>`
    : html`<p><b>${say(about as 'declined')}</b></p><p class="soft">${say('nothing_taken', { amount: writeAmount(amount), payee })}</p>`
  return screen(operator, html`${icon}${words}`, 'done')
}

const noted = {
  received: ['received', 'received_more'],
  refunded: ['refunded', 'received_more'],
  paid: ['paid_note', 'paid_note_more'],
  declined: ['declined', 'ended_more'],
  lapsed: ['lapsed', 'ended_more'],
  refused: ['refused', 'ended_more'],
} as const

function drawLocked({ phone, now, codes_of }: PhoneFacts, frame: Frame): Html {
  const { say, language } = frame
  const notes = phone.messages.slice(0, 2).map(({ operator, about, amount, payee, balance, at }) => {
    const [first, more] = noted[about]
    const fillings = { amount: writeAmount(amount), payee, balance: writeAmount(balance) }
    const by = html`<span class="op ${operator}">${operatorNames[operator]}</span> <span class="soft">${writeTime(at)}</span>`
    return html`<div class="note"><p>${by}</p><p><b>${say(first, fillings)}</b> ${say(more, fillings)}</p></div>`
  })
  const code = html`<button class="quiet lapse" name="do" value="code">${say('get_code')}</button>`
  const clock = html`<p class="clock">${writeTime(now)}</p><p>${writeDay(now, language)}</p>`
  const content = html`${clock}${notes}<p class="idle">${say('idle')}</p>${codes_of !== null && code}`
  return html`<div class="screen"><div>${codes_of === null ? content : form(phone, frame, content)}</div></div>`
}
