import { blank, operatorName, pageHead, panel, status } from '../../console/components.ts'
import { list, moneyCell, pages, rowLink, tabs } from '../../console/list.ts'
import type { ScreenView } from '../../console/screen.ts'
import { statusWords } from '../../console/words.ts'
import type { PartOfRequests, WaitingFor } from '../../payouts/approval-store.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeAmount, writeShortDate } from '../../platform/http/pages/write-values.ts'
import type { Page } from '../../values/page.ts'
import { sayLines } from '../batches/fault-words.ts'
import type { ApprovalRequest } from './parts.ts'
import { operatorOf, readerOf } from './parts.ts'
import type { Differences } from './read-request.ts'
import { type Approval, amountOf } from './waiting.ts'
import { type Names, writeDecimal, writePerson, writeReason, writeWholeNumber } from './words.ts'

export const parts = ['waiting', 'mine', 'decided'] as const satisfies readonly PartOfRequests[]

/** The facts on the page of the list. */
export type ListPage = {
  readonly part: PartOfRequests
  readonly page: Page<Approval>
  /** All that waits for this person, also if another part of the list is shown. */
  readonly waiting: WaitingFor
  /** The transfer balance in francs. */
  readonly transfer: number
  /** The unusual facts of requests, by id. */
  readonly differences: ReadonlyMap<string, Differences>
  readonly names: Names
}

/** The list of approvals: how much waits, its makers, what is unusual, and what expires first. */
export function listView(request: ApprovalRequest, facts: ListPage): ScreenView {
  const { say, at } = request
  const { part, page, waiting, transfer } = facts
  const title = say(['À approuver', 'To approve'])
  const to = (query: Readonly<Record<string, string>>) => {
    const text = new URLSearchParams(query).toString()
    return at(`/approvals${text === '' ? '' : `?${text}`}`)
  }
  const ofPart = part === 'waiting' ? {} : { part }
  const notOwn = say([
    'Vous ne voyez pas vos propres demandes ici : une autre personne les approuve.',
    'Your own requests are not here: somebody else approves them.',
  ])
  const lead = say(
    [
      '{n} à décider, {sum}. Il reste {transfer} au solde d’envoi.',
      '{n} to decide, {sum}. {transfer} is left in the payout balance.',
    ],
    { n: waiting.count, sum: writeAmount(waiting.amount), transfer: writeAmount(transfer) },
  )
  const words = {
    waiting: ['À approuver', 'To approve'],
    mine: ['Les miennes', 'Mine'],
    decided: ['Décidées', 'Decided'],
  } as const
  const main = html`${pageHead({ title, lead })}
${tabs(
  say,
  ['Demandes', 'Requests'],
  parts.map((one) => ({
    words: words[one],
    to: to(one === 'waiting' ? {} : { part: one }),
    current: one === part,
    ...(one === 'waiting' && waiting.count > 0 && { count: waiting.count }),
  })),
)}
${page.rows.length === 0 ? panel(null, nothing(request, part)) : panel(null, table(request, facts), { flush: true })}
${pages(say, { newer: null, older: page.after === null ? null : to({ ...ofPart, after: page.after }) })}
${part === 'waiting' && html`<p class="hint gap">${notOwn}</p>`}`
  const { rows, after } = page
  const approvals = rows.map(({ kind, row }) => ({ kind, ...row, differences: facts.differences.get(row.id) ?? null }))
  return { kind: 'view', title, main, facts: { part, waiting, transfer, approvals, after } }
}

function nothing({ say }: ApprovalRequest, part: PartOfRequests): Html {
  if (part === 'waiting') {
    return blank('stamp', {
      title: say(['Rien à approuver', 'Nothing to approve']),
      text: say([
        'Un envoi au-dessus de vos plafonds s’affiche ici avant de partir.',
        'A payout above your caps shows here before it leaves.',
      ]),
    })
  }
  return blank('stamp', {
    title:
      part === 'mine'
        ? say(['Aucune demande de vous', 'No request of yours'])
        : say(['Rien de décidé', 'Nothing decided']),
  })
}

function table(request: ApprovalRequest, { part, page, names, transfer, differences }: ListPage): Html {
  const { say, language, at } = request
  const reader = readerOf(request, names)
  const about = (approval: Approval) =>
    part === 'waiting'
      ? tagsOf(request, approval, { transfer, differs: differences.get(approval.row.id) ?? null })
      : stateOf(request, approval)
  return list<Approval>({
    caption: say(['Demandes', 'Requests']),
    rows: page.rows,
    columns: [
      {
        title: say(['Pour', 'For']),
        kind: 'k',
        cell: (approval) => {
          const to = at(`/approvals/${approval.row.id}`)
          if (approval.kind === 'batch') {
            const { reference, line_count, id } = approval.row
            const named = say(['Lot « {name} »', 'Batch “{name}”'], { name: reference ?? id.slice(-6) })
            return rowLink(to, named, sayLines(say, line_count))
          }
          const { name, label, msisdn, operator } = approval.row
          const number = writeWholeNumber(msisdn)
          return rowLink(to, name ?? label ?? number, html`${number} ${operatorName(operatorOf(operator))}`)
        },
      },
      {
        title: part === 'waiting' ? say(['Ce qui sort de l’habitude', 'Unusual']) : say(['État', 'State']),
        kind: part === 'waiting' ? '' : 's',
        cell: about,
      },
      {
        title: say(['Demandé par', 'Requested by']),
        kind: '',
        label: say(['Demandé par', 'Requested by']),
        cell: ({ row }) => writePerson(reader, row.made_by),
      },
      {
        title: say(['Pourquoi', 'Why']),
        kind: '',
        label: say(['Pourquoi', 'Why']),
        cell: ({ kind, row }) => (kind === 'request' ? writeReason(say, row) : say(['plafond de 24 h', 'cap of 24 h'])),
      },
      {
        title: part === 'waiting' ? say(['Expire', 'Expires']) : say(['Faite', 'Created']),
        kind: '',
        label: part === 'waiting' ? say(['Expire', 'Expires']) : say(['Faite', 'Created']),
        cell: ({ kind, row }) =>
          part !== 'waiting'
            ? writeShortDate(row.created_at, language)
            : kind === 'request'
              ? writeShortDate(row.expires_at, language)
              : say(['n’expire pas', 'does not expire']),
      },
      {
        title: say(['Montant, F CFA', 'Amount, F CFA']),
        kind: 'm',
        cell: (approval) => moneyCell(amountOf(approval)),
      },
    ],
  })
}

function tagsOf(
  { say }: ApprovalRequest,
  approval: Approval,
  { transfer, differs }: { transfer: number; differs: Differences | null },
): Html {
  const tag = (kind: '' | 'care' | 'bad', text: string) =>
    html`<span class="tag${kind !== '' && ` ${kind}`}">${text}</span> `
  const tags = [
    amountOf(approval) > transfer && tag('bad', say(['Le solde ne suffit pas', 'Balance too low'])),
    differs !== null && differs.alike !== null && tag('bad', say(['Peut-être en double', 'Perhaps twice'])),
    differs !== null && differs.last_sent_at === null && tag('care', say(['Nouveau numéro', 'New number'])),
    differs?.usual?.unusual === true &&
      tag(
        'care',
        say(['{times} fois la moyenne', '{times} times the mean'], { times: writeDecimal(say, differs.usual.times) }),
      ),
  ].filter((one) => one !== false)
  if (tags.length > 0) return html`${tags}`
  if (approval.kind === 'batch') return tag('', say(['Voir les lignes', 'See the lines']))
  return differs?.usual === null
    ? tag('', say(['Trop peu d’envois pour comparer', 'Too few payouts to compare']))
    : tag('', say(['Comme d’habitude', 'As usual']))
}

function stateOf({ say }: ApprovalRequest, { kind, row }: Approval): Html {
  const [shape, words] =
    kind === 'batch'
      ? statusWords.batch[row.status]
      : statusWords.request[row.is_over && row.status === 'pending_approval' ? 'expired' : row.status]
  return status(shape, say(words))
}
