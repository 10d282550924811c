import { aloneRefusals, writeAloneEnd } from '../../console/alone-words.ts'
import { backLink, blank, pageHead, panel } from '../../console/components.ts'
import { type Column, list, pages, rowLink, tabs } from '../../console/list.ts'
import { defineDeskScreen, type ScreenRequest, type ScreenView } from '../../console/screen.ts'
import { readMerchantNames } from '../../merchants/store.ts'
import { nounOf } from '../../payouts/alone/end-alone.ts'
import { type ListedApproval, readApprovalsPage, type SoloApproval } from '../../payouts/alone/store.ts'
import { type Html, html, type Piece } from '../../platform/http/html.ts'
import { writeDate } from '../../platform/http/pages/write-values.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { Page } from '../../values/page.ts'

type Request = ScreenRequest<'desk'>

/** The number of approvals on a page. */
const PAGE = 50

const parts = ['waiting', 'ended'] as const
type Part = (typeof parts)[number]

/** The approvals by only people of their merchants: those that wait for their day, and the ends of the others. */
export const getAloneList = defineDeskScreen<{ sql: Sql }>({
  method: 'GET',
  // Below `/merchants`, so that the menu marks that entry.
  path: '/merchants/single-person',
  query: ['part', 'after'],
  operation: 'deskApprovalsAlone',
  summary: 'Read the approvals by one person of all merchants, with their times and outcomes',
  right: 'merchants.read',
  async handle(request, { sql }) {
    const { query, livemode } = request
    const part = parts.find((one) => one === query.get('part')) ?? 'waiting'
    const page = await readApprovalsPage(sql, { livemode, part, limit: PAGE, after: query.get('after') })
    const merchants = [...new Set(page.rows.map(({ merchant_id }) => merchant_id))]
    return aloneListView(request, { part, page, names: await readMerchantNames(sql, merchants) })
  },
})

type Listed = { part: Part; page: Page<ListedApproval>; names: ReadonlyMap<number, string> }

function aloneListView(request: Request, { part, page, names }: Listed): ScreenView {
  const { say, at, query } = request
  const to = (asked: Record<string, string>) => at(`/merchants/single-person?${new URLSearchParams(asked)}`)
  const words = { waiting: ['En attente', 'Waiting'], ended: ['Terminés', 'Ended'] } as const
  const title = say(['Accords donnés seul', 'Approvals given alone'])
  const links = parts.map((one) => ({ words: words[one], to: to({ part: one }), current: one === part }))
  const columns: Column<ListedApproval>[] = [
    {
      title: say(['Marchand', 'Merchant']),
      kind: 'k',
      all: true,
      cell: ({ merchant_id }) =>
        rowLink(at(`/merchants/${merchant_id}/single-person`), names.get(merchant_id) ?? String(merchant_id)),
    },
    subjectColumn(request),
    { title: say(['Par', 'By']), kind: '', label: say(['Par', 'By']), cell: ({ approved_by }) => approved_by },
    part === 'waiting' ? effectColumn(request) : endColumn(request),
  ]
  const content =
    page.rows.length === 0
      ? panel(
          null,
          blank('stamp', {
            title: say(['Rien', 'Nothing']),
            text: say(['Aucun accord donné seul.', 'No approval given alone.']),
          }),
        )
      : panel(null, list({ caption: title, rows: page.rows, size: 'few', columns }), { flush: true })
  const newer = query.has('after') ? to({ part }) : null
  const older = page.after === null ? null : to({ part, after: page.after })
  const head = pageHead({
    title,
    lead: say([
      'Par la seule personne d’un marchand, 24 heures à l’avance',
      'By the only person of a merchant, 24 hours ahead',
    ]),
  })
  const turn = pages(say, { newer, older }, part === 'waiting' ? inOrderOfDays : undefined)
  const main = html`${backLink(at('/merchants'), say(['Marchands', 'Merchants']))}${head}
${tabs(say, ['Accords', 'Approvals'], links)}
${content}
${turn}`
  const approvals = page.rows.map(({ cursor: _, step_up_id: __, from_address: ___, ...shown }) => shown)
  return { kind: 'view', title, main, facts: { part, approvals, after: page.after } }
}

const inOrderOfDays = [
  ['Avant', 'Sooner'],
  ['Après', 'Later'],
] as const

/** The column of the approved subject. */
export function subjectColumn<Row extends SoloApproval>({ say }: Request): Column<Row> {
  const nouns = { payout_request: ['Envoi', 'Payout'], payout_batch: ['Lot', 'Batch'], key: ['Clé', 'Key'] } as const
  return {
    title: say(['Quoi', 'What']),
    kind: '',
    label: say(['Quoi', 'What']),
    cell: (one) => html`${say(nouns[nounOf(one)])}<span class="sub">${one.subject_id}</span>`,
  }
}

/** The column of a waiting approval's day, with the reason if it was not carried out then. */
export function effectColumn<Row extends SoloApproval>({ say, language }: Request): Column<Row> {
  const cell = ({ takes_effect_at, refusal }: SoloApproval): Piece => {
    const at = writeDate(takes_effect_at, language)
    return refusal === null ? at : html`${at}<span class="sub">${held(refusal)}</span>`
  }
  const held = (refusal: NonNullable<SoloApproval['refusal']>): Html =>
    html`${say(['refusé', 'refused'])}${say([' : ', ': '])}${say(aloneRefusals[refusal])}`
  return { title: say(['Prend effet', 'Takes effect']), kind: '', label: say(['Prend effet', 'Takes effect']), cell }
}

/** The column of an approval's end: how, when and by whom. */
function endColumn({ say, language }: Request): Column<ListedApproval> {
  const cell = ({ outcome, refusal, ended_at, ended_by }: ListedApproval): Html => {
    const end = writeAloneEnd(say, outcome!, refusal)
    const by = ended_by === 'schedule' ? say(['par le service', 'by the service']) : ended_by
    return html`${end}<span class="sub">${writeDate(ended_at!, language)}, ${by}</span>`
  }
  return { title: say(['Fin', 'End']), kind: '', label: say(['Fin', 'End']), cell }
}
