/**
 * The servers that a URL names, each as a URL of its own. One may be written after the other as PostgreSQL's own programs
 * take them: `postgres://user@one:5432,two:5432/name?target_session_attrs=read-write`. What applies to which of them is
 * ours to know, so that `target_session_attrs` is left out.
 * @throws TypeError when one of them is no address
 */
export function serversIn(url: string): string[] {
  const [, scheme = '', user = '', hosts = '', rest = ''] = PARTS.exec(url) ?? []
  return hosts.split(',').map((host) => {
    const one = new URL(`${scheme}${user}${host}${rest}`)
    one.searchParams.delete('target_session_attrs')
    return one.href
  })
}

/** Scheme, who calls, hosts with their ports, and the rest. */
const PARTS = /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^/?#]*)(.*)$/s

/** Which of its servers a URL asks for; we only know those that take writes. */
export function asksForWrites(url: string): boolean {
  const asked = new URL(`postgres://server${PARTS.exec(url)?.[4] ?? ''}`).searchParams.get('target_session_attrs')
  return asked === null || asked === 'read-write' || asked === 'primary'
}

/** `db.example:5432`, or the folder of a socket; of several servers, all. Never who calls, nor the database's name. */
export function addressOf(url: string): string {
  return serversIn(url)
    .map((one) => {
      const { hostname, port, searchParams } = new URL(one)
      return hostname === '' ? (searchParams.get('host') ?? 'this machine') : `${hostname}:${port || '5432'}`
    })
    .join(', ')
}
