import { miniTable, operatorName, pageHead, panel, rows, shareBar, status } from '../../console/components.ts'
import { filteredAddress, list, rowLink, tabs } from '../../console/list.ts'
import type { Words } from '../../console/say.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { type Html, html, type Piece } from '../../platform/http/html.ts'
import { writeAmount } from '../../platform/http/pages/write-values.ts'
import { isFailureCode } from '../../values/failure-codes.ts'
import { isOperatorCode } from '../../values/operators.ts'
import { sayReason } from '../operations/failure-words.ts'
import { listAddress } from '../operations/list-filters.ts'
import { countedLink } from '../webhooks/delivery-views.ts'
import type { ChartDay, LostFor, OperatorRate } from './figures.ts'
import { type ChartPeriod, LENGTHS } from './period.ts'
import { bars, barsKey, curve, labelsOf, scaleOf, writeCount } from './plot.ts'
import type { Charts, Flow } from './read-charts.ts'

type Request = ScreenRequest<'console'>

/** The charts of a merchant over a period, each above a table of the same figures. Every mark links to the list of the operations that it counts. */
export function chartsView(request: Request, period: ChartPeriod, charts: Charts): ScreenView {
  const { say } = request
  const title = say(['Graphiques', 'Charts'])
  const { payments, payouts, balances, endpoints } = charts
  const fees = payments && feesPanel(request, period, payments.days)
  const owed = balances && balancePanel(request, period, balances)
  const main = html`${pageHead({ title, lead: periodWords(request, period) })}
${periodTabs(request, period)}
<div class="stack">
${payments && flowPanels(request, period, payments, paymentWords)}
${(fees || owed) && html`<div class="half">${fees}${owed}</div>`}
${payouts && flowPanels(request, period, payouts, payoutWords)}
${endpoints && endpointPanel(request, endpoints)}
</div>`
  const { chosen, from, to } = period
  return { kind: 'view', title, main, facts: { period: { chosen, from, to }, ...charts } }
}

const dates = {
  fr: new Intl.DateTimeFormat('fr-FR', { day: 'numeric', month: 'short', timeZone: 'UTC' }),
  en: new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }),
}
const months = {
  fr: new Intl.DateTimeFormat('fr-FR', { month: 'long', year: 'numeric', timeZone: 'UTC' }),
  en: new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' }),
}

function dayWords({ language }: Request, day: string): string {
  const words = dates[language].format(new Date(`${day}T00:00:00Z`))
  return language === 'fr' ? words.replace(/^1 /, '1er ') : words
}

function periodWords(request: Request, { from, to }: ChartPeriod): string {
  const { say } = request
  const words = { from: dayWords(request, from), to: dayWords(request, to) }
  if (from === to) return say(['Le {from}, en heure d’Abidjan', '{from}, in Abidjan time'], words)
  return say(['Du {from} au {to}, en heure d’Abidjan', '{from} to {to}, in Abidjan time'], words)
}

/** The tabs: numbers of days, this month, and the month before the current page's. */
function periodTabs({ say, at, language }: Request, { chosen, to, from }: ChartPeriod): Html {
  const month = to.slice(0, 7)
  const before = new Date(Date.parse(`${chosen === month ? from.slice(0, 7) : month}-01`) - 1).toISOString().slice(0, 7)
  const monthWords = (of: string): Words => {
    const words = months[language].format(new Date(`${of}-01T00:00:00Z`))
    return [words, words]
  }
  return tabs(
    say,
    ['Période', 'Period'],
    [
      ...LENGTHS.map((length) => ({
        words: [`${length} jours`, `${length} days`] as Words,
        to: at(`/charts?period=${length}`),
        current: chosen === length,
      })),
      ...[month, before].map((of) => ({
        words: monthWords(of),
        to: at(`/charts?period=${of}`),
        current: chosen === of,
      })),
    ],
  )
}

/** The axes of a drawing over the days of a period. @param most the largest value */
function axisOf({ language }: Request, { days, days_max }: ChartPeriod, most: number) {
  return { ...scaleOf(most), language, ...labelsOf(days, days_max) }
}

type FlowWords = { readonly path: '/payments' | '/payouts'; readonly title: Words; readonly done: Words }

const paymentWords: FlowWords = {
  path: '/payments',
  title: ['Paiements par jour', 'Payments per day'],
  done: ['Payés', 'Paid'],
}
const payoutWords: FlowWords = {
  path: '/payouts',
  title: ['Envois par jour', 'Payouts per day'],
  done: ['Arrivés', 'Arrived'],
}

function flowPanels(request: Request, period: ChartPeriod, flow: Flow, words: FlowWords): Html {
  if (flow.days.every(({ done, lost }) => done + lost === 0)) {
    const { say } = request
    const none = say(['Rien de fini dans cette période.', 'Nothing ended in this period.'])
    return panel(say(words.title), html`<p class="soft">${none}</p>`)
  }
  const rates = ratesPanel(request, period, flow.operators, words.path)
  const lost = flow.lost_for.length > 0 && lostPanel(request, period, flow.lost_for, words.path)
  return html`${volumePanel(request, period, flow.days, words)}
<div class="half">${rates}${lost}</div>`
}

function volumePanel(request: Request, period: ChartPeriod, days: readonly ChartDay[], words: FlowWords): Html {
  const { say, at } = request
  const to = (day: string, status: 'ended' | 'done' | 'lost' = 'ended') =>
    listAddress(at(words.path), { status, from: day, to: day })
  const drawing = bars(
    words.path.slice(1),
    days.map(({ day, done, lost }) => {
      return { to: to(day), value: done, value_to: to(day, 'done'), more: lost, more_to: to(day, 'lost') }
    }),
    axisOf(request, period, Math.max(...days.map(({ done, lost }) => done + lost))),
  )
  const table = dayTable(
    request,
    [words.done, ['Non', 'Not'], ['F CFA', 'F CFA']],
    days.map(({ day, done, lost, amount }) => {
      const figures = [done, lost, amount]
      return { day, to: to(day), figures, lists: [done > 0 && to(day, 'done'), lost > 0 && to(day, 'lost')] }
    }),
  )
  const lostWords = say(['Échoués ou expirés', 'Failed or expired'])
  const key = barsKey(say(words.done), lostWords)
  const total = (of: 'done' | 'lost' | 'amount') => days.reduce((sum, day) => sum + day[of], 0)
  const counted = (status: 'done' | 'lost') =>
    html`<a href="${listAddress(at(words.path), { status, from: period.from, to: period.to })}">${writeCount(total(status))}</a>`
  const totals = rows([
    { name: say(words.done), value: counted('done') },
    { name: lostWords, value: counted('lost') },
    { name: say(['Somme', 'Sum']), value: writeAmount(total('amount')), all: true },
  ])
  return panel(say(words.title), html`<div class="two">${drawing}<div>${totals}${table}</div></div>`, { more: key })
}

/** A figure of a table, with a link to its list if it has one. */
function linked(figure: string, list: string | false | undefined): Html | string {
  return list ? html`<a href="${list}">${figure}</a>` : figure
}

/** The same figures as a table, newest day first. A long table is closed, and opens without a script. */
function dayTable(
  request: Request,
  columns: readonly Words[],
  days: readonly {
    day: string
    to: string | null
    figures: readonly number[]
    /** The lists of the first figures. */
    lists?: readonly (string | false)[]
  }[],
): Html {
  const { say } = request
  const lines = days.toReversed().map(({ day, to, figures, lists = [] }) => {
    const words = dayWords(request, day)
    const cells = figures.map((figure, nth) => html`<td class="n">${linked(writeCount(figure), lists[nth])}</td>`)
    return html`<tr><td>${linked(words, to ?? false)}</td>${cells}</tr>`
  })
  const table = miniTable({ texts: [say(['Jour', 'Day'])], numbers: columns.map((words) => say(words)) }, lines)
  const open = days.length <= 7 && html` open`
  return html`<details${open}><summary>${say(['Le tableau', 'The table'])}</summary>${table}</details>`
}

/** Writes seconds as people say them: `15 s`, `3 min`, `1 h`. */
function writeSeconds(seconds: number): string {
  if (seconds < 90) return `${seconds}\u00a0s`
  return seconds < 3_600 ? `${Math.round(seconds / 60)}\u00a0min` : `${Math.round(seconds / 3_600)}\u00a0h`
}

function ratesPanel(
  request: Request,
  { from, to }: ChartPeriod,
  operators: readonly OperatorRate[],
  path: string,
): Html {
  const { say, at } = request
  const percent = new Intl.NumberFormat(say(['fr-FR', 'en-GB']), { style: 'percent', maximumFractionDigits: 1 })
  const part = (share: number) => Math.round(share * 10_000) / 100
  const lines = operators.map(({ operator, ended, rate, least, most, half_within_seconds: half }) => {
    const sample =
      half === null
        ? say(['{n} finis', '{n} ended'], { n: writeCount(ended) })
        : say(['{n} finis, {s} au plus', '{n} ended, {s} at most'], { n: writeCount(ended), s: writeSeconds(half) })
    const name = isOperatorCode(operator) ? operatorName(operator) : operator
    const list = listAddress(at(path), { status: 'ended', operator, from, to })
    const figures = html`<td class="n"><a href="${list}">${percent.format(rate)}</a></td>`
    const range = drawRange(part(least), part(rate), part(most))
    return html`<tr><td>${name}<span class="sub">${sample}</span></td><td>${range}</td>${figures}</tr>`
  })
  const title = say(['Réussite par opérateur', 'Success by operator'])
  const texts = [say(['Opérateur', 'Operator']), say(['0 à 100\u00a0%', '0 to 100\u00a0%'])]
  const table = miniTable({ texts, numbers: [say(['Réussite', 'Success'])], caption: title }, lines)
  const hint = say([
    'Trait gris : la marge d’erreur, plus large quand il y en a peu. Durée : une fois sur deux, la confirmation vient dans ce temps.',
    'Grey line: the margin of error, wider where there are few. Time: half of the confirmations come within it.',
  ])
  return panel(title, html`${table}<p class="hint">${hint}</p>`)
}

/** A rate and its margin of error on a line from 0 to 100. */
function drawRange(least: number, rate: number, most: number): Html {
  const line = (style: string, from: number, to: number) =>
    html`<line class="${style}" x1="${from}" x2="${to}" y1="5" y2="5"/>`
  const lines = html`<line x1="0" x2="100" y1="5" y2="5"/>${line('reach', least, most)}${line('at', rate, rate)}`
  return html`<svg class="range" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">${lines}</svg>`
}

function lostPanel(request: Request, { from, to }: ChartPeriod, reasons: readonly LostFor[], path: string): Html {
  const { say, at } = request
  const all = reasons.reduce((sum, { count }) => sum + count, 0)
  const line = (words: string, status: 'failed' | 'expired', count: number, reason = '') => {
    const share = Math.round((count / all) * 1_000) / 10
    const link = html`<a href="${listAddress(at(path), { status, from, to, reason })}">${words}</a>`
    return html`<tr><td>${link}${shareBar(share)}</td><td class="n">${writeCount(count)}</td></tr>`
  }
  const lines = reasons.map(({ reason, count }) => {
    if (reason === 'expired')
      return line(say(['Le client n’a pas payé à temps', 'The payer did not pay in time']), 'expired', count)
    const known = isFailureCode(reason) ? reason : null
    return line(sayReason(say, known ?? 'operator_refused'), 'failed', count, known ?? '')
  })
  const title = say(['Pourquoi cela échoue', 'Why it fails'])
  const texts = [say(['Raison', 'Reason'])]
  return panel(title, miniTable({ texts, numbers: [say(['Nombre', 'Number'])], caption: title }, lines))
}

function feesPanel(request: Request, period: ChartPeriod, days: readonly ChartDay[]): Html {
  const { say, at } = request
  const total = days.reduce((sum, { fees }) => sum + fees, 0)
  const title = say(['Frais des paiements', 'Fees on payments'])
  if (total === 0) {
    return panel(
      title,
      html`<p class="soft">${say(['Aucun frais dans cette période.', 'No fees in this period.'])}</p>`,
    )
  }
  const to = (day: string) => listAddress(at('/payments'), { status: 'done', from: day, to: day })
  const drawing = bars(
    'fees',
    days.map(({ day, fees }) => ({ to: to(day), value: fees, more: 0 })),
    axisOf(request, period, Math.max(...days.map(({ fees }) => fees))),
  )
  const figures = days.map(({ day, fees }) => ({ day, to: to(day), figures: [fees] }))
  const more = html`<p class="key-line">${say(['{sum} F CFA en tout', '{sum} F CFA in all'], { sum: writeCount(total) })}</p>`
  return panel(title, html`${drawing}${dayTable(request, [['F CFA', 'F CFA']], figures)}`, { more })
}

function balancePanel(
  request: Request,
  period: ChartPeriod,
  balances: readonly { day: string; balance: number }[],
): Html {
  const { say, at, can } = request
  const title = say(['Solde disponible, chaque soir', 'Available balance, every evening'])
  if (balances.length === 0) return html``
  if (balances.every(({ balance }) => balance === 0)) {
    return panel(
      title,
      html`<p class="soft">${say(['0 F CFA chaque soir de cette période.', '0 F CFA every evening of this period.'])}</p>`,
    )
  }
  const to = (day: string) =>
    can('statement.read') ? `${at('/statement')}?${new URLSearchParams({ from: day, to: day })}` : null
  const drawing = curve(
    balances.map(({ day, balance }) => ({ to: to(day), value: balance })),
    axisOf(request, period, Math.max(...balances.map(({ balance }) => balance))),
  )
  const figures = balances.map(({ day, balance }) => ({ day, to: to(day), figures: [balance] }))
  return panel(title, html`${drawing}${dayTable(request, [['F CFA', 'F CFA']], figures)}`)
}

function endpointPanel(request: Request, endpoints: NonNullable<Charts['endpoints']>): Html {
  const { say, at } = request
  if (endpoints.length === 0) return html``
  const stands = ({ status: of, failing_since }: (typeof endpoints)[number]): Piece => {
    if (of === 'disabled') return status('off', say(['Arrêté', 'Stopped']))
    return failing_since === null
      ? status('ok', say(['En service', 'Working']))
      : status('bad', say(['Ne répond plus', 'Not answering']))
  }
  const title = say(['Livraisons par adresse, maintenant', 'Deliveries by endpoint, now'])
  const counted = (words: Words, state: 'sending' | 'retrying' | 'held' | 'failed') => ({
    title: say(words),
    kind: '' as const,
    label: say(words),
    cell: (one: (typeof endpoints)[number]) =>
      countedLink(request, { endpoint_id: one.endpoint_id, state, count: one[state] }),
  })
  const table = list({
    caption: title,
    rows: endpoints,
    columns: [
      {
        title: say(['Adresse', 'Address']),
        kind: 'k',
        all: true,
        cell: (one) => rowLink(filteredAddress(at('/webhooks'), { endpoint: one.endpoint_id }), one.name, stands(one)),
      },
      counted(['En route', 'On their way'], 'sending'),
      counted(['À refaire', 'To retry'], 'retrying'),
      counted(['Gardées', 'Kept'], 'held'),
      counted(['Abandonnées', 'Given up'], 'failed'),
    ],
  })
  return panel(title, table, { flush: true })
}
