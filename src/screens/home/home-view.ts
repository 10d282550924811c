import { linkButton, operatorName, pageHead, panel, status, tile } from '../../console/components.ts'
import { list, moneyCell, rowLink } from '../../console/list.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { statusWords } from '../../console/words.ts'
import type { ListedOperation } from '../../listings/listed-operation.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { drawAmount, writeDate, writeNumberEnd, writeShortDate } from '../../platform/http/pages/write-values.ts'
import { operatorOf } from '../approvals/parts.ts'
import { drawCondition } from '../weather-panel.ts'
import type { HomeFacts } from './read-home.ts'
import { todoOf, todoPanel } from './todo.ts'

type Request = ScreenRequest<'console'>

/** The first page: balances, tasks, operators' weather, and the last payments. Before the first payment, the steps to it. */
export function homeView(request: Request, facts: HomeFacts, now: Date): ScreenView {
  const { say, language, session } = request
  const [first = ''] = session.person.name.split(' ')
  const isNew = facts.payments !== null && facts.payments.length === 0
  const head = isNew
    ? {
        title: say(['Bienvenue, {name}', 'Welcome, {name}'], { name: first }),
        lead: say(['Trois pas jusqu’à votre premier paiement.', 'Three steps to your first payment.']),
      }
    : { title: say(['Bonjour {name}', 'Hello {name}'], { name: first }), lead: writeDate(now, language) }
  const todo = todoOf(request, facts)
  const main = html`${pageHead(head)}
<div class="stack">
${balancesPart(request, facts)}
<div class="two">
${isNew ? firstSteps(request, facts) : null}
${isNew && todo.length === 0 ? null : todoPanel(request, todo)}
${weatherPanel(request, facts)}
</div>
${!isNew && facts.payments !== null && paymentsPanel(request, facts.payments)}
</div>`
  return { kind: 'view', title: say(['Accueil', 'Home']), main, facts }
}

function balancesPart(request: Request, { balances, received_today }: HomeFacts): Html {
  const { say, at, can } = request
  if (balances === null) return html``
  const owed = say(['Ce que le service vous doit', 'What the service owes you'])
  const statement =
    can('statement.read') && html` · <a href="${at('/statement')}">${say(['voir le relevé', 'see the statement'])}</a>`
  const settlements =
    can('settlements.read') &&
    html`<p class="acts">${linkButton(at('/settlements'), say(['Mes reversements', 'My settlements']))}</p>`
  const available = html`<p>${say(['Disponible', 'Available'])}</p>${drawAmount(balances.available)}`
  return html`<section aria-label="${say(['Soldes', 'Balances'])}" class="tiles">
<div class="tile main">${available}<p>${owed}${statement}</p>${settlements}</div>
${tile(say(['Solde d’envoi', 'Payout balance']), balances.transfer)}
${tile(say(['Envois en cours', 'Payouts under way']), balances.payouts_in_flight)}
${tile(say(['Reversements en cours', 'Settlements under way']), balances.settlements_in_flight)}
${received_today !== null && tile(say(['Entré aujourd’hui', 'Received today']), received_today)}
</section>`
}

function weatherPanel({ say }: Request, { weather }: HomeFacts): Html {
  const title = say(['Météo des opérateurs', 'Operators’ weather'])
  if (weather.length === 0) {
    return panel(
      title,
      html`<p class="soft">${say(['Aucun opérateur n’est encore relié.', 'No operator is connected yet.'])}</p>`,
    )
  }
  const shown = weather.map(({ code, condition, success_rate, median_seconds }) => {
    const share =
      success_rate === null ? null : say(['{n} % réussis', '{n} % succeed'], { n: Math.round(success_rate * 100) })
    const under =
      share === null
        ? say(['de paiements pour le dire', 'payments so far'])
        : `${share}${median_seconds === null ? '' : ` · ${median_seconds} s`}`
    return html`<div>${operatorName(code)}${drawCondition(condition, say)}<span class="sub">${under}</span></div>`
  })
  const minutes = html`<span class="hint">15 min</span>`
  return panel(title, html`<div class="weather">${shown}</div>`, { flush: true, more: minutes })
}

/** The steps to a first payment. In live mode without an operator nobody can pay, so they lead to test mode. */
function firstSteps(request: Request, { weather }: HomeFacts): Html {
  const { say, at, can, livemode, merchant_name } = request
  const unconnected = livemode && weather.length === 0
  const kind = unconnected ? 'second' : ''
  const create = can('links.manage') && linkButton(at('/links'), say(['Créer un lien', 'Create a link']), kind)
  const byApi = can('keys.read') && linkButton(at('/keys'), say(['Plutôt par l’API', 'Use the API instead']), 'quiet')
  const opened = say(['Votre compte est ouvert', 'Your account is open'])
  const link = {
    title: say(['Créez un lien de paiement', 'Create a payment link']),
    text: say([
      'Un montant, quelques mots ; vous l’envoyez par WhatsApp ou vous affichez son code dans la boutique.',
      'An amount and a few words: send it by WhatsApp, or show its code in the shop.',
    ]),
  }
  const pay = {
    title: livemode
      ? say(['Payez-vous cent francs', 'Pay yourself a hundred francs'])
      : say(['Payez-vous, sans argent réel', 'Pay yourself, without real money']),
    text: say([
      'Avec votre propre téléphone. Le paiement s’affiche ici en quelques secondes.',
      'With your own phone. The payment shows here within seconds.',
    ]),
  }
  return html`<section class="slip" aria-label="${say(['Premiers pas', 'First steps'])}"><div>
<ol class="steps">
<li class="ok"><h2>${opened}</h2><p class="soft">${merchant_name}</p></li>
<li><h2>${link.title}</h2><p class="soft">${link.text}</p><p class="acts">${create}${byApi}</p></li>
<li><h2>${pay.title}</h2><p class="soft">${pay.text}</p></li>
</ol></div>${livemode && tryInTest(request, unconnected)}</section>`
}

/** The way to test mode, for a merchant in live mode. */
function tryInTest({ say, at }: Request, unconnected: boolean): Html {
  const inTest = at('').replace('/live/', '/test/')
  if (unconnected) {
    const why = say([
      'Personne ne peut encore vous payer : l’équipe du service doit d’abord relier un opérateur.',
      'Nobody can pay you yet: the team of the service has to connect an operator first.',
    ])
    const link = linkButton(inTest, say(['Essayer en mode test', 'Try in test mode']))
    return html`<div><p>${why}</p><p class="acts">${link}</p></div>`
  }
  const ask = say(['Envie d’essayer sans argent ?', 'Would you rather try without money?'])
  const same = say(['fait tout pareil.', 'does just the same.'])
  return html`<div><p>${ask} <a href="${inTest}">${say(['Le mode test', 'Test mode'])}</a> ${same}</p></div>`
}

function paymentsPanel({ say, at, language }: Request, payments: readonly ListedOperation[]): Html {
  const table = list<ListedOperation>({
    caption: say(['Derniers paiements', 'Latest payments']),
    rows: payments,
    columns: [
      {
        title: say(['Payé par', 'Paid by']),
        kind: 'k',
        cell: ({ id, msisdn, name, reference }) => {
          const number = msisdn === null ? null : writeNumberEnd(msisdn.last4)
          return rowLink(
            at(`/payments/${id}`),
            name ?? number ?? reference ?? id.slice(-6),
            name === null ? null : number,
          )
        },
      },
      {
        title: say(['État', 'State']),
        kind: 's',
        cell: ({ status: state }) => {
          const [shape, words] = statusWords.payment[state as keyof typeof statusWords.payment]
          return status(shape, say(words))
        },
      },
      { title: say(['Opérateur', 'Operator']), kind: '', cell: ({ operator }) => operatorName(operatorOf(operator)) },
      {
        title: say(['Référence', 'Reference']),
        kind: 'w',
        cell: ({ reference }) => reference !== null && html`<span class="id">${reference}</span>`,
      },
      { title: say(['Quand', 'When']), kind: 't', cell: ({ created_at }) => writeShortDate(created_at, language) },
      { title: say(['Montant, F CFA', 'Amount, F CFA']), kind: 'm', cell: ({ amount }) => moneyCell(amount) },
    ],
  })
  const all = html`<a href="${at('/payments')}">${say(['Tous les paiements', 'All payments'])}</a>`
  return panel(say(['Derniers paiements', 'Latest payments']), table, { flush: true, more: all })
}
