import { sha256 } from '../../platform/digest.ts'

/** The hash under which the code of a command line is stored. Lower case, spaces and a missing hyphen make no difference. */
export function hashOfTerminalCode(typed: string): Buffer {
  return sha256(typed.toUpperCase().replace(/[^A-Z]/g, ''))
}
