import { linkButton, operatorName, pageHead, panel, status, tile } from '../../console/components.ts'
import { type IconName, icon } from '../../console/icons.ts'
import { list, moneyCell, rowLink } from '../../console/list.ts'
import { sayCount } from '../../console/say.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { statusWords } from '../../console/words.ts'
import type { ListedOperation } from '../../listings/listed-operation.ts'
import { roleWords } from '../../people/role-words.ts'
import { type Html, html, type Piece } from '../../platform/http/html.ts'
import {
  drawAmount,
  writeAmount,
  writeDate,
  writeNumberEnd,
  writeShortDate,
} from '../../platform/http/pages/write-values.ts'
import { operatorOf } from '../approvals/parts.ts'
import { conditionWords } from '../weather-panel.ts'
import type { HomeFacts } from './read-home.ts'

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
  return html`<section aria-label="${say(['Soldes', 'Balances'])}" class="tiles">
<div class="tile main"><p>${say(['Disponible', 'Available'])}</p>${drawAmount(balances.available)}<p>${owed}${can('statement.read') && html` · <a href="${at('/statement')}">${say(['voir le relevé', 'see the statement'])}</a>`}</p>${can('settlements.read') && html`<p class="acts">${linkButton(at('/settlements'), say(['Mes reversements', 'My settlements']))}</p>`}</div>
${tile(say(['Solde d’envoi', 'Payout balance']), balances.transfer)}
${tile(say(['Envois en cours', 'Payouts under way']), balances.payouts_in_flight)}
${tile(say(['Reversements en cours', 'Settlements under way']), balances.settlements_in_flight)}
${received_today !== null && tile(say(['Entré aujourd’hui', 'Received today']), received_today)}
</section>`
}

type Todo = { to: string; icon: IconName; kind: '' | 'care' | 'bad'; title: string; text: Piece }

/** Returns the tasks of this person, money first. */
function todoOf({ say, at, language }: Request, facts: HomeFacts): Todo[] {
  const { approvals, roles_to_confirm, endpoints, settlements_open, payouts_in_doubt, payments_in_doubt } = facts
  const todo: Todo[] = []
  if (approvals !== null && approvals.count > 0) {
    const first =
      approvals.first_expires_at === null
        ? ''
        : say([' · le premier expire le {when}', ' · the first expires {when}'], {
            when: writeShortDate(approvals.first_expires_at, language),
          })
    todo.push({
      to: at('/approvals'),
      icon: 'stamp',
      kind: 'care',
      title: sayCount(
        say,
        approvals.count,
        ['Une demande à approuver', 'One request to approve'],
        ['{n} demandes à approuver', '{n} requests to approve'],
      ),
      text: `${writeAmount(approvals.amount)}${first}`,
    })
  }
  if (payouts_in_doubt !== null && payouts_in_doubt > 0) {
    todo.push({
      to: at('/payouts?status=indeterminate'),
      icon: 'clock',
      kind: 'care',
      title: sayCount(
        say,
        payouts_in_doubt,
        ['Un envoi en vérification', 'One payout being checked'],
        ['{n} envois en vérification', '{n} payouts being checked'],
      ),
      text: say([
        'L’opérateur n’a pas confirmé. Ne les refaites pas.',
        'The operator has not confirmed. Do not send them again.',
      ]),
    })
  }
  if (payments_in_doubt !== null && payments_in_doubt > 0) {
    todo.push({
      to: at('/payments?status=pending'),
      icon: 'clock',
      kind: 'care',
      title: sayCount(
        say,
        payments_in_doubt,
        ['Un paiement attend depuis plus de 15 minutes', 'One payment has waited for more than 15 minutes'],
        ['{n} paiements attendent depuis plus de 15 minutes', '{n} payments have waited for more than 15 minutes'],
      ),
      text: say(['Nous demandons à l’opérateur jusqu’à sa réponse.', 'We ask the operator until it answers.']),
    })
  }
  for (const { url, status: state, failing_since, waiting } of endpoints ?? []) {
    const since = failing_since === null ? '' : writeShortDate(failing_since, language)
    todo.push({
      to: at('/webhooks'),
      icon: 'bell',
      kind: 'bad',
      title:
        state === 'disabled'
          ? say(['Une adresse de webhook est arrêtée', 'A webhook endpoint is stopped'])
          : say(['Une adresse de webhook ne répond plus', 'A webhook endpoint does not answer']),
      text: html`${new URL(url).host} · ${sayCount(say, waiting, ['{n} événement attend', '{n} event waits'], ['{n} événements attendent', '{n} events wait'])}${since !== '' && ` ${say(['depuis le {since}', 'since {since}'], { since })}`}, ${say(['rien n’est perdu', 'nothing is lost'])}`,
    })
  }
  if (facts.destination_to_confirm !== null) {
    todo.push({
      to: at('/destination'),
      icon: 'bank',
      kind: 'care',
      title: say(['Une destination à confirmer', 'A destination to confirm']),
      text: say(['{name}, compte finissant par {end}', '{name}, account ending in {end}'], {
        name: facts.destination_to_confirm.name,
        end: facts.destination_to_confirm.last4,
      }),
    })
  }
  for (const { email, disabled_at } of facts.owners_disabled ?? []) {
    todo.push({
      to: at('/team'),
      icon: 'people',
      kind: 'bad',
      title: say(['Le compte d’un propriétaire est désactivé', 'The account of an owner is disabled']),
      text: say(
        [
          '{email}, le {when}. Si vous n’étiez pas au courant, appelez l’équipe du service.',
          '{email}, {when}. If you did not expect it, call the team of the service.',
        ],
        { email, when: writeShortDate(disabled_at, language) },
      ),
    })
  }
  for (const { name, role } of roles_to_confirm ?? []) {
    todo.push({
      to: at('/team'),
      icon: 'people',
      kind: '',
      title: say(['Un rôle à confirmer', 'A role to confirm']),
      text: `${name}, ${say(roleWords[role])}`,
    })
  }
  if (settlements_open !== null && settlements_open > 0) {
    todo.push({
      to: at('/settlements'),
      icon: 'bank',
      kind: '',
      title: sayCount(
        say,
        settlements_open,
        ['Un reversement en cours', 'One settlement under way'],
        ['{n} reversements en cours', '{n} settlements under way'],
      ),
      text: say([
        'L’équipe du service le traite. Rien à faire.',
        'The team of the service is working on it. Nothing to do.',
      ]),
    })
  }
  return todo
}

function todoPanel({ say }: Request, todo: readonly Todo[]): Html {
  const title = say(['Ce qui vous attend', 'Waiting for you'])
  if (todo.length === 0)
    return panel(title, html`<p class="soft">${say(['Rien ne vous attend.', 'Nothing waits for you.'])}</p>`)
  const links = todo.map(
    ({ to, icon: name, kind, title: head, text }) =>
      html`<a href="${to}"><span class="dot${kind !== '' && ` ${kind}`}">${icon(name)}</span><span><b>${head}</b><span class="sub">${text}</span></span>${icon('right')}</a>`,
  )
  return html`<section class="panel"><header><h2>${title}</h2></header><div class="flush todo">${links}</div></section>`
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
    const [name, ink, words] = conditionWords[condition]
    const share =
      success_rate === null ? null : say(['{n} % réussis', '{n} % succeed'], { n: Math.round(success_rate * 100) })
    const under =
      share === null
        ? say(['de paiements pour le dire', 'payments so far'])
        : `${share}${median_seconds === null ? '' : ` · ${median_seconds} s`}`
    return html`<div>${operatorName(code)}<b${ink !== '' && html` class="${ink}"`}>${icon(name)} ${say(words)}</b><span class="sub">${under}</span></div>`
  })
  const minutes = html`<span class="hint">15 min</span>`
  return panel(title, html`<div class="weather">${shown}</div>`, { flush: true, more: minutes })
}

/** The steps to a first payment. In live mode without an operator nobody can pay, so they lead to test mode. */
function firstSteps({ say, at, can, livemode, merchant_name }: Request, { weather }: HomeFacts): Html {
  const unconnected = livemode && weather.length === 0
  const links = html`${can('links.manage') && linkButton(at('/links'), say(['Créer un lien', 'Create a link']), unconnected ? 'second' : '')}${can('keys.read') && linkButton(at('/keys'), say(['Plutôt par l’API', 'Use the API instead']), 'quiet')}`
  const inTest = at('').replace('/live/', '/test/')
  const test = unconnected
    ? html`<div><p>${say(['Personne ne peut encore vous payer : l’équipe du service doit d’abord relier un opérateur.', 'Nobody can pay you yet: the team of the service has to connect an operator first.'])}</p><p class="acts">${linkButton(inTest, say(['Essayer en mode test', 'Try in test mode']))}</p></div>`
    : html`<div><p>${say(['Envie d’essayer sans argent ?', 'Would you rather try without money?'])} <a href="${inTest}">${say(['Le mode test', 'Test mode'])}</a> ${say(['fait tout pareil.', 'does just the same.'])}</p></div>`
  return html`<section class="slip" aria-label="${say(['Premiers pas', 'First steps'])}"><div>
<ol class="steps">
<li class="ok"><h2>${say(['Votre compte est ouvert', 'Your account is open'])}</h2><p class="soft">${merchant_name}</p></li>
<li><h2>${say(['Créez un lien de paiement', 'Create a payment link'])}</h2><p class="soft">${say(['Un montant, quelques mots ; vous l’envoyez par WhatsApp ou vous affichez son code dans la boutique.', 'An amount and a few words: send it by WhatsApp, or show its code in the shop.'])}</p><p class="acts">${links}</p></li>
<li><h2>${livemode ? say(['Payez-vous cent francs', 'Pay yourself a hundred francs']) : say(['Payez-vous, sans argent réel', 'Pay yourself, without real money'])}</h2><p class="soft">${say(['Avec votre propre téléphone. Le paiement s’affiche ici en quelques secondes.', 'With your own phone. The payment shows here within seconds.'])}</p></li>
</ol></div>${livemode && test}</section>`
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
