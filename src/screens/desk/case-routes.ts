import { type Resolution, resolutions } from '../../anomalies/anomaly.ts'
import { decideResolution } from '../../anomalies/decide-resolution.ts'
import { openAnomaly } from '../../anomalies/open-anomaly.ts'
import { type ProposeResult, proposeResolution } from '../../anomalies/propose-resolution.ts'
import { type ActScreenDeps, deskAct } from '../../console/acts/act-screen.ts'
import type { FieldError } from '../../console/forms.ts'
import { quoted } from '../../console/say.ts'
import { absent, defineDeskScreen, moved, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import { askOperator } from '../../operators/doubts/ask-operator.ts'
import type { Conclusions } from '../../operators/doubts/conclude-by-hand.ts'
import type { Registry } from '../../operators/routing/registry.ts'
import type { Clock } from '../../platform/clock.ts'
import { html } from '../../platform/http/html.ts'
import { drawAmount } from '../../platform/http/pages/write-values.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { readFrancs, readLine } from '../../values/read-typed.ts'
import { type CaseFile, readCase, standingOf } from './case-facts.ts'
import { caseView, proposalInWords, titleOfCase } from './case-view.ts'
import { riskWords, tooEarly, whyNotDecided, whyNotOpened, whyNotProposed } from './resolution-words.ts'

export type CaseDeps = { sql: Sql; clock: Clock; registry: Registry; conclusions: Conclusions }
type Request = ScreenRequest<'desk'>

const REASON_MAX = 500

/** A doubt or an anomaly with its evidence. */
export const getCase = defineDeskScreen<CaseDeps>({
  method: 'GET',
  path: '/cases/:id',
  operation: 'deskCase',
  summary: 'Read a doubt or an anomaly with its evidence',
  right: 'cases.read',
  handle: (request, deps) => withCase(request, deps, async (file) => caseView(request, file, deps.clock.now())),
})

/** Asks the operator now. An inquiry moves no money. */
export const postAskOperator = deskAct(askOperator, {
  path: '/cases/:id/ask',
  back: ({ at, params }) => at(`/cases/${params.id}`),
  done: ({ params }) => `/cases/${params.id}?done=operator_asked`,
  again: (request, deps: CaseDeps & ActScreenDeps, errors) =>
    withCase(request, deps, (file) => caseViewRefused(request, deps, file, errors)),
})

/** Opens an anomaly about an operation in doubt, so that two people can end it. */
export const postOpenAnomaly = defineDeskScreen<CaseDeps>({
  method: 'POST',
  path: '/cases/:id/open',
  operation: 'deskOpenAnomaly',
  summary: 'Open an anomaly about an operation in doubt',
  right: 'cases.decide',
  handle: (request, deps) =>
    withCase(request, deps, async (file) => {
      const { say, fields, actor } = request
      if (file.doubt === null) return absent
      const reason = readLine(fields.text('reason'), REASON_MAX)
      if (reason === null) return refused(request, deps, file, 'reason', say(reasonMissing))
      const result = await openAnomaly(deps, file.doubt.instruction.subject_id, { reason, opened_by: actor })
      if (result.kind === 'opened') return moved(request.at(`/cases/${result.anomaly_id}?done=opened`))
      return refused(request, deps, file, 'reason', say(whyNotOpened[result.code]))
    }),
})

/** Proposes how to close an anomaly. No money moves until another person decides. */
export const postProposeResolution = defineDeskScreen<CaseDeps>({
  method: 'POST',
  path: '/cases/:id/propose',
  operation: 'deskProposeResolution',
  summary: 'Propose a resolution of an anomaly',
  right: 'cases.decide',
  handle: (request, deps) =>
    withCase(request, deps, async (file) => {
      const { say, actor } = request
      if (file.anomaly === null) return absent
      const read = readProposal(request)
      if ('errors' in read) return caseViewRefused(request, deps, file, read.errors)
      const result = await proposeResolution(deps, file.anomaly.id, { ...read, proposed_by: actor })
      if (result.kind === 'proposed') return moved(request.at(`/cases/${file.id}?done=proposed`))
      const why =
        result.code === 'too_early' ? say(tooEarly, { minutes: result.minutes }) : say(whyNotProposed[result.code])
      return refused(request, deps, file, fieldOf(result), why)
    }),
})

/** Carries out another person's proposal, with a fresh factor for exactly this one. */
export const postApproveResolution = defineDeskScreen<CaseDeps>({
  method: 'POST',
  path: '/cases/:id/approve',
  query: ['proposal'],
  operation: 'deskApproveResolution',
  summary: 'Carry out a proposed resolution, as the second of two people',
  right: 'cases.decide',
  async confirm(request, deps) {
    const file = await readCase(deps.sql, request.livemode, request.params.id ?? '', request.actor.person)
    if (file === null) return absent
    const standing = standingOf(file)
    if (standing === null || standing.id !== seenIn(request))
      return refused(request, deps, file, 'main', request.say(whyNotDecided.not_proposed))
    const { say, at } = request
    const { id: proposal_id, resolution, amount, of_merchant_id, reason, proposed_by } = standing
    const sum = amount ?? file.doubt?.instruction.amount ?? null
    return {
      kind: 'confirm',
      subject: file.id,
      content: { anomaly_id: file.id, proposal_id, resolution, amount, of_merchant_id, reason, proposed_by },
      title: titleOfCase(file, request),
      back: at(`/cases/${file.id}`),
      shown: html`<h1>${sum === null ? titleOfCase(file, request) : drawAmount(sum)}</h1><p class="say">${file.merchant !== null && `${file.merchant} · `}${proposalInWords(file, standing, say)}</p><p>${say(quoted, { text: reason })}</p><p class="soft">${say(riskWords[resolution])}</p>`,
    }
  },
  handle: (request, deps) => decide(request, deps, true),
})

/** Refuses another person's proposal. The anomaly stays open, and no money moves. */
export const postDisputeResolution = defineDeskScreen<CaseDeps>({
  method: 'POST',
  path: '/cases/:id/dispute',
  query: ['proposal'],
  operation: 'deskDisputeResolution',
  summary: 'Refuse a proposed resolution',
  right: 'cases.decide',
  handle: (request, deps) => decide(request, deps, false),
})

/** Reads the proposal that the page showed, so that a person never decides a newer, unseen one. */
function seenIn({ query }: Request): string {
  return query.get('proposal') ?? ''
}

function decide(request: Request, deps: CaseDeps, approve: boolean): Promise<ScreenAnswer> {
  return withCase(request, deps, async (file) => {
    if (file.anomaly === null) return absent
    const decision = { approve, decided_by: request.actor, proposal_id: seenIn(request) }
    const result = await decideResolution(deps, file.anomaly.id, decision)
    if (result.kind === 'refused') return refused(request, deps, file, 'main', request.say(whyNotDecided[result.code]))
    return moved(request.at(`/cases/${file.id}?done=${approve ? 'resolved' : 'disputed'}`))
  })
}

async function withCase(
  request: Request,
  { sql }: CaseDeps,
  act: (file: CaseFile) => Promise<ScreenAnswer>,
): Promise<ScreenAnswer> {
  const file = await readCase(sql, request.livemode, request.params.id ?? '', request.actor.person)
  return file === null ? absent : act(file)
}

/** Shows the current case with the reason of a refusal above it, and all typed text. */
function refused(request: Request, deps: CaseDeps, file: CaseFile, at: string, text: string): Promise<ScreenAnswer> {
  return caseViewRefused(request, deps, file, [{ field: at, text }])
}

async function caseViewRefused(request: Request, deps: CaseDeps, file: CaseFile, errors: readonly FieldError[]) {
  const now = (await readCase(deps.sql, request.livemode, file.id, request.actor.person)) ?? file
  return caseView(request, now, deps.clock.now(), errors)
}

const reasonMissing = [
  'Écrivez pourquoi, sur une ligne de 500 caractères au plus.',
  'Write why, on a line of 500 characters at most.',
] as const

type Typed = { resolution: Resolution; amount: number | null; of_merchant_id: number | null; reason: string }

function readProposal({ fields, say }: Request): Typed | { errors: FieldError[] } {
  const errors: FieldError[] = []
  const resolution = resolutions.find((known) => known === fields.text('resolution'))
  if (resolution === undefined)
    errors.push({ field: 'resolution', text: say(['Choisissez ce qu’il faut faire.', 'Choose what to do.']) })
  const typed = fields.text('amount')
  const amount = typed === '' ? null : readFrancs(typed)
  if (typed !== '' && amount === null)
    errors.push({
      field: 'amount',
      text: say(['Écrivez un montant entier, comme 25 000.', 'Write a whole amount, such as 25 000.']),
    })
  const merchant = fields.text('merchant')
  const of_merchant_id = merchant === '' ? null : readFrancs(merchant)
  if (merchant !== '' && of_merchant_id === null)
    errors.push({
      field: 'merchant',
      text: say(['Le numéro d’un marchand est un nombre.', 'The number of a merchant is a number.']),
    })
  const reason = readLine(fields.text('reason'), REASON_MAX)
  if (reason === null) errors.push({ field: 'reason', text: say(reasonMissing) })
  if (errors.length > 0 || resolution === undefined || reason === null) return { errors }
  return { resolution, amount, of_merchant_id, reason }
}

function fieldOf({ code }: Extract<ProposeResult, { kind: 'refused' }>): string {
  if (code === 'amount_needed' || code === 'amount_not_taken') return 'amount'
  if (code === 'merchant_needed' || code === 'merchant_not_taken' || code === 'unknown_merchant') return 'merchant'
  return 'resolution'
}
