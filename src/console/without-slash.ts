import type { IncomingMessage } from 'node:http'
import type { Answer } from '../platform/http/refusal.ts'
import { consoleHeaders } from './answers.ts'
import type { ConsoleFrame } from './console-frame.ts'
import type { ScreenDoor } from './screen.ts'

/** A page's address with trailing slashes. Its parts are between single slashes, so that the rest never names another host. */
const slashed = /^(\/(console|desk)(?:\/[\w.~-]+)*)\/+$/

/**
 * Redirects from an address of the console or the desk with a trailing slash, as people type it, to the one without, with the headers of a
 * page. Null for any other address, and for methods other than GET and HEAD.
 */
export function leadWithoutSlash(
  { method, url = '' }: Pick<IncomingMessage, 'method' | 'url'>,
  { originOf }: Pick<ConsoleFrame, 'originOf'>,
): Answer | null {
  if (method !== 'GET' && method !== 'HEAD') return null
  const at = url.indexOf('?')
  const [, path, door] = slashed.exec(at < 0 ? url : url.slice(0, at)) ?? []
  if (path === undefined) return null
  const query = at < 0 ? '' : url.slice(at)
  const Location = /^[\x21-\x7e]*$/.test(query) ? `${path}${query}` : path
  const secure = originOf(door as ScreenDoor).startsWith('https:')
  return { status: 308, body: '', error_code: null, headers: { ...consoleHeaders(secure), Location } }
}
