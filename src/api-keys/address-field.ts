import type { Field } from '../acts/facts.ts'
import type { Words } from '../values/language.ts'
import { parseAddressBlock, parseAddressBlocks } from './address-blocks.ts'
import { addressesFact } from './key-facts.ts'

/** The most IP addresses of a key. A longer list is a mistake. */
const ADDRESSES_MAX = 100

const wordsIn = (typed: string) => typed.split(/[\s,;]+/).filter((text) => text !== '')

/** Says why typed addresses are refused, and names the first that is wrong. */
function fault(typed: string): Words {
  const written = wordsIn(typed)
  if (written.length > ADDRESSES_MAX)
    return [`${ADDRESSES_MAX} adresses au plus.`, `${ADDRESSES_MAX} addresses at most.`]
  const address = written.find((text) => parseAddressBlock(text) === null)?.slice(0, 60) ?? ''
  return [
    `« ${address} » ne se lit pas. Écrivez les adresses comme 192.0.2.7 ou 192.0.2.0/24, une par ligne.`,
    `“${address}” cannot be read. Write addresses as 192.0.2.7 or 192.0.2.0/24, one per line.`,
  ]
}

/** The addresses from which a key may be used, as the database writes them. Empty: any. */
export const addressesField: Field<readonly string[]> = {
  ...addressesFact,
  read(typed) {
    const written = wordsIn(typed)
    const blocks = written.length > ADDRESSES_MAX ? null : parseAddressBlocks(written)
    return blocks?.map(({ text }) => text)
  },
  form: { label: addressesFact.name, kind: 'line', fault },
  option: { name: 'allow', must: 'takes addresses or blocks such as 192.0.2.0/24.', absent: [] },
}

/** One address more, beside the present ones. */
export const addedAddress: Field<string | null> = {
  ...addressesField,
  write: (address) => addressesFact.write(address === null ? [] : [address]),
  read: (typed) => (typed === '' ? null : parseAddressBlock(typed)?.text),
  option: { must: '', absent: null },
}
