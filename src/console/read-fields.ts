import type { IncomingHttpHeaders } from 'node:http'
import { isCleanText } from '../platform/http/strict-json.ts'

/** The most bytes of a form without files. */
export const FORM_MAX_BYTES = 131_072

/** The most characters of a field. A longer one counts as absent, so that the form asks again. */
export const FIELD_MAX = 16_000

/** A file as a browser sent it. Its name is not to be trusted. */
export type SentFile = { readonly name: string; readonly bytes: Buffer }

/** The fields of a form that a browser sent. The handler judges their text. */
export type FormFields = {
  /** Returns a field, trimmed. Empty when it is absent, too long, or has control characters other than line breaks. */
  text(name: string): string
  /** Returns a password, a code or a passkey's answer unchanged. */
  secret(name: string): string
  /** Returns all values of one name. */
  all(name: string): readonly string[]
  /** Returns the fields that a refused form shows again, or that wait for a sign-in. Secrets, whose names begin with `secret_`, are left out. */
  entries(): readonly (readonly [name: string, value: string])[]
  /** Returns a file of the form. Null when none was chosen. */
  file(name: string): SentFile | null
}

function fieldsOf(
  pairs: readonly (readonly [string, string])[],
  files: ReadonlyMap<string, SentFile> = new Map(),
): FormFields {
  const values = new Map<string, string[]>()
  for (const [name, value] of pairs) {
    const known = values.get(name)
    if (known === undefined) values.set(name, [value])
    else known.push(value)
  }
  const all = (name: string) => (values.get(name) ?? []).map(clean)
  return {
    all,
    text: (name) => all(name)[0] ?? '',
    secret: (name) => (values.get(name)?.[0] ?? '').slice(0, FIELD_MAX),
    entries: () => pairs.filter(([name]) => !name.startsWith('secret_')),
    file: (name) => files.get(name) ?? null,
  }
}

export const noFields = fieldsOf([])

/** Whether a browser sent a form without files. */
export function isPlainForm(contentType: string | undefined): boolean {
  return /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(contentType ?? '')
}

/** Reads the form of a browser. Null when the body is no form. */
export function readFields(body: Buffer, contentType: string | undefined): FormFields | null {
  if (!isPlainForm(contentType)) return null
  return fieldsOf([...new URLSearchParams(body.toString('utf8'))])
}

/** The most fields and files of a form; a screen needs a handful. */
const PARTS_MAX = 20
/** The most bytes of a part's headers: its name and the name of a file. */
const HEAD_MAX = 2_048

/**
 * Reads a form with files (multipart/form-data), or without. The caller has read the body within its screen's limit. Null when the body is no
 * form, or would take long to read: a file of that size does not, but as many fields do.
 */
export async function readUpload(body: Buffer, contentType: string | undefined): Promise<FormFields | null> {
  if (!/^multipart\/form-data\s*;/i.test(contentType ?? '')) {
    return body.length > FORM_MAX_BYTES ? null : readFields(body, contentType)
  }
  if (!hasFewParts(body, contentType!)) return null
  const parts = await new Response(new Uint8Array(body), { headers: { 'Content-Type': contentType! } })
    .formData()
    .catch(() => null)
  if (parts === null) return null
  const pairs: [string, string][] = []
  const files = new Map<string, SentFile>()
  for (const [name, value] of parts) {
    if (typeof value === 'string') pairs.push([name, value])
    // An empty file field comes as a file without name and bytes.
    else if (value.name !== '') files.set(name, { name: value.name, bytes: Buffer.from(await value.arrayBuffer()) })
  }
  return fieldsOf(pairs, files)
}

/** Whether a form has at most `PARTS_MAX` parts with short headers, before somebody parses them all. */
function hasFewParts(body: Buffer, contentType: string): boolean {
  const boundary = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType)
  const mark = Buffer.from(`--${boundary?.[1] ?? boundary?.[2] ?? ''}`)
  let at = body.indexOf(mark)
  for (let parts = 0; at !== -1; parts += 1) {
    const head = body.indexOf('\r\n\r\n', at)
    // Behind the last part comes the mark once more, without headers.
    if (parts > PARTS_MAX || (head !== -1 && head - at > HEAD_MAX)) return false
    at = body.indexOf(mark, at + mark.length)
  }
  return true
}

function clean(value: string): string {
  const text = value.replaceAll('\r\n', '\n')
  return text.length <= FIELD_MAX && isCleanText(text.replace(/[\n\t]/g, ' ')) ? text.trim() : ''
}

/** Reads the form of a request. A request without a body has no fields. Null when the body is no form. @param upload whether it may have files */
export async function readForm(
  { body, headers }: { readonly body: Buffer | null | undefined; readonly headers: IncomingHttpHeaders },
  upload: boolean,
): Promise<FormFields | null> {
  if (body === undefined || body === null) return noFields
  return upload ? readUpload(body, headers['content-type']) : readFields(body, headers['content-type'])
}
