import { randomUUID } from 'node:crypto'
import type { Asked } from '../contract/ask.ts'
import type { Service } from '../harness/start-service.ts'
import type { Load } from './load.ts'

// Of a service that was started with `--processes`: its children, as its log shows them.

export type Line = { pid: number; msg: string; process?: string; processes?: string[]; level: string }

/** All lines of the log so far. @throws when one of them is not JSON */
export function linesOf(service: Service): Line[] {
  const lines = service.output().split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line) as Line)
}

/** The process that bears this name now. */
export function pidOf(service: Service, name: string): number {
  return linesOf(service).findLast(({ process, msg }) => process === name && msg === 'process ready')!.pid
}

export function isGone(pid: number): boolean {
  try {
    return !process.kill(pid, 0)
  } catch {
    return true
  }
}

/** Answers that are the service's fault. A request that is repeated while it is worked on is told so, which is none. */
export function faultsOf({ answers }: Load): number[] {
  return [...answers.keys()].filter((status) => status >= 500)
}

/** A request for a payment that succeeds. */
export function payment(key: string): Asked {
  return { path: '/v1-payments', key, idempotency_key: randomUUID(), body: { amount: 1_000, simulate: 'succeed' } }
}
