import { absent, defineConsoleScreen, moved } from '../../console/screen.ts'
import { batchWaits } from '../../payout-batches/decide-batch.ts'
import { ALONE_HOURS, approveAlone, requestWaits, stopAlone } from '../../payouts/alone/approve-alone.ts'
import { html } from '../../platform/http/html.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { type AskFirstDeps, askAboutSame, isAsking } from '../ask-first.ts'
import { readAlone, stopWord } from './alone-part.ts'
import { confirmationOf } from './confirmation.ts'
import { readBatchFacts } from './read-batch.ts'
import { type ReadDeps, readRequestFacts } from './read-request.ts'
import { isSettled } from './settled-view.ts'
import { findApproval, showApproval } from './show-approval.ts'
import { readNames } from './waiting.ts'

const postApproveAlone = defineConsoleScreen<ReadDeps & AskFirstDeps>({
  method: 'POST',
  path: '/approvals/:id/approve-alone',
  operation: 'approvePayoutAlone',
  summary: 'Approve a payout of one’s own key, or a batch of one’s own, as the only person of a merchant, a day ahead',
  right: 'payouts.approve',
  async confirm(request, deps) {
    const { tenant, say } = request
    const approval = await findApproval(request, deps)
    if (approval === null) return absent
    const { row } = approval
    if (isSettled(approval)) return showApproval(request, deps, approval, { tried: 'approve' })
    const { may, last, expiring } = await readAlone(deps.sql, request, approval)
    if (!may || last?.ended_at === null) return moved(request.at(`/approvals/${row.id}`))
    if (expiring !== null) return showApproval(request, deps, approval, { refused: 'expires_first' })
    const [facts, names] = await Promise.all([
      approval.kind === 'request' ? readRequestFacts(deps, approval.row) : readBatchFacts(deps, approval.row),
      readNames(deps.sql, tenant),
    ])
    const same = await askAboutSame(deps, request, 'lines' in facts ? facts.lines : [facts.request])
    if (isAsking(same)) return showApproval(request, deps, approval, { refused: 'asking_operator' })
    const asked = confirmationOf(request, approval, { ...facts, asked: same }, names)
    const later = say(['Prend effet dans 24 heures.', 'Takes effect in 24 hours.'])
    return {
      ...asked,
      content: { ...asked.content, act: 'approve_alone', hours: ALONE_HOURS },
      shown: html`${asked.shown}<p><b>${later}</b></p>`,
    }
  },
  async handle(request, deps) {
    const approval = await findApproval(request, deps)
    if (approval === null) return absent
    const { id: subject_id } = approval.row
    const waits = approval.kind === 'request' ? requestWaits : batchWaits
    const done = await approveAlone(deps.sql, { ...request.tenant, subject_id }, request.actor, waits)
    if (done.kind === 'approved') return moved(request.at(`/approvals/${subject_id}?done=approved_alone`))
    const now = await findApproval(request, deps)
    return now === null ? absent : showApproval(request, deps, now, { tried: 'approve', refused: done.code })
  },
})

/** Stops an approval. It needs no fresh factor, because no money moves. */
const postStopAlone = defineConsoleScreen<{ sql: Sql }>({
  method: 'POST',
  path: '/approvals/:id/stop-alone',
  operation: 'stopPayoutAlone',
  summary: 'Stop an approval of one person before it takes effect',
  right: 'payouts.approve',
  async handle(request, { sql }) {
    const subject_id = request.params.id ?? ''
    if (!/^po[rb]_[0-9a-z]{26}$/.test(subject_id)) return absent
    const done = await stopAlone(sql, { ...request.tenant, subject_id }, request.actor)
    return moved(request.at(`/approvals/${subject_id}?done=${stopWord(done)}`))
  },
})

export const aloneScreens = [postApproveAlone, postStopAlone] as const
