import { type Fact, merchantFact, oneOf, text } from '../acts/facts.ts'
import type { LockedKey } from './store.ts'

// The facts of a key, as people read them before they agree to an act about it.

/** The words of a key's scope. */
export const scopeWords = {
  collect: ['Encaisser', 'Collect'],
  payout: ['Envoyer de l’argent', 'Send money'],
} as const

/** The addresses from which a key may be used. Empty: any. */
export const addressesFact: Fact<readonly string[]> = {
  name: ['Adresses', 'Addresses'],
  write(addresses) {
    const written = addresses.map(writeBlock).join(', ')
    return written === '' ? ['toutes', 'any'] : [written, written]
  },
}

/** The key itself. `contentOf` has the values. */
export const keyFacts = {
  merchant: merchantFact,
  key: text(['Clé', 'Key']),
  name: text(['Nom', 'Name']),
  scope: oneOf(['Peut', 'Can'], scopeWords),
}

export function contentOf({ key_id: key, name, scope }: LockedKey) {
  return { key, name, scope }
}

/** Writes a block of one address as that address. The same bits are a large block of the other family, so that a dot or a colon decides. */
export function writeBlock(block: string): string {
  return block.replace(/^([\d.]+)\/32$|^([\da-f:.]+)\/128$/, '$1$2')
}
