/** The first bytes of a ZIP archive, such as a workbook. */
const ZIP = Buffer.from('PK\x03\x04', 'latin1')

/** The first bytes of Microsoft's compound file: a workbook from before 2007, or the envelope of one with a password. */
const COMPOUND = Buffer.from('d0cf11e0a1b11ae1', 'hex')

/** The part of such an envelope that has the encrypted workbook ([MS-OFFCRYPTO] 2.3.4). */
const ENCRYPTED = Buffer.from('EncryptedPackage', 'utf16le')

/** Tells a workbook by its bytes, whatever its name says. Null for any other file. */
export function workbookIn(bytes: Buffer): 'xlsx' | 'old_excel' | 'with_password' | null {
  if (bytes.subarray(0, ZIP.length).equals(ZIP)) return 'xlsx'
  if (!bytes.subarray(0, COMPOUND.length).equals(COMPOUND)) return null
  return bytes.includes(ENCRYPTED) ? 'with_password' : 'old_excel'
}
