import { Readable } from 'node:stream'
import Busboy from '@fastify/busboy'
import { type FormFields, fieldsOf, type SentFile } from './read-fields.ts'

/** Fields beside the file, and bytes of each: no form of ours has more. */
const LIMITS = { fields: 200, fieldSize: 16_384, files: 1, parts: 210 } as const

/**
 * Reads a form that brings a file. Null: it is none, or cannot be read. The bytes are as the browser sent them; whoever uses them judges
 * what they are, never the name or the type that came with them.
 */
export async function readFileForm(body: Buffer, contentType: string | undefined): Promise<FormFields | null> {
  if (contentType === undefined || !/^multipart\/form-data\s*;/i.test(contentType)) return null
  const pairs: [string, string][] = []
  let file: SentFile | null = null
  try {
    const reader = new Busboy.Busboy({ headers: { 'content-type': contentType }, limits: LIMITS })
    reader.on('field', (name, value) => pairs.push([name, value]))
    reader.on('file', (_field, stream, name) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      // A form whose file was not chosen brings an empty one without a name.
      stream.on('end', () => {
        if (name) file = { name: name.slice(0, 200), bytes: Buffer.concat(chunks) }
      })
    })
    const read = new Promise<void>((resolve, reject) => {
      reader.on('finish', resolve)
      reader.on('error', reject)
    })
    Readable.from([body]).pipe(reader)
    await read
  } catch {
    return null
  }
  return fieldsOf(pairs, file)
}
