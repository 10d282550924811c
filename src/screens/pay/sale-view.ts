import { backLink, linkButton, operatorName, status } from '../../console/components.ts'
import { form } from '../../console/forms.ts'
import { icon } from '../../console/icons.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { soundSwitch, whatsApp } from '../../console/share.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { drawQr } from '../../platform/http/pages/draw-qr.ts'
import { drawAmount, writeAmount, writeNumberEnd, writeTime } from '../../platform/http/pages/write-values.ts'
import { isOperatorCode } from '../../values/operators.ts'
import { shortCode } from '../../values/short-reference.ts'
import { sayFailure } from '../operations/payment-page.ts'
import type { SaleFacts, SaleState } from './sale-facts.ts'

type Request = ScreenRequest<'console'>

/** Seconds after which a browser without script loads the page again while the payer may pay. */
const REFRESH_SECONDS = 5

/** The page of a sale: its code, the payer who is asked, "Paid", or what to do next. @param refused why a new attempt was refused */
export function saleView(request: Request, facts: SaleFacts, refused?: string): ScreenView {
  const { say, at } = request
  const { session } = facts
  const moving = facts.state !== 'paid' && facts.state !== 'over'
  const back = facts.state !== 'paid' && backLink(at('/pay'), say(['Faire payer', 'Get paid']))
  const shown = request.query.has('code') && facts.state === 'failed' ? codeSlip : slips[facts.state]
  const why = refused !== undefined && html`<div class="errors" role="alert"><p>${refused}</p></div>`
  const main = html`${back}<div class="narrow">${why}${shown(request, facts)}</div>`
  return {
    kind: 'view',
    status: refused === undefined ? 200 : 409,
    title: titleOf(request, facts.state, writeAmount(session.amount)),
    main,
    facts,
    // The code takes the room of the dock.
    deciding: true,
    moving,
    ...(moving && { refresh_seconds: REFRESH_SECONDS }),
  }
}

function titleOf({ say }: Request, state: SaleState, amount: string): string {
  switch (state) {
    case 'paid':
      return say(['Payé : {amount}', 'Paid: {amount}'], { amount })
    case 'failed':
    case 'over':
      return say(['Pas payé : {amount}', 'Not paid: {amount}'], { amount })
    case 'doubt':
      return say(['En vérification : {amount}', 'Being checked: {amount}'], { amount })
    default:
      return say(['En attente : {amount}', 'Waiting: {amount}'], { amount })
  }
}

const slips: Readonly<Record<SaleState, (request: Request, facts: SaleFacts) => Html>> = {
  open: codeSlip,
  payers_turn: codeSlip,
  asked: askedSlip,
  failed: failedSlip,
  doubt: doubtSlip,
  paid: paidPart,
  over: overSlip,
}

/** The code, which any payer scans. It stands here too while a payer has to type a one-time code, which no cashier types for them. */
function codeSlip({ say, at, merchant_name }: Request, { state, session, url, attempt }: SaleFacts): Html {
  const amount = writeAmount(session.amount)
  const qr = drawQr(url, say(['Code à scanner pour payer {amount}', 'Code to scan and pay {amount}'], { amount }), 'L')
  const head = html`<h1><span class="sr">${say(['À payer : ', 'To pay: '])}</span>${drawAmount(session.amount)}</h1>`
  const theirTurn = say([
    'Le client scanne ce code et finit sur son téléphone. Son code secret n’est que pour lui.',
    'The payer scans this code and finishes on their phone. Their secret code is for them alone.',
  ])
  const anybody = say([
    'N’importe quel opérateur. Cette page devient « Payé » toute seule.',
    'Any operator. This page turns to “Paid” by itself.',
  ])
  const failed = state === 'failed' && html`<p class="say">${whyFailed(say, attempt)}</p>`
  const under = html`<p class="hint">${state === 'payers_turn' ? theirTurn : anybody}</p>`
  const waiting = html`<p>${status('going', say(['En attente du client', 'Waiting for the payer']))}</p>`
  const text = say(['{merchant} : {amount}{what}. Payer : {url}', '{merchant}: {amount}{what}. Pay: {url}'], {
    ...{ merchant: merchant_name, amount, url },
    what: session.description === null ? '' : `, ${session.description}`,
  })
  const share = whatsApp(say(['Par WhatsApp', 'By WhatsApp']), text, 'quiet')
  const close = linkButton(at(''), say(['Revenir à l’accueil', 'Back to home']), 'quiet')
  const what = session.description !== null && html`<p>${session.description}</p>`
  return html`<article class="slip middle huge"><header>${head}${what}${failed}${qr}${waiting}${under}</header>
<div><p class="acts">${share}${close}${soundSwitch(say)}</p></div></article>`
}

/** The payer is asked on their phone. */
function askedSlip({ say, at }: Request, { session, attempt }: SaleFacts): Html {
  const head = html`<h1><span class="sr">${say(['Demandé : ', 'Asked: '])}</span>${drawAmount(session.amount)}</h1>`
  const number = attempt?.last4 == null ? '' : writeNumberEnd(attempt.last4)
  const whom = html`${say(['Demandé à {number}', 'Asked of {number}'], { number })} ${operatorOf(attempt)}`
  const dialled = attempt?.dial_code ?? null
  const how =
    dialled === null
      ? say([
          'Il reçoit une demande et tape son code secret, lui seul.',
          'They get a prompt and type their secret code, nobody else.',
        ])
      : say(['Rien sur son téléphone ? Il compose {code}.', 'Nothing on their phone? They dial {code}.'], {
          code: dialled,
        })
  const state = status('going', say(['Il doit confirmer sur son téléphone', 'They have to confirm on their phone']))
  const stays = say(['Partir d’ici n’arrête pas la demande.', 'Leaving this page does not stop the request.'])
  const home = linkButton(at(''), say(['Revenir à l’accueil', 'Back to home']), 'quiet')
  const slip = html`<header><span class="icon care">${icon('phone')}</span>${head}<p class="say">${whom}</p>
<p class="gap">${state}</p></header>`
  return html`<article class="slip middle">${slip}<div><p>${how}</p></div>
<div><p class="acts">${home}${soundSwitch(say)}</p><p class="hint gap">${stays}</p></div></article>`
}

function operatorOf(attempt: SaleFacts['attempt']): Html | null {
  const code = attempt?.operator ?? null
  return code !== null && isOperatorCode(code) ? operatorName(code) : null
}

/** Paid, read across a counter: the amount and the last digits. */
function paidPart({ say, at, can, merchant_name }: Request, { session, attempt, url }: SaleFacts): Html {
  const end = attempt?.last4 == null ? null : html`<p class="end">${writeNumberEnd(attempt.last4)}</p>`
  const when = attempt?.succeeded_at == null ? null : html` · ${writeTime(attempt.succeeded_at)}`
  const title = html`<h1>${say(['Payé', 'Paid'])} ${drawAmount(session.amount)}</h1>`
  const code = attempt !== null && html`<p>${say(['Code', 'Code'])} <b>${shortCode(attempt.id)}</b></p>`
  const what = session.description !== null && html`<p>${session.description}</p>`
  const facts = html`${title}${end}<p>${operatorOf(attempt)}${when}</p>${code}${what}`
  const paid = html`<div class="paid" role="status" data-paid="${session.id}">${icon('ok')}${facts}</div>`
  const next = say(['Encaisser le suivant', 'Take the next payment'])
  const text = say(
    ['{merchant} : {amount} reçus. Votre reçu : {url}', '{merchant}: {amount} received. Your receipt: {url}'],
    {
      ...{ merchant: merchant_name, amount: writeAmount(session.amount), url },
    },
  )
  const receipt = whatsApp(say(['Envoyer le reçu', 'Send the receipt']), text, 'second')
  const see =
    attempt !== null &&
    can('payments.read') &&
    linkButton(at(`/payments/${attempt.id}`), say(['Voir le paiement', 'See the payment']), 'quiet')
  return html`<div class="stack">${paid}
<a class="button wide" href="${at('/pay')}">${icon('qr')}${next}</a>
<p class="acts">${receipt}${see}</p></div>`
}

/** Why the last attempt ended. */
function whyFailed(say: Request['say'], attempt: SaleFacts['attempt']): string {
  if (attempt?.status === 'expired')
    return say(['Le client n’a pas confirmé à temps.', 'The payer did not confirm in time.'])
  return sayFailure(say, attempt?.failure_code ?? null)
}

/** Not paid: the reason, and the two ways to try again. */
function failedSlip(request: Request, { session, attempt }: SaleFacts): Html {
  const { say, at } = request
  const nothing = say(['Rien n’a été pris.', 'Nothing was taken.'])
  const why = html`${whyFailed(say, attempt)} ${nothing}`
  const again =
    attempt?.last4 != null &&
    form(
      request,
      at(`/pay/${session.id}/ask`),
      html`<button class="wide">${icon('phone')}${say(['Redemander à {number}', 'Ask {number} again'], {
        number: writeNumberEnd(attempt.last4),
      })}</button>`,
    )
  const code = say(['Montrer le code : autre opérateur', 'Show the code: another operator'])
  const show = html`<a class="button wide second" href="${at(`/pay/${session.id}?code=1`)}">${icon('qr')}${code}</a>`
  return notPaid(request, session.amount, why, html`${again}${show}`)
}

function overSlip(request: Request, { session }: SaleFacts): Html {
  const { say, at } = request
  const why = say(['Ce code ne sert plus. Rien n’a été pris.', 'This code has ended. Nothing was taken.'])
  const words = say(['Faire payer à nouveau', 'Ask for the payment anew'])
  return notPaid(
    request,
    session.amount,
    why,
    html`<a class="button wide" href="${at('/pay')}">${icon('qr')}${words}</a>`,
  )
}

function notPaid({ say, at }: Request, amount: number, why: Html | string, acts: Html): Html {
  const title = html`<h1>${say(['Pas payé', 'Not paid'])} ${drawAmount(amount)}</h1>`
  const home = html`<a class="button wide quiet" href="${at('')}">${say(['Revenir à l’accueil', 'Back to home'])}</a>`
  const head = html`<header aria-live="polite"><span class="icon bad">${icon('x')}</span>${title}<p class="say">${why}</p></header>`
  return html`<article class="slip middle">${head}<div class="stack">${acts}${home}</div></article>`
}

function doubtSlip({ say, at, can }: Request, { session, attempt }: SaleFacts): Html {
  const title = html`<h1><span class="sr">${say(['En vérification : ', 'Being checked: '])}</span>${drawAmount(session.amount)}</h1>`
  const state = status('doubt', say(['En vérification', 'Being checked']))
  const why = say([
    'L’opérateur n’a pas encore répondu. Ne demandez pas de payer une deuxième fois : cette page dira s’il a payé.',
    'The operator has not answered yet. Do not ask for a second payment: this page will say whether they paid.',
  ])
  const see =
    attempt !== null &&
    can('payments.read') &&
    linkButton(at(`/payments/${attempt.id}`), say(['Voir le paiement', 'See the payment']), 'second')
  const home = linkButton(at(''), say(['Revenir à l’accueil', 'Back to home']), 'quiet')
  const sign = html`<span class="icon care">${icon('clock')}</span>`
  const head = html`<header aria-live="polite">${sign}${title}<p>${state}</p><p class="say">${why}</p></header>`
  return html`<article class="slip middle">${head}<div><p class="acts">${see}${home}</p></div></article>`
}
