import type { Waits } from '../../acts/proposal.ts'
import { type ActScreenDeps, deskAct } from '../../console/acts/act-screen.ts'
import { absent } from '../../console/screen.ts'
import { tenantIn } from '../../console/tenant-in.ts'
import { decideCheck, proposeCheck, withdrawCheck } from '../../merchant-files/check-merchant.ts'
import { html } from '../../platform/http/html.ts'
import { proposalPaths } from '../desk/case-words.ts'
import { proposalScreens } from '../desk/proposal-screens.ts'
import { type MerchantDeps, readMerchantFile } from './merchant-facts.ts'
import { merchantView } from './merchant-view.ts'

const path = proposalPaths['merchant_check.propose']

const postCheck = deskAct<unknown, Waits, MerchantDeps & ActScreenDeps>(proposeCheck, {
  path: '/merchants/:id/check',
  back: ({ at, params }) => at(`/merchants/${params.id}`),
  // The limits, and hence the proposal, are of live mode.
  done: ({ params, livemode }, { proposal_id }) =>
    livemode ? `${path}/${proposal_id}?done=proposed` : `/merchants/${params.id}?done=proposed`,
  async again(request, deps, errors) {
    const tenant = tenantIn(request)
    const file = tenant === null ? null : await readMerchantFile(deps, tenant)
    return file === null ? absent : merchantView(request, file, { now: deps.clock.now(), errors })
  },
})

/** The check of a merchant, on the page of its second person. */
const proposedChecks = proposalScreens<ActScreenDeps>(
  { ...decideCheck, withdraw: withdrawCheck },
  {
    acts: ['merchant_check.propose'],
    path,
    operation: 'deskProposedCheck',
    summary: 'Read the check of a merchant that waits for a second person',
    otherRole: ['La conformité décide.', 'Compliance decides.'],
    made: (merchant_id) => `/merchants/${merchant_id}`,
    below: ({ say, at }, { merchant_id }) =>
      html`<p><a href="${at(`/merchants/${merchant_id}/file`)}">${say(['Lire son dossier', 'Read its file'])}</a></p>`,
  },
)

export const checkScreens = [postCheck, ...proposedChecks] as const
