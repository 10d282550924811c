import { askOperatorJob, carryOutJob, sendCollectionsJob, simulatorCallbackJob } from '../operators/jobs.ts'
import { type BoundJob, bindJob } from '../platform/queue/worker.ts'
import { deliverJob, deliverNewJob } from '../webhooks/jobs.ts'
import type { Work } from './work.ts'

/** Every kind of job, bound to what carries it out. */
export function boundJobs(work: Work): BoundJob[] {
  return [
    bindJob(sendCollectionsJob, work.sendCollections),
    bindJob(carryOutJob, ({ instructions }) => work.carryOut(instructions)),
    bindJob(askOperatorJob, ({ instructions }) => work.askOperator(instructions)),
    bindJob(simulatorCallbackJob, work.simulatorCallBack),
    bindJob(deliverJob, work.deliver),
    bindJob(deliverNewJob, work.deliverNew),
  ]
}
