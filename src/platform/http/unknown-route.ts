import FindMyWay from 'find-my-way'
import { type Answer, refusalAnswer } from './refusal.ts'

/** The answer of a path to methods that it does not take. */
export type RefusedPath = {
  path: string
  /** The methods of other routes that no route has here. */
  methods: string[]
  answer: Answer
}

/** Returns each path with the methods that other routes take and it does not, and the answer to them. */
export function refusedMethods(routes: readonly { readonly method: string; readonly path: string }[]): RefusedPath[] {
  const everywhere = [...new Set(routes.map(({ method }) => method))]
  return [...Map.groupBy(routes, ({ path }) => path)].map(([path, group]) => {
    const taken = group.map(({ method }) => method).sort()
    const answer = refusalAnswer({ status: 405, code: 'method_not_allowed', headers: { Allow: taken.join(', ') } })
    return { path, methods: everywhere.filter((method) => !taken.includes(method)), answer }
  })
}

/**
 * Creates the search for the path of a request whose method no route takes. HTTP has thirty such methods: routes for each of them at each
 * path would take a tenth of the time of a start.
 * @returns null for an address that no route has
 */
export function findPaths(paths: readonly RefusedPath[], maxParamLength: number) {
  const router = FindMyWay({ maxParamLength })
  for (const { path, answer } of paths) router.on('GET', path, () => {}, { answer })
  return (url: string): { params: Readonly<Record<string, string>>; answer: Answer } | null => {
    const found = router.find('GET', url)
    const answer = (found?.store as { answer: Answer } | null | undefined)?.answer
    return answer === undefined ? null : { params: found!.params as Record<string, string>, answer }
  }
}
