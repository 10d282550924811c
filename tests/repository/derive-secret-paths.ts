import { secretPaths } from '../../src/app/secret-paths.ts'

const FROM = /[Ss]ecret paths: derived[^\n]*\n/
const UP_TO = /[^\n]*end of secret paths/

/** Writes the secret paths into a file, between its marks. @throws when the marks are gone */
export function withSecretPaths(path: string, text: string): string {
  const begin = FROM.exec(text)
  const end = UP_TO.exec(text)
  if (begin === null || end === null) throw new Error(`${path} has lost the marks around its secret paths.`)
  return text.slice(0, begin.index + begin[0].length) + writers[path]!() + text.slice(end.index)
}

const named = secretPaths.map((path) => `\`${path}\``)
const sentence = () => `${named.slice(0, -1).join(', ')} and ${named.at(-1)}`

/** The files with secret paths, and the lines of each. */
const writers: Readonly<Record<string, () => string>> = {
  'docs/settings.md': () =>
    `A reverse proxy must not log the paths under ${sentence()}: anyone who reads one can use it.\n`,
  'docs/deploy.md': () =>
    `Keep the paths under ${sentence()} out of its log: anyone who reads one can open the page, take the account or claim an outcome.\n`,
  'deploy/nginx.conf': () => `map $request_uri $loggable {\n    ~${anyOf()} 0;\n    default 1;\n}\n`,
  'deploy/haproxy.cfg': () => `    acl secret path_reg ${anyOf()}\n`,
  'deploy/Caddyfile': () =>
    `\t# @secret path ${secretPaths.map((path) => `${path}*`).join(' ')}\n\t# log_skip @secret\n`,
}
export const filesWithSecretPaths = Object.keys(writers)

/** The regular expression of all of them, for nginx and HAProxy. */
const anyOf = () => `^(?:${secretPaths.map(pattern).join('|')})`

/** A path as a regular expression. */
function pattern(path: string): string {
  return path.replaceAll('*', '[^/]+')
}
