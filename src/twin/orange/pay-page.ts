import { type Html, html } from '../../platform/http/html.ts'
import { Msisdn } from '../../values/msisdn.ts'
import type { ApiContext } from '../api.ts'
import { hasEnded, type Operation } from '../state.ts'
import { drawPage } from '../telephones/page.ts'
import { drawAlone, drawSum } from '../telephones/screens.ts'
import { type Language, sayIn } from '../telephones/words.ts'
import type { TwinAnswer, TwinRequest } from '../wire.ts'
import { detailOf } from './orders.ts'

/** Wrong codes after which the payment has failed. */
const CODES_MAX = 3

type Parts = Pick<ApiContext, 'operations' | 'phones'> & {
  /** The payer has typed a code that is right. */
  typed: (operation: Operation) => void
}

/** Something that the payer has to type again. `number` is shown again. */
type Wrong = { because: 'bad_number' | 'code_refused'; number: string }

const PAGE = 'What this page looks like, and how many codes it takes.'

/** Orange's page, under `/pay/<pay_token>`: the payer types a number and the one-time code that its phone gave. */
export function payPageOf({ operations, phones, typed }: Parts) {
  /** Uses the code up. Null: the payment goes its way. */
  function pay(operation: Operation, number: string, code: string): Wrong | null {
    const msisdn = Msisdn.parse(number)
    if (msisdn === null) return { because: 'bad_number', number }
    if (phones.useCode(msisdn.e164, 'orange_ci', code) === 'right') {
      operation.msisdn = msisdn.e164
      typed(operation)
      return null
    }
    operation.wrong_codes += 1
    if (operation.wrong_codes < CODES_MAX) return { because: 'code_refused', number }
    operations.fail(operation, 'payer_wrong_code')
    return null
  }

  return async function answer({ method, path, query, body }: TwinRequest): Promise<TwinAnswer> {
    const pay_token = path.slice('/pay/'.length)
    const operation = operations.all().find((one) => one.api === 'orange' && detailOf(one).pay_token === pay_token)
    const fields = method === 'POST' ? new URLSearchParams(body.toString('utf8')) : query
    const language = fields.get('lang') === 'en' ? 'en' : 'fr'
    if (operation === undefined) return page(draw(null, null, language), 404)
    let wrong: Wrong | null = null
    if (method === 'POST' && !isOver(operation)) {
      if (fields.get('do') === 'cancel') operations.fail(operation, 'payer_declined')
      else wrong = pay(operation, fields.get('number') ?? '', (fields.get('code') ?? '').trim())
    }
    if (!isOver(operation)) return page(draw(operation, wrong, language), wrong === null ? 200 : 422)
    const { success_url, failure_url } = detailOf(operation)
    const location = operation.state === 'failed' ? failure_url : success_url
    return { status: 303, headers: { Location: location }, unverified: PAGE }
  }
}

/** The payer has nothing more to do here. */
function isOver(operation: Operation): boolean {
  return hasEnded(operation) || detailOf(operation).typed === true
}

function page(text: string, status: number): TwinAnswer {
  const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' }
  return { status, body: text, headers, unverified: PAGE }
}

function draw(operation: Operation | null, wrong: Wrong | null, language: Language): string {
  const say = sayIn(language)
  const other = `?lang=${language === 'fr' ? 'en' : 'fr'}`
  const frame = { title: say('pay_title'), other, language, say, refresh_seconds: null }
  if (operation === null)
    return drawPage({ ...frame, content: html`<div class="head"><div><h1>${say('unknown_payment')}</h1></div></div>` })
  const { payee, amount } = operation
  const error = (of: Wrong['because'], id: string) =>
    wrong?.because === of && html`<p class="error" id="${id}">${say(of)}</p>`
  const invalid = (of: Wrong['because'], id: string) =>
    wrong?.because === of && html` aria-invalid="true" aria-describedby="${id}"`
  const number = html` name="number" inputmode="tel" autocomplete="off" placeholder="07 00 00 00 00" value="${wrong?.number ?? ''}"`
  const code = html` name="code" inputmode="numeric" autocomplete="off"`
  const field = (id: string, label: string, of: Wrong['because'], more: Html) => {
    const input = html`<input id="${id}"${more}${invalid(of, `${id}-e`)}>`
    return html`<div class="field gap"><label for="${id}">${label}</label>${error(of, `${id}-e`)}${input}</div>`
  }
  const fields = [
    field('num', say('your_number'), 'bad_number', number),
    field('code', say('code_for'), 'code_refused', code),
    html`<p class="soft">${say('code_where')}</p>`,
  ]
  const act = (does: 'pay' | 'cancel', words: string) => html`<button name="do" value="${does}">${words}</button>`
  const acts = html`<p class="acts">${act('pay', say('go_on'))}${act('cancel', say('decline'))}</p>`
  const asked = html`<p class="soft">${say('asks', { payee })}</p>${drawSum(amount)}`
  const hidden = html`<input type="hidden" name="lang" value="${language}">`
  const form = html`<form class="grow" method="post">${hidden}${asked}${fields}${acts}</form>`
  const screen = html`<div class="screen orange_ci"><header>Orange Money</header><div>${form}</div></div>`
  const phone = drawAlone(say('pay_title'), screen)
  const content = html`<h1 class="sr">${say('pay_title')}</h1><div class="phones alone">${phone}</div>`
  return drawPage({ ...frame, content })
}
