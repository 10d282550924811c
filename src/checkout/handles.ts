import { sha256 } from '../platform/digest.ts'

/** The names of operators and banks, which no merchant's address may bear: a payer would take the page for theirs. */
const names: ReadonlySet<string> = new Set([
  ...[
    'orange',
    'orangemoney',
    'mtn',
    'momo',
    'mtnmomo',
    'moov',
    'moovmoney',
    'wave',
    'djamo',
    'push',
    'tresorpay',
    'tresormoney',
  ],
  ...['visa', 'mastercard', 'paypal', 'westernunion', 'moneygram', 'ria', 'wizall', 'bceao', 'gim', 'spi', 'uemoa'],
  ...[
    'bank',
    'banque',
    'banques',
    'bni',
    'boa',
    'bankofafrica',
    'bdu',
    'bgfi',
    'bgfibank',
    'bhci',
    'bicici',
    'bridge',
    'bridgebank',
  ],
  ...[
    'bsic',
    'bdk',
    'coris',
    'corisbank',
    'ecobank',
    'gtbank',
    'nsia',
    'nsiabanque',
    'orabank',
    'sgci',
    'sgbci',
    'sib',
  ],
  ...[
    'societegenerale',
    'banqueatlantique',
    'atlantique',
    'stanbic',
    'standardchartered',
    'uba',
    'versus',
    'versusbank',
    'citibank',
  ],
  ...['mansabank', 'baobab', 'advans', 'unacoopec', 'cofina', 'celpaid'],
])

export type ReadHandle = { kind: 'handle'; handle: string } | { kind: 'refused'; why: 'form' | 'reserved' }

/** Reads the name of a short address: 3 to 30 small letters and digits, with single dashes between them, and no name of an operator or a bank. */
export function readHandle(written: string): ReadHandle {
  const handle = written.trim()
  if (handle.length < 3 || handle.length > 30 || !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(handle)) {
    return { kind: 'refused', why: 'form' }
  }
  const parts = handle.split('-')
  // Names of several words are found whether a dash parts them or not.
  const runs = parts.flatMap((_, from) =>
    parts.slice(from).map((__, more) => parts.slice(from, from + more + 1).join('')),
  )
  return runs.some((run) => names.has(run)) ? { kind: 'refused', why: 'reserved' } : { kind: 'handle', handle }
}

/** The key of a handle in the table of tokens. A token that we made is no text with a space, so neither is ever taken for the other. */
export const hashOfHandle = (handle: string): Buffer => sha256(`handle ${handle}`)
