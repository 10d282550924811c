import { linkButton, operatorName, panel, rows, status } from '../../console/components.ts'
import { icon } from '../../console/icons.ts'
import { list, moneyCell, rowLink } from '../../console/list.ts'
import { sayCount } from '../../console/say.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { soundSwitch } from '../../console/share.ts'
import { isFresh, writeWhen } from '../../console/when.ts'
import { statusWords } from '../../console/words.ts'
import type { ListedOperation } from '../../listings/listed-operation.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { drawAmount, writeAmount, writeNumberEnd } from '../../platform/http/pages/write-values.ts'
import { operatorNames } from '../../values/operators.ts'
import { operatorOf } from '../approvals/parts.ts'
import { conditionWords } from '../weather-panel.ts'
import { actionPair } from './actions.ts'
import { firstSteps, isEmpty } from './first-steps.ts'
import type { HomeFacts } from './read-home.ts'
import { todoOf, todoPanel } from './todo.ts'
import { uncheckedNote } from './unchecked.ts'

type Request = ScreenRequest<'console'>

/**
 * The first page: the tasks of this person if there are any, what came in today, their two commonest acts, their money, the last payments, and the
 * rest folded. An empty shop has three steps and nothing else.
 */
export function homeView(request: Request, facts: HomeFacts, now: Date): ScreenView {
  const { say, session, query } = request
  const todo = todoPanel(request, todoOf(request, facts), query.has('tasks'))
  const tasks = html`${todo}${uncheckedNote(say, facts.unchecked)}`
  if (isEmpty(facts)) {
    const [name = ''] = session.person.name.split(' ')
    const lead = say(['Trois pas jusqu’à votre premier argent.', 'Three steps to your first money.'])
    const head = html`<h1>${say(['Bienvenue, {name}', 'Welcome, {name}'], { name })}</h1><p class="lead">${lead}</p>`
    const main = html`<div class="head"><div>${head}</div></div><div class="stack">${tasks}${firstSteps(request, facts)}</div>`
    return { kind: 'view', title: say(['Accueil', 'Home']), main, facts, moving: 'open' }
  }
  const own = decides(request)
    ? html`${moneyToSend(request, facts)}${takingsSlip(request, facts, now)}`
    : html`${takingsSlip(request, facts, now)}${actionPair(request)}`
  const money = decides(request) ? null : availableTile(request, facts)
  const main = html`<h1 class="sr">${say(['Accueil', 'Home'])}</h1>
<div class="stack">
${tasks}
<div class="two level"><div class="stack">${own}</div>${money}</div>
${facts.payments !== null && facts.payments.length > 0 && paymentsPanel(request, facts.payments, now)}
${restPanel(request, facts)}
</div>`
  return { kind: 'view', title: say(['Accueil', 'Home']), main, facts, moving: 'open' }
}

/** Whether a person's work is to decide on what others send. Their first page begins with the money for it. */
function decides({ can }: Request): boolean {
  return can('payouts.approve') && !can('payouts.make')
}

/** The takings of today, and the last payment, which a screen reader tells when it changes. */
function takingsSlip(request: Request, { taken_today, last_paid }: HomeFacts, now: Date): Html | null {
  const { say } = request
  if (taken_today === null) return null
  const { count, amount, fee_amount } = taken_today
  const payments = sayCount(say, count, ['{n} paiement', '{n} payment'], ['{n} paiements', '{n} payments'])
  const fees = fee_amount > 0 && say([', {fees} de frais', ', {fees} of fees'], { fees: writeAmount(fee_amount) })
  const title = html`<p class="soft" id="taken">${say(['Encaissé aujourd’hui', 'Taken today'])}</p>`
  const sum = html`<p role="status">${drawAmount(amount)}</p><p class="soft">${payments}${fees}</p>`
  const last = last_paid !== null && lastPaid(request, last_paid, now)
  return html`<article class="slip" aria-labelledby="taken"><header>${title}${sum}</header>${last}</article>`
}

function lastPaid({ say, at, language }: Request, paid: ListedOperation, now: Date): Html {
  const when = paid.concluded_at ?? paid.created_at
  const operator = operatorOf(paid.operator)
  const about = [
    paid.last4 === null ? null : writeNumberEnd(paid.last4),
    operator === null ? null : operatorNames[operator],
    paid.description ?? paid.reference,
  ]
  const told = html`<b>+${writeAmount(paid.amount)}</b>, ${writeWhen(when, { now, say, language })}`
  const under = html`<span class="sub">${about.filter((part) => part !== null).join(' · ')}</span>`
  const line = html`<span class="dot">${icon('ok')}</span><span>${told}${under}</span>`
  const fresh = isFresh(when, now) && html` class="fresh"`
  return html`<div${fresh} role="status"><a class="latest" data-paid="${paid.id}" href="${at(`/payments/${paid.id}`)}">${line}</a></div>`
}

function availableTile({ say, at, can }: Request, { balances, destination }: HomeFacts): Html | null {
  if (balances === null) return null
  const where =
    destination === null
      ? null
      : say(['Vers {name} •• {end}', 'To {name} •• {end}'], { name: destination.name, end: destination.last4 })
  const withdraw = can('settlements.request') && linkButton(at('/settlements'), say(['Retirer', 'Withdraw']))
  const title = html`<p id="available">${say(['Votre argent disponible', 'Your available money'])}</p>`
  const acts = (withdraw || where) && html`<p class="acts">${withdraw}${where && html`<span>${where}</span>`}</p>`
  return html`<section class="tile main" aria-labelledby="available">${title}${drawAmount(balances.available)}${acts}</section>`
}

/** The money from which payouts are paid, for those who decide on them. */
function moneyToSend({ say }: Request, { balances }: HomeFacts): Html | null {
  if (balances === null) return null
  const facts = rows([
    { name: say(['Disponible', 'Available']), value: html`<b>${writeAmount(balances.transfer)}</b>` },
    { name: say(['En cours d’envoi', 'Under way']), value: writeAmount(balances.payouts_in_flight) },
  ])
  return panel(say(['Argent pour les envois', 'Money for payouts']), facts)
}

function paymentsPanel({ say, at, language }: Request, payments: readonly ListedOperation[], now: Date): Html {
  const table = list<ListedOperation>({
    caption: say(['Derniers paiements', 'Latest payments']),
    rows: payments,
    columns: [
      {
        title: say(['Client', 'Payer']),
        kind: 'k',
        cell: ({ id, last4, name, reference, description }) => {
          const number = last4 === null ? null : writeNumberEnd(last4)
          return rowLink(at(`/payments/${id}`), name ?? number ?? id.slice(-6), description ?? reference)
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
        title: say(['Quand', 'When']),
        kind: 't',
        cell: ({ created_at, concluded_at }) => writeWhen(concluded_at ?? created_at, { now, say, language }),
      },
      { title: say(['Montant, F CFA', 'Amount, F CFA']), kind: 'm', cell: ({ amount }) => moneyCell(amount) },
    ],
  })
  const all = html`<a href="${at('/payments')}">${say(['Tous', 'All'])}</a>`
  return panel(say(['Derniers paiements', 'Latest payments']), table, { flush: true, more: all })
}

/** The facts that a person looks up only sometimes. An operator with too few payments to tell its state is left out. */
function restPanel(request: Request, facts: HomeFacts): Html {
  const { say, at, can } = request
  const { balances, settlements_open: open } = facts
  const states = [
    stateRow(
      facts.payouts_in_doubt,
      say(['Envois en vérification', 'Payouts being checked']),
      at('/payouts?status=indeterminate'),
    ),
    stateRow(
      facts.payments_in_doubt,
      say(['Paiements sans réponse', 'Payments without an answer']),
      at('/payments?status=pending'),
    ),
    stateRow(open, say(['Retraits en route', 'Withdrawals on their way']), at('/settlements')),
  ]
  const weather = facts.weather.flatMap(({ code, condition, median_seconds }) => {
    if (condition === 'unknown') return []
    const [, , words] = conditionWords[condition]
    const shape = condition === 'normal' ? 'ok' : condition === 'slow' ? 'wait' : 'bad'
    const slow = condition === 'slow' && median_seconds !== null ? `, ${median_seconds} s` : ''
    return [{ name: operatorNames[code], value: status(shape, `${say(words)}${slow}`) }]
  })
  const money = balances !== null && [
    { name: say(['Argent pour vos envois', 'Money for payouts']), value: writeAmount(balances.transfer) },
    balances.payouts_in_flight > 0 && {
      name: say(['Envois en cours', 'Payouts under way']),
      value: writeAmount(balances.payouts_in_flight),
    },
    balances.settlements_in_flight > 0 && {
      name: say(['Argent en route vers vous', 'Money on its way to you']),
      value: writeAmount(balances.settlements_in_flight),
    },
  ]
  const shown = [...(money || []), ...states, ...weather]
  const links = [
    can('statement.read') && linkButton(at('/statement'), say(['Relevé', 'Statement']), 'quiet'),
    can('settlements.read') && linkButton(at('/settlements'), say(['Mes retraits', 'My withdrawals']), 'quiet'),
    facts.taken_today !== null && soundSwitch(say),
  ]
  const summary = say(['Le reste : envois, opérateurs, retraits', 'The rest: payouts, operators, withdrawals'])
  return html`<details class="panel"><summary>${summary}</summary><div>${rows(shown)}<p class="acts">${links}</p></div></details>`
}

/** A number of things that are under way, with the link to them. Left out at nought. */
function stateRow(count: number | null, name: string, to: string) {
  return count !== null && count > 0 && { name, value: html`<a href="${to}">${count}</a>` }
}
