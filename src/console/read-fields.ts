import { isCleanText } from '../platform/http/strict-json.ts'

/** Characters of a field at most; a longer one is as if it were not there, and the form asks for it again. */
const FIELD_MAX = 16_000

/** A file as a browser sent it; its name is the sender's word. */
export type SentFile = { readonly name: string; readonly bytes: Buffer }

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
  /** A file of a form that sends files; null: none was chosen. */
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

/** Reads the form of a browser. Null: it is none. */
export function readFields(body: Buffer, contentType: string | undefined): FormFields | null {
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(contentType ?? '')) return null
  return fieldsOf([...new URLSearchParams(body.toString('utf8'))])
}

/** Fields and files of a form at most: a screen asks for a handful. */
const PARTS_MAX = 20

/**
 * Reads a form that sends files (multipart/form-data), or one that does not. The body is read already, and no longer than its screen takes.
 * Null: it is none, or has more parts than a form of ours.
 */
export async function readUpload(body: Buffer, contentType: string | undefined): Promise<FormFields | null> {
  if (!/^multipart\/form-data\s*;/i.test(contentType ?? '')) return readFields(body, contentType)
  const parts = await new Response(new Uint8Array(body), { headers: { 'Content-Type': contentType! } })
    .formData()
    .catch(() => null)
  if (parts === null) return null
  const pairs: [string, string][] = []
  const files = new Map<string, SentFile>()
  for (const [name, value] of parts) {
    if (pairs.length + files.size === PARTS_MAX) return null
    if (typeof value === 'string') pairs.push([name, value])
    // A field of files that nobody filled comes as one without a name and bytes.
    else if (value.name !== '') files.set(name, { name: value.name, bytes: Buffer.from(await value.arrayBuffer()) })
  }
  return fieldsOf(pairs, files)
}

function clean(value: string): string {
  const text = value.replaceAll('\r\n', '\n')
  return text.length <= FIELD_MAX && isCleanText(text.replace(/[\n\t]/g, ' ')) ? text.trim() : ''
}
