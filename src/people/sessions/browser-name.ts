/** The name of a browser for people, from its `User-Agent`. Null: the header names none. */
export function browserName(user_agent: string): string | null {
  const known = [/Edg/, /OPR|Opera/, /SamsungBrowser/, /Firefox/, /Chrome/, /Safari/]
  const names = ['Edge', 'Opera', 'Samsung', 'Firefox', 'Chrome', 'Safari']
  const at = known.findIndex((pattern) => pattern.test(user_agent))
  const system = /Android|iPhone|Windows|Mac OS|Linux/.exec(user_agent)?.[0]
  return [names[at], system].filter(Boolean).join(' · ') || null
}
