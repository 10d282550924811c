import type { CrashPoint } from '../../../src/platform/crash-point.ts'
import type { Installation } from '../../harness/installation.ts'

/** A moment at which the service dies, and the work that it dies of. */
export type Moment = {
  point: CrashPoint
  /** The pass on which the process dies. */
  time: number
  /** Such as `payouts`, for the title. */
  by: string
  /** Makes merchants, and all that the work needs, on the service at an address. */
  prepare(installation: Installation, address: string): Promise<Work>
}

export type Work = {
  /** Makes the requests until the process dies or all are made. */
  run(address: string): Promise<unknown>
  /** Checks on the next process that every request has its one answer. */
  confirm(address: string): Promise<unknown>
  /** Checks at the end, when nothing moves any more. */
  check(): Promise<void>
}
