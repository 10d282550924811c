import { randomBytes } from 'node:crypto'
import { sha256 } from '../../platform/digest.ts'
import { base32Bytes } from '../../values/ids.ts'

/** Given at once, each for one use. */
const CODES = 10
/** 120 random bits are 24 letters: enough that a plain digest of them can be kept (ASVS 5, 6.5.2). */
const CODE_BYTES = 15

/** Ten new codes, as they are shown once: `k3mv-8w2p-…`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: CODES }, () => base32Bytes(randomBytes(CODE_BYTES)).match(/.{4}/g)!.join('-'))
}

/** Whether a text is to be read as a recovery code: 24 letters, however they are grouped. */
export function looksLikeRecoveryCode(code: string): boolean {
  return /^[0-9a-z]{24}$/.test(plain(code))
}

/** The hash under which a code as typed is found. */
export function hashOfRecoveryCode(code: string): Buffer {
  return sha256(plain(code))
}

/** Letters that people take for one another are one: the codes have neither `o` nor `i` nor `l`. */
function plain(code: string): string {
  return code.toLowerCase().replace(/[\s-]/g, '').replaceAll('o', '0').replace(/[il]/g, '1')
}
