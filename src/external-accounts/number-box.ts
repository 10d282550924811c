import { derivedKey } from '../platform/config.ts'
import { seal, unseal } from '../platform/sealing.ts'
import { Secret } from '../values/secret.ts'
import type { ExternalAccount } from './external-account.ts'

type Place = Pick<ExternalAccount, 'livemode' | 'code'>

/** Seals the numbers of external accounts with SECRET_KEY, each bound to its account. */
export type NumberBox = {
  seal(account: Place, number: string): Uint8Array
  /** @throws if SECRET_KEY has changed since the sealing, or the bytes belong to another account */
  open(account: Place, sealed: Uint8Array): Secret
}

export function createNumberBox(secretKey: Secret): NumberBox {
  const key = derivedKey(secretKey, 'numbers of external accounts')
  const place = ({ livemode, code }: Place) => `external account/${livemode ? 'live' : 'test'}/${code}`
  return {
    seal: (account, number) => seal(key, number, place(account)),
    open: (account, sealed) => new Secret(unseal(key, sealed, place(account))),
  }
}
