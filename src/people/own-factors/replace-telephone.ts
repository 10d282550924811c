import type { FactorDeps } from '../factors/factor-deps.ts'
import { replaceRecoveryCodes } from '../factors/factor-store.ts'
import { hashOfRecoveryCode, newRecoveryCodes } from '../factors/recovery-code.ts'
import {
  type FirstCodeRefusal,
  readFirstCode,
  type ShownSecret,
  showSecret,
  takeTelephone,
} from '../factors/take-code.ts'
import type { Session } from '../sessions/session.ts'
import { ChangeRefused, type Changing, changeFactors, type ProofRefusal } from './factor-change.ts'

/**
 * Makes the secret of a new phone. The old one stays in force until the first code of the new one.
 * @param again the sealed secret of a refused form
 */
export function showNewTelephone(
  deps: Pick<FactorDeps, 'key' | 'clock' | 'site'>,
  { person: { person_id, email } }: Session,
  again = '',
): ShownSecret {
  return showSecret(deps, { person_id, email, issuer: deps.site.name }, again)
}

export type TelephoneReplaced = { kind: 'replaced' } | { kind: 'refused'; code: ProofRefusal | FirstCodeRefusal }

/** Replaces the old phone by the new one. @param first the sealed secret of the new one, and its first code */
export function replaceTelephone(
  deps: FactorDeps,
  changing: Changing,
  first: { sealed: string; code: string },
): Promise<TelephoneReplaced> {
  return changeFactors(deps, changing, { act: 'telephone.replace' }, async (tx): Promise<TelephoneReplaced> => {
    const { person_id } = changing.session.person
    const read = readFirstCode(deps, person_id, first)
    if (read.kind === 'refused') throw new ChangeRefused(read.code)
    await takeTelephone(tx, deps.key, person_id, read)
    return { kind: 'replaced' }
  })
}

export type RecoveryCodesRenewed =
  | { kind: 'renewed'; recovery_codes: string[] }
  | { kind: 'refused'; code: ProofRefusal }

/** Makes ten new recovery codes, shown once. The former codes are void. */
export function renewRecoveryCodes(deps: FactorDeps, changing: Changing): Promise<RecoveryCodesRenewed> {
  return changeFactors(deps, changing, { act: 'recovery_codes.renew' }, async (tx): Promise<RecoveryCodesRenewed> => {
    const recovery_codes = newRecoveryCodes()
    await replaceRecoveryCodes(tx, changing.session.person.person_id, recovery_codes.map(hashOfRecoveryCode))
    return { kind: 'renewed', recovery_codes }
  })
}
