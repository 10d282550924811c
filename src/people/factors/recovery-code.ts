import { randomBytes } from 'node:crypto'
import { sha256 } from '../../platform/digest.ts'
import { base32Bytes } from '../../values/ids.ts'

/** The number of codes in a set. Each works once. */
const CODES = 10
/** Random bytes of a code: 120 bits, 24 letters, enough to store a plain digest (ASVS 5, 6.5.2). */
const CODE_BYTES = 15

/** Makes ten new codes, as they are shown once: `k3mv-8w2p-…`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: CODES }, () => base32Bytes(randomBytes(CODE_BYTES)).match(/.{4}/g)!.join('-'))
}

/** Whether a text has the form of a recovery code: 24 letters, in any grouping. */
export function looksLikeRecoveryCode(code: string): boolean {
  return /^[0-9a-z]{24}$/.test(plain(code))
}

/** The hash of a code as typed, under which the code is stored. */
export function hashOfRecoveryCode(code: string): Buffer {
  return sha256(plain(code))
}

/** Maps similar letters to one: codes have no `o`, `i` or `l`. */
function plain(code: string): string {
  return code.toLowerCase().replace(/[\s-]/g, '').replaceAll('o', '0').replace(/[il]/g, '1')
}
