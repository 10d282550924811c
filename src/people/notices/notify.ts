import { randomUUID } from 'node:crypto'
import { machineMilliseconds } from '../../platform/clock.ts'
import { defineEffect } from '../../platform/commands/effects.ts'
import type { Tx } from '../../platform/postgres/database.ts'
import { defineJob, enqueue } from '../../platform/queue/jobs.ts'
import { type Notice, noticeKinds, noticeNames } from './notice.ts'

/** An event with its identifier, so that each person gets one mail, however often the job runs. */
export type NoticeJob = Notice & {
  readonly notice_id: string
  /** The time of the event, in milliseconds since 1970. Absent: an older process added the job. */
  readonly noticed_at?: number
}

export const noticeJob = defineJob<NoticeJob>('address-notice', 'upkeep')

/**
 * The partition and the owner of a notice's job. The partition keeps a slow mail server or push service from delaying other jobs, and many notices from
 * delaying those about a person's own account. The owners, merchants or otherwise the persons concerned, take turns.
 */
export function placeOf(
  { name, about, to = [] }: Notice,
  way: 'notices' | 'mail' | `push-${string}`,
): { partition_key: string; owner: string } {
  const partition_key = noticeKinds[noticeNames[name]].right === null ? `${way}-security` : way
  return { partition_key, owner: about === undefined ? to.join() : String(about.merchant_id) }
}

/** Notifies people of an event once its transaction has committed. A failed mail changes nothing. */
export function notify(tx: Tx, notice: Notice): void {
  notifyAll(tx, [notice])
}

/** The same, as an effect of a decision. */
export const tellPeople = defineEffect<Notice>('job', notifyAll)

function notifyAll(tx: Tx, notices: readonly Notice[]): void {
  enqueue(
    tx,
    noticeJob,
    notices.map((notice) => ({
      payload: { ...notice, notice_id: randomUUID(), noticed_at: machineMilliseconds() },
      ...placeOf(notice, 'notices'),
    })),
  )
}
