import { backLink, note, pageHead, panel, rows } from '../../console/components.ts'
import { errorList, type FieldError, field, form } from '../../console/forms.ts'
import { list } from '../../console/list.ts'
import type { Words } from '../../console/say.ts'
import {
  absent,
  type Confirmation,
  defineDeskScreen,
  moved,
  type ScreenAnswer,
  type ScreenRequest,
} from '../../console/screen.ts'
import { tenantIn } from '../../console/tenant-in.ts'
import { readMerchantName } from '../../merchants/store.ts'
import {
  confirmSinglePerson,
  endSinglePerson,
  proposeSinglePerson,
  type SinglePersonChanged,
} from '../../payouts/alone/allow-single-person.ts'
import { type StoppedAlone, stopAlone } from '../../payouts/alone/approve-alone.ts'
import { readSoloApprovals, readTerms, type SinglePersonTerms, type SoloApproval } from '../../payouts/alone/store.ts'
import { findHolders } from '../../people/find-persons.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeDate } from '../../platform/http/pages/write-values.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { readLine } from '../../values/read-typed.ts'
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

/** Proposes to allow it, as the first of two staff members. */
export const postProposeSinglePerson = act('propose', {
  operation: 'deskProposeSinglePerson',
  summary: 'Propose that the only person of a merchant decides alone, a day later',
  title: ['Laisser décider seul', 'Let decide alone'],
  says: [
    'Sa seule personne approuvera ses propres envois, lots et clés, chaque fois 24 heures plus tard. Une deuxième personne de l’équipe confirme.',
    'Its only person will approve their own payouts, batches and keys, 24 hours later each time. A second person of the team confirms.',
  ],
  run: (sql, merchant_id, { actor }, reason) => proposeSinglePerson(sql, { merchant_id, reason }, actor),
})

/** Confirms the proposal, as the second. */
export const postConfirmSinglePerson = act('confirm', {
  operation: 'deskConfirmSinglePerson',
  summary: 'Confirm that the only person of a merchant decides alone, a day later',
  title: ['Confirmer : décider seul', 'Confirm: decide alone'],
  says: [
    'À partir de maintenant sa seule personne approuve ses propres envois, lots et clés, chaque fois 24 heures plus tard.',
    'From now on its only person approves their own payouts, batches and keys, 24 hours later each time.',
  ],
  run: (sql, merchant_id, { actor }) => confirmSinglePerson(sql, merchant_id, actor),
})

/** Ends the permission at once, by one person, because the ordinary rule of two people then applies. */
export const postEndSinglePerson = defineDeskScreen<Deps>({
  method: 'POST',
  path: '/merchants/:id/single-person/end',
  operation: 'deskEndSinglePerson',
  summary: 'End the terms under which the only person of a merchant decides alone',
  right: 'merchants.manage',
  async handle(request, { sql }) {
    const tenant = tenantIn(request)
    if (tenant === null) return absent
    await endSinglePerson(sql, tenant.merchant_id, request.actor)
    return moved(request.at(`/merchants/${tenant.merchant_id}/single-person?done=stopped`))
  },
})

/** Stops one approval before its effect. */
export const postStopAlone = defineDeskScreen<Deps>({
  method: 'POST',
  path: '/merchants/:id/single-person/stop',
  operation: 'deskStopAlone',
  summary: 'Stop an approval of one person before it takes effect',
  right: 'payouts.stop',
  async handle(request, deps) {
    const tenant = tenantIn(request)
    if (tenant === null) return absent
    const done = await stopAlone(deps.sql, { ...tenant, subject_id: request.fields.text('subject') }, request.actor)
    if (done.kind === 'refused') return show(request, deps, done.code)
    return moved(request.at(`/merchants/${tenant.merchant_id}/single-person?done=stopped`))
  },
})

export const singlePersonScreens = [
  getAloneList,
  getSinglePerson,
  postProposeSinglePerson,
  postConfirmSinglePerson,
  postEndSinglePerson,
  postStopAlone,
] as const

type Declared = {
  operation: string
  summary: string
  title: Words
  says: Words
  run: (sql: Sql, merchant_id: number, request: Request, reason: string) => Promise<SinglePersonChanged>
}

function act(verb: 'propose' | 'confirm', { operation, summary, title, says, run }: Declared) {
  return defineDeskScreen<Deps>({
    method: 'POST',
    path: `/merchants/:id/single-person/${verb}`,
    operation,
    summary,
    right: 'merchants.manage',
    async confirm(request, deps): Promise<Confirmation | ScreenAnswer> {
      const { say, at } = request
      const tenant = tenantIn(request)
      const name = tenant === null ? null : await readMerchantName(deps.sql, tenant.merchant_id)
      if (tenant === null || name === null) return absent
      const { merchant_id } = tenant
      const [terms, holders] = await Promise.all([
        readTerms(deps.sql, merchant_id),
        findHolders(deps.sql, merchant_id, 'payouts.approve'),
      ])
      const reason = verb === 'propose' ? readLine(request.fields.text('reason'), REASON_MAX) : (terms?.reason ?? null)
      if (reason === null) return show(request, deps, verb === 'propose' ? 'no_reason' : 'nothing_to_confirm')
      return {
        kind: 'confirm',
        subject: String(merchant_id),
        content: {
          merchant_id,
          act: verb,
          reason,
          person: terms?.person ?? holders,
          proposed_by: terms?.proposed_by ?? null,
        },
        title: say(title),
        back: at(`/merchants/${merchant_id}/single-person`),
        shown: html`<h1>${say(title)}</h1><p class="say">${name}</p><p>${say(says)}</p>${rows([
          { name: say(['La personne', 'The person']), value: terms?.person ?? holders.join(', ') },
          { name: say(['Pourquoi', 'Why']), value: reason },
        ])}`,
      }
    },
    async handle(request, deps) {
      const tenant = tenantIn(request)
      if (tenant === null) return absent
      const reason = readLine(request.fields.text('reason'), REASON_MAX) ?? ''
      const done = await run(deps.sql, tenant.merchant_id, request, reason)
      if (done.kind === 'refused') return show(request, deps, done.code)
      return moved(request.at(`/merchants/${tenant.merchant_id}/single-person?done=saved`))
    },
  })
}

type Fault =
  | Extract<SinglePersonChanged, { kind: 'refused' }>['code']
  | Extract<StoppedAlone, { kind: 'refused' }>['code']
  | 'no_reason'

const faultWords: Readonly<Record<Fault, Words>> = {
  no_reason: ['Dites pourquoi, en une ligne.', 'Say why, in one line.'],
  not_alone: [
    'Il faut qu’une seule personne y puisse approuver. Ici il n’y en a aucune, ou plusieurs.',
    'One person alone must be able to approve there. Here there is none, or several.',
  ],
  another_person: [
    'Ce n’est plus la seule personne pour qui c’était proposé. Retirez la proposition, et proposez de nouveau.',
    'It is no longer the only person for whom it was proposed. Take the proposal away, and propose again.',
  ],
  already_open: ['C’est déjà proposé ou permis.', 'It is proposed or allowed already.'],
  nothing_to_confirm: ['Rien n’attend d’être confirmé.', 'Nothing waits to be confirmed.'],
  took_effect: [
    'Trop tard : l’accord a déjà pris effet. Cherchez la demande ou la clé pour voir où cela en est.',
    'Too late: the approval has taken effect already. Look the request or the key up to see how it stands.',
  ],
  nothing_waits: [
    'Rien n’est changé : cet accord n’attendait plus.',
    'Nothing is changed: this approval waited no more.',
  ],
  same_person: [
    'Vous l’avez proposé, ou vous avez fait entrer qui l’a proposé depuis moins de 90 jours : une autre personne confirme.',
    'You proposed it, or let in within 90 days the person who did: another person confirms.',
  ],
}

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
  const title = say(['Décider seul', 'Decide alone'])
  const errors: FieldError[] =
    fault === null ? [] : [{ field: fault === 'no_reason' ? 'reason' : 'main', text: say(faultWords[fault]) }]
  const main = html`${backLink(back, name)}${pageHead({ title, lead: say(['Pour un marchand d’une seule personne', 'For a merchant of one person']) })}${errorList(say, errors)}
<div class="stack">${termsPanel(request, `${back}/single-person`, { terms, errors })}${waitingPanel(request, `${back}/single-person`, waiting)}</div>`
  return {
    kind: 'view',
    ...(fault !== null && { status: 409 }),
    title,
    main,
    facts: { terms, waiting, people: holders.length, error: fault && { code: fault } },
  }
}

function termsPanel(
  request: Request,
  to: string,
  { terms, errors }: { terms: SinglePersonTerms | null; errors: FieldError[] },
): Html {
  const { say, language, can } = request
  const title = say(['La permission', 'The permission'])
  const may = can('merchants.manage')
  const rule = html`<p class="hint">${say(['Son accord prend effet 24 heures plus tard, et s’arrête entre-temps. Dès qu’une deuxième personne peut approuver, la règle des deux personnes revient.', 'Their approval takes effect 24 hours later, and can be stopped meanwhile. As soon as a second person may approve, the rule of two people is back.'])}</p>`
  if (terms === null) {
    const label = say(['Pourquoi', 'Why'])
    const value = request.fields.text('reason')
    const ask = html`${field({ name: 'reason', label, value, more: { maxlength: String(REASON_MAX) } }, errors)}<button class="second">${say(['Proposer', 'Propose'])}</button>`
    return panel(
      title,
      html`<p>${say(['Non : deux personnes décident.', 'No: two people decide.'])}</p>${rule}${may && form(request, `${to}/propose`, ask)}`,
    )
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
        cell: ({ subject_id }) =>
          can('payouts.stop')
            ? form(
                request,
                `${to}/stop`,
                html`<input type="hidden" name="subject" value="${subject_id}"><button class="stop small">${say(['Arrêter', 'Stop'])}</button>`,
                { class: 'inline' },
              )
            : '',
      },
    ],
  })
  return panel(title, table, { flush: true, more })
}
