import { type Html, html } from '../../platform/http/html.ts'
import { Msisdn } from '../../values/msisdn.ts'
import { operatorNames } from '../../values/operators.ts'
import { LAPSE_SECONDS, type Operations } from '../operations.ts'
import { hasEnded, type Operation } from '../state.ts'
import { drawPage } from './page.ts'
import { drawAlone, drawPhone, drawSum, type PhoneFacts } from './screens.ts'
import { type Language, type Say, sayIn } from './words.ts'

/** A number that cannot pay: it is none, or the payment is for another. `typed` is shown again. */
export type PayRefusal = { because: 'bad_number' | 'another_payer'; typed: string }

/**
 * The page of the operator to which a payer is sent: it asks for the number where nobody knows it, shows that phone alone, and
 * leads back to the shop. An API puts into `detail` the addresses of the shop, `success_url` and `failure_url`, and the one
 * number that may pay, `only_payer`.
 */
export function createPayPage(operations: Operations, factsOf: (msisdn: string) => PhoneFacts) {
  const addressOf = (key: string, language: Language): string =>
    `/phones/pay?operation=${encodeURIComponent(key)}&lang=${language}`

  /** The payer has typed a number: its phone is asked. Null, or why it is not. */
  function begin(key: string, typed: string): PayRefusal | null {
    const operation = operations.byKey(key)
    const msisdn = Msisdn.parse(typed)
    if (msisdn === null) return { because: 'bad_number', typed }
    if (operation === null || operation.msisdn !== null || hasEnded(operation)) return null
    const only = operation.detail.only_payer
    if (only !== undefined && only !== msisdn.e164) return { because: 'another_payer', typed }
    operations.ask(operation, msisdn.e164, LAPSE_SECONDS)
    return null
  }

  function draw(key: string, language: Language, refused: PayRefusal | null): { text: string; status: number } {
    const say = sayIn(language)
    const operation = operations.byKey(key)
    const frame = { title: say('pay_title'), other: addressOf(key, language === 'fr' ? 'en' : 'fr'), language, say }
    if (operation === null) {
      const content = html`<div class="head"><div><h1>${say('unknown_payment')}</h1></div></div>`
      return { text: drawPage({ ...frame, content, refresh_seconds: null }), status: 404 }
    }
    const way = wayBack(operation)
    const facts = operation.msisdn === null ? null : factsOf(operation.msisdn)
    const asking = facts?.asking.filter((one) => one.reference === operation.reference) ?? []
    const drawn =
      facts === null
        ? drawNumber(operation, { key, language, say, refused })
        : drawPhone({ ...facts, asking }, { say, language, back: addressOf(key, language) })
    const back = way !== null && html`<p class="below"><a class="button" href="${way}">${say('return_to')}</a></p>`
    const phone = html`<div class="phones alone${way === null ? '' : ' led'}">${drawn}</div>`
    const content = html`<h1 class="sr">${say('pay_title')}</h1>${phone}${back}`
    const refresh_seconds = facts === null ? null : asking.length > 0 ? 30 : 5
    return {
      text: drawPage({ ...frame, content, refresh_seconds, leads_to: way }),
      status: refused === null ? 200 : 422,
    }
  }

  return { addressOf, begin, draw }
}

type NumberForm = { key: string; language: Language; say: Say; refused: PayRefusal | null }

function drawNumber({ operator, amount, payee }: Operation, { key, language, say, refused }: NumberForm): Html {
  const error = refused !== null && html`<p class="error" id="num-e">${say(refused.because)}</p>`
  const invalid = refused !== null && html` aria-invalid="true" aria-describedby="num-e"`
  const hidden = html`<input type="hidden" name="operation" value="${key}"><input type="hidden" name="lang" value="${language}">`
  const attributes = html` inputmode="tel" autocomplete="off" placeholder="07 00 00 00 00" value="${refused?.typed ?? ''}"`
  const input = html`<input id="num" name="number"${attributes}${invalid}>`
  const field = html`<div class="field gap"><label for="num">${say('your_number')}</label>${error}${input}</div>`
  const asked = html`<p class="soft">${say('asks', { payee })}</p>${drawSum(amount)}${field}`
  const button = html`<p class="acts"><button>${say('go_on')}</button></p>`
  const form = html`<form class="grow" method="post" action="/phones/pay">${hidden}${asked}${button}</form>`
  const shown = html`<div class="screen ${operator}"><header>${operatorNames[operator]}</header><div>${form}</div></div>`
  return drawAlone(say('pay_title'), shown)
}

/** The address of the shop, once it has ended and where a browser may be sent there. */
function wayBack(operation: Operation): string | null {
  if (!hasEnded(operation)) return null
  const address = operation.detail[operation.state === 'succeeded' ? 'success_url' : 'failure_url']
  const url = typeof address === 'string' ? URL.parse(address) : null
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.href : null
}
