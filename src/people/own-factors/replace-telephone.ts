import type { FactorDeps } from '../factors/factor-deps.ts'
import { replaceRecoveryCodes } from '../factors/factor-store.ts'
import { hashOfRecoveryCode, newRecoveryCodes } from '../factors/recovery-code.ts'
import { type CodeRefusal, type ShownSecret, showNextSecret, takeFirstCode } from '../factors/take-code.ts'
import type { Session } from '../sessions/session.ts'
import { ChangeRefused, type Changing, changeFactors, type ProofRefusal } from './factor-change.ts'

/** Makes the secret of a new phone. The old one stays in force until the first code of the new one. */
export function showNewTelephone(
  { sql, key, site }: Pick<FactorDeps, 'sql' | 'key' | 'site'>,
  { person: { person_id, email } }: Session,
): Promise<ShownSecret> {
  return sql.begin((tx) => showNextSecret(tx, key, { person_id, email, issuer: site.name }))
}

export type TelephoneReplaced = { kind: 'replaced' } | { kind: 'refused'; code: ProofRefusal | CodeRefusal }

/** Replaces the old phone by the new one. @param code the first code of the new one */
export function replaceTelephone(deps: FactorDeps, changing: Changing, code: string): Promise<TelephoneReplaced> {
  return changeFactors(deps, changing, { act: 'telephone.replace' }, async (tx): Promise<TelephoneReplaced> => {
    const taken = await takeFirstCode(tx, deps, changing.session.person.person_id, code)
    if (taken.kind === 'refused') throw new ChangeRefused(taken.code)
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
