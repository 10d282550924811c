import type { Words } from '../values/language.ts'

export const documentKinds = {
  rccm: ['RCCM', 'RCCM (trade register)'],
  tax: ['Impôts (NCC, DFE)', 'Tax (NCC, DFE)'],
  identity: ['Pièce d’identité', 'Identity card'],
  address: ['Justificatif d’adresse', 'Proof of address'],
  statutes: ['Statuts', 'Articles of association'],
  other: ['Autre document', 'Other document'],
} as const satisfies Readonly<Record<string, Words>>

export type DocumentKind = keyof typeof documentKinds

export type MerchantDocument = {
  readonly merchant_id: number
  readonly id: string
  readonly kind: DocumentKind
  /** The person or the thing that it is about. Null: it goes without saying. */
  readonly about: string | null
  readonly status: 'asked' | 'received' | 'checked' | 'refused' | 'erased'
  readonly asked_by: string
  readonly asked_at: Date
  readonly received_by: string | null
  readonly received_at: Date | null
  readonly file_type: FileType | null
  readonly bytes: number | null
  /** SHA-256 of the file. */
  readonly hash: Buffer | null
  /** The person who checked or refused it. */
  readonly decided_by: string | null
  readonly decided_at: Date | null
  /** The last valid day of a checked document, such as `2026-11-30`. Null: without an end. */
  readonly valid_until: string | null
  readonly refusal: string | null
  /** The person who erased the file of a refused document. The row stays. */
  readonly erased_by: string | null
  readonly erased_at: Date | null
  readonly erasure_reason: string | null
}

/** The state that people read: a checked document expires after its last valid day. */
export function stateOf(
  { status, valid_until }: Pick<MerchantDocument, 'status' | 'valid_until'>,
  now: Date,
): MerchantDocument['status'] | 'expired' {
  const today = now.toISOString().slice(0, 10)
  return status === 'checked' && valid_until !== null && valid_until < today ? 'expired' : status
}

/** The types of files, with their type on the wire. */
export const fileTypes = {
  pdf: 'application/pdf',
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
} as const

export type FileType = keyof typeof fileTypes

/** The most bytes of a file: 8 MB. */
export const DOCUMENT_MAX_BYTES = 8 * 1024 * 1024

export type FileRefusal = 'no_file' | 'too_large' | 'other_type' | 'cut_off'

/**
 * Tells the type of a file by its first bytes, whatever its name says, and whether its end is there. Nothing is decoded, so a file that unpacks to
 * gigabytes costs its own bytes only.
 */
export function judgeFile(bytes: Buffer): FileType | FileRefusal {
  if (bytes.length === 0) return 'no_file'
  if (bytes.length > DOCUMENT_MAX_BYTES) return 'too_large'
  const begins = (text: string, at = 0) => bytes.toString('latin1', at, at + text.length) === text
  const endsWith = (text: string, within: number) => bytes.subarray(-within).includes(Buffer.from(text, 'latin1'))
  if (begins('%PDF-')) return endsWith('%%EOF', 2_048) ? 'pdf' : 'cut_off'
  if (begins('\xff\xd8\xff')) return jpegEnds(bytes) ? 'jpeg' : 'cut_off'
  if (begins('\x89PNG\r\n\x1a\n')) return endsWith('IEND\xae\x42\x60\x82', bytes.length - 8) ? 'png' : 'cut_off'
  if (begins('RIFF') && begins('WEBP', 8)) return bytes.length >= bytes.readUInt32LE(4) + 8 ? 'webp' : 'cut_off'
  return 'other_type'
}

/** Whether a JPEG has its end. It is behind the first scan: the headers may hold a whole preview. Telephones append data of their own behind it. */
function jpegEnds(bytes: Buffer): boolean {
  // The headers are segments: a marker of two bytes, then a length of two bytes that counts itself.
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    const isScan = bytes[at + 1] === 0xda
    if (isScan) return bytes.includes(Buffer.of(0xff, 0xd9), at + 2 + bytes.readUInt16BE(at + 2))
  }
  return false
}
