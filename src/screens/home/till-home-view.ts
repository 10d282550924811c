import type { TillPayment } from '../../checkout/till/till-store.ts'
import { blank, linkButton, operatorName, panel, status } from '../../console/components.ts'
import { field } from '../../console/forms.ts'
import { icon } from '../../console/icons.ts'
import { list, moneyCell, rowLink } from '../../console/list.ts'
import { sayCount } from '../../console/say.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { soundSwitch } from '../../console/share.ts'
import { isFresh, writeWhen } from '../../console/when.ts'
import { statusWords } from '../../console/words.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { drawAmount, writeAmount, writeNumberEnd } from '../../platform/http/pages/write-values.ts'
import { operatorNames } from '../../values/operators.ts'
import { operatorOf } from '../approvals/parts.ts'
import type { TillHome } from './till-home.ts'

type Request = ScreenRequest<'console'>

/** The first page of a cashier: what their tills took today, asking for a payment, "has she paid?", and the payments of today. No balance. */
export function tillHomeView(request: Request, facts: TillHome, now: Date): ScreenView {
  const { say } = request
  const title = say(['Accueil', 'Home'])
  if (facts.tills.length === 0) {
    const none = say(['Vous n’êtes à aucune caisse', 'You are at no till'])
    const text = say([
      'Le propriétaire de la boutique vous met à une caisse, à la page de celle-ci. Rechargez ensuite.',
      'The owner of the shop puts you at a till, on its page. Then load this page again.',
    ])
    const main = html`<h1 class="sr">${title}</h1>${panel(null, blank('shop', { title: none, text }))}`
    return { kind: 'view', title, main, facts, moving: 'open' }
  }
  const main = html`<h1 class="sr">${title}</h1>
<div class="stack">
<div class="two"><div class="stack">${takingsSlip(request, facts, now)}${acts(request, facts)}</div>${searchPanel(request, facts)}</div>
${paymentsPanel(request, facts, now)}
<p class="acts">${soundSwitch(say)}</p>
</div>`
  return { kind: 'view', title, main, facts, moving: 'open' }
}

function takingsSlip(request: Request, { tills, taken_today, last_paid }: TillHome, now: Date): Html {
  const { say } = request
  const { count, amount } = taken_today
  const [till] = tills
  const names = tills.length === 1 ? (till!.name ?? say(['ma caisse', 'my till'])) : say(['mes caisses', 'my tills'])
  const payments = sayCount(say, count, ['{n} paiement', '{n} payment'], ['{n} paiements', '{n} payments'])
  const taken = say(['Encaissé aujourd’hui, {till}', 'Taken today, {till}'], { till: names })
  const sum = html`<p role="status">${drawAmount(amount)}</p><p class="soft">${payments}</p>`
  const last = last_paid !== null && lastPaid(request, last_paid, now)
  return html`<article class="slip" aria-labelledby="taken"><header><p class="soft" id="taken">${taken}</p>${sum}</header>${last}</article>`
}

function lastPaid({ say, at, language }: Request, paid: TillPayment, now: Date): Html {
  const when = paid.succeeded_at ?? paid.created_at
  const about = [numberOf(paid), nameOf(paid), paid.description ?? paid.reference].filter((part) => part !== null)
  const told = html`<b>+${writeAmount(paid.amount)}</b>, ${writeWhen(when, { now, say, language })}`
  const line = html`<span class="dot">${icon('ok')}</span><span>${told}<span class="sub">${about.join(' · ')}</span></span>`
  const fresh = isFresh(when, now) && html` class="fresh"`
  const to = at(`/pay/${paid.session_id}`)
  return html`<div${fresh} role="status"><a class="latest" data-paid="${paid.payment_id}" href="${to}">${line}</a></div>`
}

const numberOf = ({ last4 }: TillPayment) => (last4 === null ? null : writeNumberEnd(last4))

function nameOf({ operator }: TillPayment): string | null {
  const code = operatorOf(operator)
  return code === null ? null : operatorNames[code]
}

function acts({ say, at }: Request, { tills }: TillHome): Html {
  const pay = html`<a class="button" href="${at('/pay')}">${icon('qr')}${say(['Faire payer', 'Get paid'])}</a>`
  const [first, ...others] = tills
  const code = html`<a class="button second" href="${at(`/links/${first!.link_id}`)}">${icon('shop')}${
    others.length === 0 ? say(['Code de la caisse', 'Code of the till']) : (first!.name ?? '')
  }</a>`
  const more = others.map(({ link_id, name }) => linkButton(at(`/links/${link_id}`), name ?? link_id, 'second'))
  return html`<div class="pair">${pay}${code}</div>${more.length > 0 && html`<p class="acts">${more}</p>`}`
}

function searchPanel({ say, at }: Request, { asked }: TillHome): Html {
  const question = field({
    name: 'q',
    label: say(['Quatre derniers chiffres de son numéro', 'Last four digits of their number']),
    value: asked,
    class: 'digits',
    more: { inputmode: 'numeric', autocomplete: 'off', maxlength: '60' },
  })
  const look = html`<button class="second wide">${icon('look')}${say(['Chercher', 'Search'])}</button>`
  const proof = say([
    'Une capture d’écran ne prouve rien : seul ce qui est ici est payé.',
    'A screenshot proves nothing: only what stands here is paid.',
  ])
  const form = html`<form method="get" action="${at('')}" class="stack">${question}${look}</form><p class="hint gap">${proof}</p>`
  return panel(say(['Elle dit avoir payé ?', 'They say that they paid?']), form)
}

function paymentsPanel({ say, at, language }: Request, { asked, payments }: TillHome, now: Date): Html {
  const title = say(['Paiements d’aujourd’hui', 'Payments of today'])
  const all = asked !== '' && html`<a href="${at('')}">${say(['Tous', 'All'])}</a>`
  if (payments.length === 0) {
    const none =
      asked === ''
        ? { title: say(['Aucun paiement encore', 'No payment yet']) }
        : {
            title: say(['Rien de tel aujourd’hui', 'Nothing like it today']),
            text: say(['Ne livrez pas encore.', 'Do not hand over yet.']),
          }
    return panel(title, blank('in', none), { more: all })
  }
  const table = list<TillPayment>({
    caption: title,
    rows: payments,
    columns: [
      {
        title: say(['Client', 'Payer']),
        kind: 'k',
        cell: (row) =>
          rowLink(
            at(`/pay/${row.session_id}`),
            numberOf(row) ?? row.payment_id.slice(-4),
            row.description ?? row.reference,
          ),
      },
      {
        title: say(['État', 'State']),
        kind: 's',
        cell: (row) => {
          const [shape, words] = statusWords.payment[row.status]
          return status(shape, say(words))
        },
      },
      { title: say(['Opérateur', 'Operator']), kind: '', cell: ({ operator }) => operatorName(operatorOf(operator)) },
      {
        title: say(['Quand', 'When']),
        kind: 't',
        cell: ({ created_at, succeeded_at }) => writeWhen(succeeded_at ?? created_at, { now, say, language }),
      },
      { title: say(['Montant, F CFA', 'Amount, F CFA']), kind: 'm', cell: ({ amount }) => moneyCell(amount) },
    ],
  })
  return panel(title, table, { flush: true, more: all })
}
