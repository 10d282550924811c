import { execFileSync } from 'node:child_process'

/** The account for Debian's PostgreSQL programs, for `spawn`, because they refuse to run as root. */
export function postgresAccount(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const number = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }))
  return { uid: number('-u'), gid: number('-g') }
}
