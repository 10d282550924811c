import { panel } from '../../console/components.ts'
import { decideBar, type FieldError, field, form } from '../../console/forms.ts'
import { readLine } from '../../console/read-typed.ts'
import { quoted, type Words } from '../../console/say.ts'
import {
  absent,
  defineDeskScreen,
  moved,
  type ScreenAnswer,
  type ScreenRequest,
  type ScreenView,
} from '../../console/screen.ts'
import { capWords } from '../../console/words.ts'
import { readMerchantName } from '../../merchants/store.ts'
import type { CapProposal } from '../../payouts/caps/cap-proposal.ts'
import { type CapDecided, decideCapProposal } from '../../payouts/caps/decide-cap-proposal.ts'
import { readCapProposal, readWaitingCapProposals } from '../../payouts/caps/find-proposals.ts'
import { readCapsInUse, type UsualLimits } from '../../payouts/caps/read-caps.ts'
import { capStanding, capUse, wantedCap } from '../../payouts/console/cap-parts.ts'
import { canDecideOn } from '../../people/second-person.ts'
import type { Clock } from '../../platform/clock.ts'
import { html } from '../../platform/http/html.ts'
import { writeAmount } from '../../platform/http/pages/write-values.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { personName } from './case-words.ts'
import { actOn, proposalSection, readAround, subjectPage } from './subject-page.ts'
import { waitingListView } from './waiting-list.ts'

export type CapDeps = { sql: Sql; clock: Clock; payoutCaps: UsualLimits }
type Request = ScreenRequest<'desk'>

const withProposal = actOn(readCapProposal)

/** Higher caps that wait for a staff member, oldest first. */
export const getDeskCaps = defineDeskScreen<CapDeps>({
  method: 'GET',
  path: '/caps',
  operation: 'deskCaps',
  summary: 'Read the higher caps that wait for a staff member',
  right: 'cases.read',
  menu: { group: 'clients', icon: 'gear', words: ['Plafonds à relever', 'Caps to raise'], count: 'to_raise' },
  async handle(request, deps) {
    const { say, livemode } = request
    const proposals = await readWaitingCapProposals(deps.sql, livemode)
    return waitingListView(request, deps, {
      path: '/caps',
      title: say(['Plafonds à relever', 'Caps to raise']),
      none: {
        title: say(['Aucun plafond n’attend', 'No cap waits']),
        text: say([
          'Un marchand le demande dans sa console, ou la conformité sur la page du marchand.',
          'A merchant requests one in its console, or compliance on the page of the merchant.',
        ]),
      },
      rows: proposals.map(({ cap, proposed_at, ...row }) => ({
        ...row,
        under: say(capWords[cap]),
        since: proposed_at,
      })),
      facts: { proposals },
    })
  },
})

export const getDeskCap = defineDeskScreen<CapDeps>({
  method: 'GET',
  path: '/caps/:id',
  operation: 'deskCap',
  summary: 'Read the request for a higher cap',
  right: 'cases.read',
  handle: (request, deps) => withProposal(request, deps, (proposal) => capView(request, deps, proposal)),
})

/** Confirms a higher cap, with a fresh factor for exactly this one. */
export const postApproveCap = defineDeskScreen<CapDeps>({
  method: 'POST',
  path: '/caps/:id/approve',
  operation: 'deskApproveCap',
  summary: 'Confirm a higher cap',
  right: 'caps.confirm',
  confirm: (request, deps) =>
    withProposal(request, deps, async (proposal) => {
      const { id, cap, amount, reason, merchant_id, status } = proposal
      if (status !== 'proposed') return capView(request, deps, proposal, [fault(request, 'already_decided')])
      const [name, caps] = await Promise.all([
        readMerchantName(deps.sql, merchant_id),
        readCapsInUse(deps.sql, proposal, deps.payoutCaps),
      ])
      return {
        kind: 'confirm',
        subject: id,
        content: { id, merchant_id, cap, amount, reason, in_force: caps[cap] },
        title: request.say(['Relever un plafond', 'Raise a cap']),
        back: request.at(`/caps/${id}`),
        shown: wantedCap(request, { cap, amount, inForce: caps[cap], name: name ?? '', waits: false, above: null }),
      }
    }),
  handle: (request, deps) => decide(request, deps, null),
})

/** Refuses a higher cap, with a reason that the merchant reads. */
export const postRefuseCap = defineDeskScreen<CapDeps>({
  method: 'POST',
  path: '/caps/:id/refuse',
  operation: 'deskRefuseCap',
  summary: 'Refuse a higher cap, with a reason for the merchant',
  right: 'caps.confirm',
  async handle(request, deps) {
    const reason = readLine(request.fields.text('refusal'), 500)
    if (reason !== null) return decide(request, deps, reason)
    const text = request.say(['Dites pourquoi : le marchand le lit.', 'Say why: the merchant reads it.'])
    return withProposal(request, deps, (proposal) => capView(request, deps, proposal, [{ field: 'refusal', text }]))
  },
})

const whyNot: Readonly<Record<Exclude<Extract<CapDecided, { kind: 'refused' }>['code'], 'resource_not_found'>, Words>> =
  {
    already_decided: ['Déjà décidé.', 'Decided already.'],
    same_person: [
      'Vous l’avez proposé, ou vous avez fait entrer qui l’a proposé depuis moins de 90 jours : une autre personne décide.',
      'You proposed it, or let in within 90 days the person who did: another person decides.',
    ],
  }

const endedWords = {
  decided: ['Décidé par {name}.', 'Decided by {name}.'],
  superseded: ['{name} a changé ce plafond entre-temps.', '{name} changed this cap meanwhile.'],
} as const

function fault({ say }: Request, code: keyof typeof whyNot): FieldError {
  return { field: 'main', text: say(whyNot[code]) }
}

function decide(request: Request, deps: CapDeps, refusal_reason: string | null): Promise<ScreenAnswer> {
  return withProposal(request, deps, async ({ id }) => {
    const result = await decideCapProposal(deps.sql, id, { refusal_reason, by: request.actor })
    if (result.kind === 'decided')
      return moved(request.at(`/caps/${id}?done=${refusal_reason === null ? 'confirmed' : 'declined'}`))
    if (result.code === 'resource_not_found') return absent
    return capView(request, deps, (await readCapProposal(deps.sql, id))!, [fault(request, result.code)])
  })
}

async function capView(
  request: Request,
  { sql, payoutCaps }: CapDeps,
  proposal: CapProposal,
  errors: readonly FieldError[] = [],
): Promise<ScreenView> {
  const { say, at, can, actor, fields } = request
  const { id, merchant_id, cap, amount, reason, status, proposed_by, decided_by, refusal_reason } = proposal
  const [around, caps] = await Promise.all([
    readAround(sql, proposal, [proposed_by, decided_by], actor.person),
    readCapsInUse(sql, proposal, payoutCaps),
  ])
  const { merchant, names } = around
  const open = status === 'proposed'
  const independent = canDecideOn(around.reader, [proposed_by])
  const deciding = open && can('caps.confirm') && independent
  const why =
    !open || deciding
      ? null
      : can('caps.confirm')
        ? say(whyNot.same_person)
        : say(['La conformité décide.', 'Compliance decides.'])
  const bar =
    deciding &&
    decideBar(
      request,
      { to: '#refuse', words: say(['Refuser', 'Decline']), asks: true },
      { to: at(`/caps/${id}/approve`), words: say(['Confirmer', 'Confirm']) },
    )
  const refusing =
    deciding &&
    panel(
      say(['Refuser', 'Decline']),
      form(
        request,
        at(`/caps/${id}/refuse`),
        html`${field({ name: 'refusal', label: say(['Pourquoi', 'Why']), hint: say(['Le marchand le lit.', 'The merchant reads it.']), value: fields.text('refusal'), more: { maxlength: '500' } }, errors)}<button class="stop">${say(['Refuser', 'Decline'])}</button>`,
      ),
      { id: 'refuse' },
    )
  const ended =
    decided_by !== null &&
    html`<p class="soft">${say(endedWords[status === 'superseded' ? 'superseded' : 'decided'], { name: personName(decided_by, names, say) })}${refusal_reason !== null && ` ${say(quoted, { text: refusal_reason })}`}</p>`
  const title = say(capWords[cap])
  const inUse = panel(say(['En vigueur', 'In force']), capUse(request, caps), {
    more: can('merchants.read') && html`<a href="${at(`/merchants/${merchant_id}`)}">${merchant}</a>`,
  })
  return subjectPage(request, id, around, errors, {
    back: { to: '/caps', words: say(['Plafonds à relever', 'Caps to raise']) },
    title,
    standing: capStanding(proposal, say),
    amount: { said: `${title}${say([' : ', ': '])}`, francs: amount },
    line: html`${merchant} · ${title}. ${open && say(['Aujourd’hui {sum}.', 'Today {sum}.'], { sum: writeAmount(caps[cap]) })}`,
    slip: html`${proposalSection(request, around, { proposed_by, reason, ended, why })}${bar}`,
    below: refusing,
    beside: inUse,
    open,
    facts: { proposal, merchant, caps },
    deciding,
  })
}

export const deskCapScreens = [getDeskCaps, getDeskCap, postApproveCap, postRefuseCap] as const
