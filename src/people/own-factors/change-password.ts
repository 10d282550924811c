import type { FactorDeps } from '../factors/factor-deps.ts'
import { findPassword, setPassword } from '../factors/factor-store.ts'
import { hashPassword } from '../factors/password-hash.ts'
import { judgePassword, type PasswordRefusal } from '../factors/password-rules.ts'
import { type Changing, changeFactors, type ProofRefusal, refusalOfOwn } from './factor-change.ts'

export type PasswordChanged =
  | { kind: 'changed' }
  | { kind: 'refused'; code: ProofRefusal | PasswordRefusal | 'password_same' }

/**
 * Changes the password, which needs the old one besides the proof. Or sets the first password of a person with passkeys only.
 * @param old_password ignored when there is none yet
 */
export async function changePassword(
  deps: FactorDeps,
  changing: Changing,
  { old_password, new_password }: { old_password: string; new_password: string },
): Promise<PasswordChanged> {
  const { sql, site } = deps
  const { person_id, email, name } = changing.session.person
  const kept = await findPassword(sql, person_id)
  const wrong = kept === null ? null : await refusalOfOwn(deps, changing, old_password, kept)
  if (wrong !== null) return { kind: 'refused', code: wrong }
  if (kept !== null && old_password.normalize('NFKC') === new_password.normalize('NFKC')) {
    return { kind: 'refused', code: 'password_same' }
  }
  const refusal = judgePassword(new_password, { brand: site.name, email, name })
  if (refusal !== null) return { kind: 'refused', code: refusal }
  const hash = await hashPassword(new_password)
  if (hash === null) return { kind: 'refused', code: 'busy' }
  return changeFactors(deps, changing, { act: 'password.change' }, async (tx): Promise<PasswordChanged> => {
    await setPassword(tx, person_id, hash)
    return { kind: 'changed' }
  })
}
