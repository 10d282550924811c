import type { Roles } from '../run-roles.ts'

/** One of the processes of a service. */
export type Share = {
  /** In the log and the figures. */
  name: string
  roles: Roles
  /** It does nothing but answer requests, and no other of those that are started with it answers any. */
  answers_alone: boolean
}

/**
 * `auto` never starts more than this. Four have up to 46 connections to the database, of the hundred that PostgreSQL gives by
 * default, and what more of them bring has not been measured.
 */
const AUTO_MAX = 4

/** No machine serves from more, and a number with a digit too many should not start a thousand. */
export const PROCESSES_MAX = 64

/**
 * What stands for `--processes` when nobody says it: on a server of one's own as many as suit its cores, so that the API and
 * the worker have one each. A laptop with the embedded database is served by one, which is ready sooner and takes a third of
 * the memory; and who divides by `--only` does so by their own count.
 */
export function usualProcesses({ embedded, only }: { embedded: boolean; only: 'api' | 'worker' | undefined }): string {
  return embedded || only !== undefined ? '1' : 'auto'
}

/** What `--processes` says. Null: neither `auto` nor a number from 1 to 64. */
export function readProcesses(text: string): number | 'auto' | null {
  if (text === 'auto') return 'auto'
  const count = Number(text)
  return /^\d{1,2}$/.test(text) && count >= 1 && count <= PROCESSES_MAX ? count : null
}

/**
 * What each process does. One does everything there is to do; of more, the smaller half answers requests and the larger half
 * works behind them, because more is done for a payment after its answer than before.
 * @param asked how many; `auto`: as many as there are cores, four at most, and one for requests unless counts are shared
 * @param roles that there are to share out
 * @param counts_shared whether processes count limits together; otherwise a second one for requests lets twice as many pass
 */
export function divide(
  asked: number | 'auto',
  { roles, cores, counts_shared }: { roles: Roles; cores: number; counts_shared: boolean },
): [Share, ...Share[]] {
  const auto = asked === 'auto'
  const count = auto ? Math.min(cores, AUTO_MAX) : asked
  const for_requests = (most: number) => (auto && !counts_shared ? Math.min(1, most) : most)
  if (!roles.worker) return numbered('api', for_requests(count))
  if (!roles.api) return numbered('worker', count)
  if (count === 1) return [{ name: 'all', roles, answers_alone: false }]
  const api = for_requests(Math.floor(count / 2))
  return [...numbered('api', api), ...numbered('worker', auto ? Math.ceil(count / 2) : count - api)]
}

function numbered(role: keyof Roles, count: number): [Share, ...Share[]] {
  const roles = { api: role === 'api', worker: role === 'worker' }
  const answers_alone = roles.api && count === 1
  const named = (number: number): Share => ({ name: `${role}-${number}`, roles, answers_alone })
  return [named(1), ...Array.from({ length: count - 1 }, (_, at) => named(at + 2))]
}
