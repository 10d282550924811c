import { lapsingWaitingActs } from '../acts/lapse-acts.ts'
import { lapseProposals } from '../acts/lapse-proposals.ts'
import { lapsingAdjustments } from '../adjustments/decide-adjustment.ts'
import { lapsingResolutions } from '../anomalies/lapse-resolution.ts'
import { lapsingDestinations } from '../beneficiaries/lapse-destination.ts'
import { lapsingCaps } from '../payouts/caps/decide-cap-proposal.ts'
import { notify } from '../people/notices/notify.ts'
import { STAFF } from '../people/person.ts'
import { readEffectiveRoles } from '../people/store.ts'
import type { Clock } from '../platform/clock.ts'
import type { Config } from '../platform/config.ts'
import type { Log } from '../platform/log.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { lapsingReconciled } from '../reconciliation/decide-proposal.ts'

/** Every kind of proposal that one person makes and another decides. The list of those without an end is in `acts/README.md`. */
const kinds = [
  lapsingWaitingActs,
  lapsingReconciled,
  lapsingAdjustments,
  lapsingResolutions,
  lapsingCaps,
  lapsingDestinations,
]

type Deps = {
  readonly sql: Sql
  readonly clock: Clock
  readonly log: Log
  readonly config: Pick<Config, 'proposal_days'>
}

/** Makes the sweep that ends proposals which nobody decided in time, and tells the people who made them. */
export function createLapseProposals({ sql, clock, log, config: { proposal_days } }: Deps): () => Promise<number> {
  return () =>
    lapseProposals(
      {
        ...{ sql, clock, log, proposal_days },
        async tell(tx, { id, merchant_id, livemode, proposed_by }, act) {
          const roles = await readEffectiveRoles(tx, proposed_by, merchant_id)
          const is_staff = merchant_id === STAFF || roles.some((role) => role.merchant_id === STAFF)
          notify(tx, {
            name: 'proposal_lapsed',
            about: { merchant_id: is_staff ? STAFF : merchant_id, livemode },
            // The desk finds a proposal by its id; the console has no page of one.
            ...(is_staff && { subject: id }),
            to: [proposed_by],
            facts: { act, days: String(proposal_days) },
          })
        },
      },
      kinds,
    )
}
