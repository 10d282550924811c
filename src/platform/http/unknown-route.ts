import { pathOf } from './exchanges.ts'
import { type Answer, refusalAnswer } from './refusal.ts'

/** Tells an address that does not exist from one that does but does not take the method. */
export type KnownPaths = {
  /** `path` in the router's form: `:name` for one segment, `*` for anything. */
  add(method: string, path: string): void
  /** The answer to a request that no route takes. */
  answer(method: string, url: string): Answer
}

export function createKnownPaths(): KnownPaths {
  const methodsByPath = new Map<string, { pattern: RegExp; methods: Set<string> }>()
  return {
    add(method, path) {
      const known = methodsByPath.get(path) ?? { pattern: patternOf(path), methods: new Set() }
      methodsByPath.set(path, known)
      known.methods.add(method)
    },
    answer(method, url) {
      const path = decoded(pathOf(url))
      const methods = new Set<string>()
      for (const known of methodsByPath.values()) {
        if (known.pattern.test(path)) for (const taken of known.methods) methods.add(taken)
      }
      // A plain handler that takes the method may still find nothing under the address, a file for instance.
      if (methods.size === 0 || methods.has(method)) return refusalAnswer({ status: 404, code: 'resource_not_found' })
      return refusalAnswer({
        status: 405,
        code: 'method_not_allowed',
        headers: { Allow: [...methods].sort().join(', ') },
      })
    },
  }
}

function patternOf(path: string): RegExp {
  const source = path
    .split(/(:\w+|\*)/)
    .map((part) => (part === '*' ? '.*' : part.startsWith(':') ? '[^/]+' : RegExp.escape(part)))
    .join('')
  return new RegExp(`^${source}$`)
}

/** As the router reads it: `%2D` is a dash, and the scheme and host of an absolute address are not part of the path. */
function decoded(path: string): string {
  try {
    return decodeURI(path).replace(/^https?:\/\/[^/]*/i, '')
  } catch {
    return path
  }
}
