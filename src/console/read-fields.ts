import { isCleanText } from '../platform/http/strict-json.ts'

/** Characters of a field at most; a longer one is as if it were not there, and the form asks for it again. */
const FIELD_MAX = 16_000

/** The fields of a form that a browser sent. A field holds what a person typed, for the handler to judge. */
export type FormFields = {
  /** Without the spaces around it; empty when it is absent, too long or holds control characters. Line breaks are text. */
  text(name: string): string
  /** A password, a code or a passkey's answer, as it was typed. */
  secret(name: string): string
  /** Each value of the boxes of one name. */
  all(name: string): readonly string[]
  /** Those that a refused form shows again, or that wait for a sign-in. Never a secret: those fields begin with `secret_`. */
  entries(): readonly (readonly [name: string, value: string])[]
}

function fieldsOf(pairs: readonly (readonly [string, string])[]): FormFields {
  const all = (name: string) => pairs.filter(([known]) => known === name).map(([, value]) => clean(value))
  return {
    all,
    text: (name) => all(name)[0] ?? '',
    secret: (name) => (pairs.find(([known]) => known === name)?.[1] ?? '').slice(0, FIELD_MAX),
    entries: () => pairs.filter(([name]) => !name.startsWith('secret_')),
  }
}

export const noFields = fieldsOf([])

/** Reads the form of a browser. Null: it is none. */
export function readFields(body: Buffer, contentType: string | undefined): FormFields | null {
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(contentType ?? '')) return null
  return fieldsOf([...new URLSearchParams(body.toString('utf8'))])
}

function clean(value: string): string {
  const text = value.replaceAll('\r\n', '\n')
  return text.length <= FIELD_MAX && isCleanText(text.replace(/[\n\t]/g, ' ')) ? text.trim() : ''
}
