import { watchedActJob } from '../audit-log/watched-acts.ts'
import {
  lookAgainJob,
  queryOperatorJob,
  recheckPayoutsJob,
  sendCollectionsJob,
  sendInstructionsJob,
  simulatorCallbackJob,
} from '../operators/sending/jobs.ts'
import { checkLinesJob } from '../payout-batches/check-batch.ts'
import { tellOfStopJob } from '../payouts/tell-of-stop.ts'
import { noticeJob } from '../people/notices/notify.ts'
import { mailJob } from '../people/notices/send-notices.ts'
import { pushJob } from '../people/push/send-push.ts'
import { mailCodeJob } from '../people/sign-in/mail-code.ts'
import { type BoundJob, bindJob } from '../platform/queue/worker.ts'
import { assignLineJob } from '../reconciliation/differences/assign-to-merchant.ts'
import { deliverJob, deliverNewJob } from '../webhooks/jobs.ts'
import { postNoticeJob } from './rules/tell-of-rules.ts'
import type { Work } from './work.ts'

/** Binds every kind of job to its handler. */
export function boundJobs(work: Work): BoundJob[] {
  return [
    bindJob(sendCollectionsJob, work.sendGroup),
    bindJob(sendInstructionsJob, ({ instructions }) => work.sendPrepared(instructions)),
    bindJob(queryOperatorJob, ({ instructions }) => work.queryOperator(instructions)),
    bindJob(lookAgainJob, ({ instructions }) => work.lookAgain(instructions)),
    bindJob(recheckPayoutsJob, work.recheckPayouts),
    bindJob(tellOfStopJob, work.tellOfStop),
    bindJob(simulatorCallbackJob, work.simulatorCallBack),
    bindJob(assignLineJob, work.assignLine),
    bindJob(checkLinesJob, work.checkLines),
    bindJob(deliverJob, work.deliver),
    bindJob(deliverNewJob, work.deliverNew),
    bindJob(noticeJob, work.notices.address),
    bindJob(mailJob, work.notices.send),
    bindJob(pushJob, work.sendPush),
    bindJob(watchedActJob, work.tellOfAct),
    bindJob(mailCodeJob, work.sendMailCode),
    bindJob(postNoticeJob, work.postNotice),
  ]
}
