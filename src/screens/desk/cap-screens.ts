import type { ActScreenDeps } from '../../console/acts/act-screen.ts'
import { panel } from '../../console/components.ts'
import { quoted } from '../../console/say.ts'
import { capWords } from '../../console/words.ts'
import type { CapProposal } from '../../payouts/caps/cap-proposal.ts'
import { capRefusal, decideCapProposal } from '../../payouts/caps/decide-cap-proposal.ts'
import { readCapProposal, readWaitingCapProposals } from '../../payouts/caps/proposal-store.ts'
import { type CapsInForce, readCapsInUse, type UsualLimits } from '../../payouts/caps/read-caps.ts'
import { capStanding, capUse } from '../../payouts/console/cap-parts.ts'
import { html } from '../../platform/http/html.ts'
import { writeAmount } from '../../platform/http/pages/write-values.ts'
import { decisionScreens } from './decision-screens.ts'
import { endOfProposal } from './lapse-words.ts'

type Deps = ActScreenDeps & { payoutCaps: UsualLimits }
type InUse = CapsInForce & { readonly used: number }

/** Higher caps that wait for a staff member, and the page on which that person decides. */
export const deskCapScreens = decisionScreens<CapProposal, Deps, InUse>(decideCapProposal, {
  path: '/caps',
  operations: { list: 'deskCaps', page: 'deskCap' },
  summaries: { list: 'Read the higher caps that wait for a staff member', page: 'Read the request for a higher cap' },
  menu: { group: 'clients', icon: 'gear', words: ['Plafonds à relever', 'Caps to raise'], count: 'to_raise' },
  list: ['Plafonds à relever', 'Caps to raise'],
  back: ['Plafonds à relever', 'Caps to raise'],
  none: {
    title: ['Aucun plafond n’attend', 'No cap waits'],
    text: [
      'Un marchand le demande dans sa console, ou la conformité sur la page du marchand.',
      'A merchant requests one in its console, or compliance on the page of the merchant.',
    ],
  },
  otherRole: ['La conformité décide.', 'Compliance decides.'],
  title: ({ cap }, say) => say(capWords[cap]),
  read: readCapProposal,
  readWaiting: readWaitingCapProposals,
  facts: {
    list: (proposals) => ({ proposals }),
    page: (proposal, merchant, caps) => ({ proposal, merchant, caps }),
  },
  standing: capStanding,
  ended({ say }, { status, refusal_reason }, name) {
    const said =
      status === 'superseded'
        ? say(['{name} a changé ce plafond entre-temps.', '{name} changed this cap meanwhile.'], { name })
        : endOfProposal(say, { status }, name)
    return html`${said}${refusal_reason !== null && ` ${say(quoted, { text: refusal_reason })}`}`
  },
  reason: capRefusal,
  load: ({ sql, payoutCaps }, proposal) => readCapsInUse(sql, proposal, payoutCaps),
  line({ say }, { cap, status }, caps, { merchant }) {
    const today = status === 'proposed' && say(['Aujourd’hui {sum}.', 'Today {sum}.'], { sum: writeAmount(caps[cap]) })
    return html`${merchant} · ${say(capWords[cap])}. ${today}`
  },
  beside(request, { merchant_id }, caps, { merchant }) {
    const { say, at, can } = request
    const more = can('merchants.read') && html`<a href="${at(`/merchants/${merchant_id}`)}">${merchant}</a>`
    return panel(say(['En vigueur', 'In force']), capUse(request, caps), { more })
  },
})
