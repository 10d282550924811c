import type { ErrorCode } from '../../values/error-codes.ts'
import type { Invalid } from './field-checker.ts'

/** The parts of a route's declaration that can contradict one another. */
type Declared = {
  readonly method: string
  readonly path: string
  /** The prefixes of the ids of each path parameter. Null: any text. */
  readonly params: ReadonlyMap<string, readonly string[] | null>
  readonly idempotent: true | 'optional' | undefined
  readonly body: object | undefined
  readonly query: object | undefined
  readonly reads: string
  readonly invalid: Invalid
  readonly fault: ErrorCode
  readonly unreadable: ErrorCode
  readonly statuses: ReadonlyMap<ErrorCode, number>
}

/**
 * Refuses a declaration that contradicts itself.
 * @throws if a parameter is not in the path, a key cannot tell two requests apart, or a code that the route needs has no status
 */
export function refuseContradictions({ method, path, params, statuses, ...declared }: Declared): void {
  const { idempotent, body, query, reads, invalid, fault, unreadable } = declared
  const named = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!)
  if (named.sort().join() !== [...params.keys()].sort().join()) {
    throw new Error(`${method} ${path}: the parameters of the path are not those declared.`)
  }
  // The fingerprint covers only the operation and the body, so requests to two addresses with one body would pass for the same.
  if (params.size > 0 && idempotent !== undefined) {
    throw new Error(`${method} ${path}: an Idempotency-Key cannot tell apart two ids in the path.`)
  }
  const holdsIds = [...params.values()].some((prefixes) => prefixes !== null)
  const needed: ErrorCode[] = [
    fault,
    ...(holdsIds ? (['invalid_id'] as const) : []),
    ...(idempotent === undefined
      ? []
      : (['idempotency_key_required', 'idempotency_in_progress', 'idempotency_key_reused'] as const)),
    ...(body === undefined && reads === 'json' ? [] : [unreadable]),
    ...(body === undefined && query === undefined ? [] : [...codesOf(invalid)]),
  ]
  for (const code of needed) {
    if (!statuses.has(code)) throw new Error(`${method} ${path}: ${code} is not in the table of errors.`)
  }
}

/** Returns the constant codes, without those that a function chooses. */
function codesOf(invalid: Invalid): ErrorCode[] {
  return invalid === undefined ? [] : Object.values(invalid).filter((code) => typeof code === 'string')
}
