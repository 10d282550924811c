import { doorRoutes } from '../console/door-routes.ts'
import { webRoutes } from './routes.ts'

/** Parameters that open something for everybody who reads the address: a page, an invitation, a question of the simulator, or the ear for a callback. */
const SECRETS: ReadonlySet<string> = new Set(['token', 'reference'])

/**
 * The beginnings of addresses that are secrets, for the logs of proxies: each up to the secret, with `*` for a part that anybody may know. They
 * come from the routes, so that a new one cannot be forgotten.
 */
export const secretPaths: readonly string[] = [
  ...new Set([...webRoutes, ...doorRoutes].flatMap(({ path }) => secretPrefix(path) ?? [])),
].sort()

/** Returns the beginning of a route's path up to its secret. Null when it has none. */
export function secretPrefix(path: string): string | null {
  const parts = path.split('/')
  const at = parts.findIndex((part) => part.startsWith(':') && SECRETS.has(part.slice(1)))
  if (at === -1) return null
  return `${parts
    .slice(0, at)
    .map((part) => (part.startsWith(':') ? '*' : part))
    .join('/')}/`
}
