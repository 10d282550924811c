import type { ActRefused } from '../../acts/act.ts'
import { type ActScreenDeps, deskAct } from '../../console/acts/act-screen.ts'
import { backLink, note, pageHead, panel, rows } from '../../console/components.ts'
import { errorList, type FieldError, field, form, hiddenField } from '../../console/forms.ts'
import { list } from '../../console/list.ts'
import { absent, defineDeskScreen, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import { tenantIn } from '../../console/tenant-in.ts'
import { readMerchantName } from '../../merchants/store.ts'
import { confirmSinglePerson, endSinglePerson, proposeSinglePerson } from '../../payouts/alone/allow-single-person.ts'
import { stopMerchantsApproval } from '../../payouts/alone/stop-approval.ts'
import { readSoloApprovals, readTerms, type SinglePersonTerms, type SoloApproval } from '../../payouts/alone/store.ts'
import { findHolders } from '../../people/find-persons.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeDate } from '../../platform/http/pages/write-values.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { effectColumn, getAloneList, subjectColumn } from './alone-list.ts'

type Deps = { readonly sql: Sql }
type Request = ScreenRequest<'desk'>

/** The most waiting approvals on the page. */
const SHOWN_MAX = 100
const REASON_MAX = 500

/** The page of a merchant with one person: whether the staff allow that person to decide alone, and the approvals that wait for their day. */
export const getSinglePerson = defineDeskScreen<Deps>({
  method: 'GET',
  path: '/merchants/:id/single-person',
  operation: 'deskSinglePerson',
  summary: 'Read whether the only person of a merchant decides alone, and the approvals that wait',
  right: 'merchants.read',
  handle: (request, deps) => show(request, deps),
})

type ActDeps = Deps & ActScreenDeps

const onPage = (verb: 'propose' | 'confirm' | 'end' | 'stop', done: string) => ({
  path: `/merchants/:id/single-person/${verb}`,
  back: ({ at, params }: Request) => at(`/merchants/${params.id}/single-person`),
  done: ({ params }: Request) => `/merchants/${params.id}/single-person?done=${done}`,
  again: (request: Request, deps: Deps, errors: readonly FieldError[], refusal: ActRefused | null) =>
    show(request, deps, { errors, code: refusal?.code ?? 'no_reason' }),
})

export const singlePersonScreens = [
  getAloneList,
  getSinglePerson,
  deskAct<unknown, null, ActDeps>(proposeSinglePerson, onPage('propose', 'saved')),
  deskAct<unknown, null, ActDeps>(confirmSinglePerson, onPage('confirm', 'saved')),
  deskAct<unknown, null, ActDeps>(endSinglePerson, onPage('end', 'stopped')),
  deskAct<unknown, null, ActDeps>(stopMerchantsApproval, onPage('stop', 'stopped')),
] as const

type Fault = { readonly errors: readonly FieldError[]; readonly code: string }

async function show(request: Request, { sql }: Deps, fault: Fault | null = null): Promise<ScreenAnswer> {
  const { say, at } = request
  const tenant = tenantIn(request)
  const name = tenant === null ? null : await readMerchantName(sql, tenant.merchant_id)
  if (tenant === null || name === null) return absent
  const [terms, waiting, holders] = await Promise.all([
    readTerms(sql, tenant.merchant_id),
    readSoloApprovals(sql, tenant, SHOWN_MAX),
    findHolders(sql, tenant.merchant_id, 'payouts.approve'),
  ])
  const back = at(`/merchants/${tenant.merchant_id}`)
  const to = `${back}/single-person`
  const title = say(['Décider seul', 'Decide alone'])
  const errors = fault?.errors ?? []
  const lead = say(['Pour un marchand d’une seule personne', 'For a merchant of one person'])
  const main = html`${backLink(back, name)}${pageHead({ title, lead })}${errorList(say, errors)}
<div class="stack">${termsPanel(request, to, { terms, errors })}${waitingPanel(request, to, waiting)}</div>`
  return {
    kind: 'view',
    ...(fault !== null && { status: 409 }),
    title,
    main,
    facts: { terms, waiting, people: holders.length, error: fault && { code: fault.code } },
  }
}

function termsPanel(
  request: Request,
  to: string,
  { terms, errors }: { terms: SinglePersonTerms | null; errors: readonly FieldError[] },
): Html {
  const { say, language, can } = request
  const title = say(['La permission', 'The permission'])
  const may = can('merchants.manage')
  const words = say([
    'Son accord prend effet 24 heures plus tard, et s’arrête entre-temps. Dès qu’une deuxième personne peut approuver, la règle des deux personnes revient.',
    'Their approval takes effect 24 hours later, and can be stopped meanwhile. As soon as a second person may approve, the rule of two people is back.',
  ])
  const rule = html`<p class="hint">${words}</p>`
  if (terms === null) {
    const label = say(['Pourquoi', 'Why'])
    const value = request.fields.text('reason')
    const reason = field({ name: 'reason', label, value, more: { maxlength: String(REASON_MAX) } }, errors)
    const ask = html`${reason}<button class="second">${say(['Proposer', 'Propose'])}</button>`
    const no = say(['Non : deux personnes décident.', 'No: two people decide.'])
    return panel(title, html`<p>${no}</p>${rule}${may && form(request, `${to}/propose`, ask)}`)
  }
  const by = (person: string, moment: Date) => `${person}, ${writeDate(moment, language)}`
  const facts = rows([
    { name: say(['La personne', 'The person']), value: terms.person },
    { name: say(['Pourquoi', 'Why']), value: terms.reason },
    { name: say(['Proposé par', 'Proposed by']), value: by(terms.proposed_by, terms.proposed_at) },
    terms.confirmed_at !== null && {
      name: say(['Confirmé par', 'Confirmed by']),
      value: by(terms.confirmed_by!, terms.confirmed_at),
    },
  ])
  const confirm =
    terms.confirmed_at === null &&
    form(request, `${to}/confirm`, html`<button>${say(['Confirmer', 'Confirm'])}</button>`, { class: 'acts' })
  const end = form(request, `${to}/end`, html`<button class="stop">${say(['Retirer', 'Withdraw'])}</button>`, {
    class: 'acts',
  })
  const state =
    terms.confirmed_at === null
      ? note('care', null, say(['Attend une deuxième personne de l’équipe.', 'Waits for a second person of the team.']))
      : note('plain', null, say(['Permis.', 'Allowed.']))
  return panel(title, html`${state}${facts}${rule}${may && html`${confirm}${end}`}`)
}

function waitingPanel(request: Request, to: string, waiting: readonly SoloApproval[]): Html {
  const { say, at, can } = request
  const title = say(['Ce qui attend son jour', 'What waits for its day'])
  const more = html`<a href="${at('/merchants/single-person')}">${say(['De tous les marchands', 'Of all merchants'])}</a>`
  if (waiting.length === 0) return panel(title, html`<p class="soft">${say(['Rien.', 'Nothing.'])}</p>`, { more })
  const table = list<SoloApproval>({
    caption: title,
    rows: waiting,
    size: 'few',
    columns: [
      { ...subjectColumn<SoloApproval>(request), kind: 'k' },
      { title: say(['Par', 'By']), kind: '', label: say(['Par', 'By']), cell: ({ approved_by }) => approved_by },
      effectColumn(request),
      {
        title: say(['Arrêter', 'Stop']),
        kind: 's',
        cell: ({ subject_id }) => can('payouts.stop') && stopForm(request, to, subject_id),
      },
    ],
  })
  return panel(title, table, { flush: true, more })
}

function stopForm(request: Request, to: string, subject_id: string): Html {
  const subject = hiddenField('subject', subject_id)
  const stop = html`<button class="stop small">${request.say(['Arrêter', 'Stop'])}</button>`
  return form(request, `${to}/stop`, html`${subject}${stop}`, { class: 'inline' })
}
