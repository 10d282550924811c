import { sessionStatuses } from '../../checkout/session.ts'
import type { ListedSession } from '../../checkout/session-list-store.ts'
import { blank, linkButton, pageHead, panel, status } from '../../console/components.ts'
import { field } from '../../console/forms.ts'
import { chips, filteredAddress, filters, list, moneyCell, pages, rowLink, tabs } from '../../console/list.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { statusWords } from '../../console/words.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeShortDate } from '../../platform/http/pages/write-values.ts'
import type { Page } from '../../values/page.ts'
import type { ChosenSessions } from './session-filters.ts'

type Request = ScreenRequest<'console'>

/** The list of payment pages: its states, its filters, its rows, and the export of exactly these rows. */
export function sessionsView(
  request: Request,
  { chosen, page, starting_after }: { chosen: ChosenSessions; page: Page<ListedSession>; starting_after: string },
): ScreenView {
  const { say, at, can } = request
  const path = at('/sessions')
  const address = (changed: Partial<ChosenSessions>, more = {}) =>
    filteredAddress(path, { ...chosen, ...changed, ...more })
  const title = say(['Pages de paiement', 'Payment pages'])
  const on = [
    { name: 'status', text: chosen.status && say(statusWords.link[chosen.status][1]) },
    { name: 'from', text: chosen.from && say(['depuis le {day}', 'from {day}'], { day: chosen.from }) },
    { name: 'to', text: chosen.to && say(['jusqu’au {day}', 'to {day}'], { day: chosen.to }) },
    { name: 'link', text: chosen.link && say(['par un lien', 'by one link']) },
  ].flatMap(({ name, text }) => (text === '' ? [] : [{ text, without: address({ [name]: '' }) }]))
  const none = blank('shop', {
    title: say(['Aucune page de paiement ici', 'No payment page here']),
    text:
      on.length > 0
        ? say(['Retirez un filtre pour en voir plus.', 'Remove a filter to see more.'])
        : say([
            'Une page est créée quand un client ouvre un de vos liens, ou quand votre site en demande une.',
            'One is created when a payer opens one of your links, or when your site requests one.',
          ]),
    acts: on.length > 0 ? linkButton(path, say(['Tout voir', 'Show all']), 'second') : '',
  })
  const turn = pages(say, {
    newer: starting_after === '' ? null : address({}),
    older: page.after === null ? null : address({}, { starting_after: page.after }),
  })
  const content = page.rows.length > 0 ? html`${sessionList(request, page.rows)}${turn}` : none
  const fields = html`${field({ name: 'from', label: say(['Du', 'From']), type: 'date', value: chosen.from })}
${field({ name: 'to', label: say(['Au', 'To']), type: 'date', value: chosen.to })}`
  const states = tabs(
    say,
    ['État', 'State'],
    [
      { words: ['Toutes', 'All'], to: address({ status: '' }), current: chosen.status === '' },
      ...sessionStatuses.map((name) => ({
        words: statusWords.link[name][1],
        to: address({ status: name }),
        current: chosen.status === name,
      })),
    ],
  )
  const fileOf = (format: string) => filteredAddress(`${path}/export`, { ...chosen, format })
  const main = html`${pageHead({
    title,
    lead: html`<a href="${at('/payments')}">${say(['Voir les paiements', 'See the payments'])}</a>`,
  })}
${states}
${filters(say, say(['Période', 'Period']), fields, { ...(chosen.status !== '' && { status: chosen.status }), ...(chosen.link !== '' && { link: chosen.link }) })}
${chips(say, on, can('exports.take') && page.rows.length > 0 ? fileOf : null)}
${panel(null, content, { flush: true })}`
  return { kind: 'view', title, main, facts: { chosen, sessions: page.rows, has_more: page.after !== null } }
}

function sessionList(request: Request, sessions: readonly ListedSession[]): Html {
  const { say, at, language } = request
  return list<ListedSession>({
    caption: say(['Pages de paiement', 'Payment pages']),
    size: 'few',
    rows: sessions,
    columns: [
      {
        title: say(['Pour quoi', 'What for']),
        kind: 'k',
        cell: ({ id, description, link_id }) =>
          rowLink(
            at(`/sessions/${id}`),
            description ?? say(['Page de paiement', 'Payment page']),
            link_id === null ? '' : say(['par un lien', 'by a link']),
          ),
      },
      {
        title: say(['État', 'State']),
        kind: 's',
        cell: (row) => {
          const [shape, words] = statusWords.link[row.status]
          return status(shape, say(words))
        },
      },
      {
        title: say(['Essais', 'Attempts']),
        kind: '',
        label: say(['Essais', 'Attempts']),
        cell: ({ attempts }) => attempts,
      },
      { title: say(['Quand', 'When']), kind: 't', cell: ({ created_at }) => writeShortDate(created_at, language) },
      { title: say(['Montant, F CFA', 'Amount, F CFA']), kind: 'm', cell: ({ amount }) => moneyCell(amount) },
    ],
  })
}
