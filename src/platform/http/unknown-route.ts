import { METHODS } from 'node:http'
import { type Answer, refusalAnswer } from './refusal.ts'

/** Every method that a request can have. CONNECT never becomes one. */
export const everyMethod: readonly string[] = METHODS.filter((method) => method !== 'CONNECT')

/** Of each path, the methods that no route there takes, and the answer to them. */
export function refusedMethods(
  routes: readonly { readonly method: string; readonly path: string }[],
): { path: string; methods: string[]; answer: Answer }[] {
  return [...Map.groupBy(routes, ({ path }) => path)].map(([path, group]) => {
    const taken = group.map(({ method }) => method).sort()
    const answer = refusalAnswer({ status: 405, code: 'method_not_allowed', headers: { Allow: taken.join(', ') } })
    return { path, methods: everyMethod.filter((method) => !taken.includes(method)), answer }
  })
}
