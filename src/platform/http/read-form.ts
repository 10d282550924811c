import { parseStrictJson } from './strict-json.ts'

/** The fields of a form by name, for the handler to validate. A browser sends texts; a program may send any JSON value. */
export type Form = { readonly written_as: 'json' | 'urlencoded'; readonly fields: Readonly<Record<string, unknown>> }

/** Reads a form from a browser, or as JSON by the rules of every body. Null: it is neither, or cannot be read. */
export function readForm(body: Buffer, contentType: string | undefined): Form | null {
  if (isJsonType(contentType)) {
    const read = parseStrictJson(body)
    if (read.kind === 'refused' || typeof read.judged !== 'object' || read.judged === null) return null
    return Array.isArray(read.judged) ? null : { written_as: 'json', fields: read.judged as Form['fields'] }
  }
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(contentType ?? '')) return null
  return { written_as: 'urlencoded', fields: Object.fromEntries(new URLSearchParams(body.toString('utf8'))) }
}

/** Whether a `Content-Type` says JSON, whatever parameters follow it. */
export function isJsonType(contentType: string | undefined): boolean {
  return /^application\/json\s*(?:;|$)/i.test(contentType ?? '')
}
