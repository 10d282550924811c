import { ZipReader } from './workbook/read-zip.ts'

/** A form of file that we name and do not read. */
export type OtherForm =
  | 'old_excel'
  | 'with_password'
  | 'ods'
  | 'numbers'
  | 'xlsb'
  | 'xml_workbook'
  | 'google_shortcut'
  | 'pdf'
  | 'html'
  | 'mt940'
  | 'camt'
  | 'xml'
  | 'zip'
  | 'archive'
  | 'image'
  | 'document'

const beginsWith = (bytes: Buffer, hex: string) => bytes.subarray(0, hex.length / 2).equals(Buffer.from(hex, 'hex'))

/** The first bytes of Microsoft's compound file: a workbook from before 2007, or the envelope of one with a password. */
const COMPOUND = 'd0cf11e0a1b11ae1'

/** The part of such an envelope that has the encrypted workbook ([MS-OFFCRYPTO] 2.3.4). */
const ENCRYPTED = Buffer.from('EncryptedPackage', 'utf16le')

/** The bytes of a damaged archive in which names are looked for. */
const DAMAGED_LOOKED_AT = 1024 * 1024

/** The characters in which a text says its form. */
const LOOKED_AT = 4_096

const binary: readonly (readonly [hex: string, form: OtherForm])[] = [
  ['89504e47', 'image'],
  ['ffd8ff', 'image'],
  ['47494638', 'image'],
  ['49492a00', 'image'],
  ['4d4d002a', 'image'],
  ['1f8b08', 'archive'],
  ['526172211a07', 'archive'],
  ['377abcaf271c', 'archive'],
]

const texts: readonly (readonly [RegExp, OtherForm])[] = [
  [/^%PDF-/, 'pdf'],
  [/^\{\\rtf/, 'document'],
  [/^\{[^}]*docs\.google\.com/, 'google_shortcut'],
  [/^(?:\{1:F01|:20:)|^:60[FM]:/m, 'mt940'],
  [/^<.*(?:camt\.05[234]|<BkToCstmr)/s, 'camt'],
  [/^<.*(?:progid="Excel\.Sheet"|urn:schemas-microsoft-com:office:spreadsheet)/s, 'xml_workbook'],
  [/^<.*opendocument.*spreadsheet/s, 'ods'],
  [/^<(?:.*<)?(?:!doctype html|html|head|body|table|meta|style)\b/is, 'html'],
  [/^<\?xml/, 'xml'],
]

/** Tells the form of a file by its bytes, whatever its name says. Null for a table of text, or what may be one. */
export function fileFormOf(bytes: Buffer): 'xlsx' | OtherForm | null {
  if (beginsWith(bytes, '504b0304') || beginsWith(bytes, '504b0506')) return formInArchive(bytes)
  if (beginsWith(bytes, COMPOUND)) return bytes.includes(ENCRYPTED) ? 'with_password' : 'old_excel'
  const known = binary.find(([hex]) => beginsWith(bytes, hex))
  if (known !== undefined) return known[1]
  // A text in UTF-16 has a zero beside each sign.
  const head = bytes
    .toString('latin1', 0, LOOKED_AT)
    .replace(/\0/g, '')
    .replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, '')
    .trimStart()
  return texts.find(([is]) => is.test(head))?.[1] ?? null
}

/**
 * Tells the form of an archive by the names in its directory, and a document by its first file, which says its kind. The archive, which may have 128
 * MB, never becomes a text. A damaged one may be a workbook.
 */
function formInArchive(bytes: Buffer): 'xlsx' | OtherForm {
  const listed = ZipReader.open(bytes)?.names()
  const damaged = () => bytes.toString('latin1', 0, DAMAGED_LOOKED_AT).toLowerCase().replaceAll('\\', '/')
  const names = listed === undefined ? damaged() : listed.join('\n')
  const head = bytes.toString('latin1', 0, LOOKED_AT).toLowerCase()
  if (/mimetype.{0,64}application\/vnd\.oasis\.opendocument/s.test(head)) {
    return head.includes('opendocument.spreadsheet') ? 'ods' : 'document'
  }
  if (names.includes('xl/workbook.bin')) return 'xlsb'
  if (names.includes('index/document.iwa') || names.includes('index.zip')) return 'numbers'
  if (names.includes('xl/')) return 'xlsx'
  if (names.includes('word/') || names.includes('ppt/')) return 'document'
  const isOther = listed !== undefined || names.includes('pk\x01\x02')
  return isOther && !names.includes('[content_types].xml') ? 'zip' : 'xlsx'
}
