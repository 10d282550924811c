import { randomUUID } from 'node:crypto'
import { defineEffect } from '../../platform/commands/effects.ts'
import type { Tx } from '../../platform/postgres/database.ts'
import { defineJob, enqueue } from '../../platform/queue/jobs.ts'
import { type Notice, noticeKinds, noticeNames } from './notice.ts'

/** An event with its identifier: told once to each person, however often its job runs. */
export type NoticeJob = Notice & { readonly notice_id: string }

export const noticeJob = defineJob<NoticeJob>('address-notice', 'upkeep')

/**
 * Where a job of a notice stands in the queue. A mail server that does not answer holds up no other job; a crowd of news holds up nothing
 * about somebody's own account; and merchants, or else the persons concerned, take turns.
 */
export function placeOf({ name, about, to = [] }: Notice): { partition_key: string; owner: string } {
  const partition_key = noticeKinds[noticeNames[name]].right === null ? 'mail-security' : 'mail'
  return { partition_key, owner: about === undefined ? to.join() : String(about.merchant_id) }
}

/** Has people told of an event once its transaction has committed. It waits for nobody, and a mail that fails changes nothing. */
export function notify(tx: Tx, notice: Notice): void {
  notifyAll(tx, [notice])
}

/** The same as an effect of a decision. */
export const tellPeople = defineEffect<Notice>('job', notifyAll)

function notifyAll(tx: Tx, notices: readonly Notice[]): void {
  enqueue(
    tx,
    noticeJob,
    notices.map((notice) => ({ payload: { ...notice, notice_id: randomUUID() }, ...placeOf(notice) })),
  )
}
