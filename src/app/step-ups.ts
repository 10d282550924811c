import type { StepUpRefusal, StepUps } from '../console/confirm-act.ts'
import { type FactorDeps, factorKey } from '../people/factors/factor-deps.ts'
import { siteOf } from '../people/factors/passkey.ts'
import { beginStepUp } from '../people/step-up/begin-step-up.ts'
import { confirmStepUp, type StepUpAnswer, type StepUpConfirmed } from '../people/step-up/confirm-step-up.ts'
import { useStepUp } from '../people/step-up/use-step-up.ts'
import type { Clock } from '../platform/clock.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Secret } from '../values/secret.ts'

type Dependencies = { sql: Sql; clock: Clock; secretKey: Secret; brand: string; origin: () => string }

/** Fresh factors as the frame of the console asks for them: confirmed for one act and used by it. */
export function createStepUps({ sql, clock, secretKey, brand, origin }: Dependencies): StepUps {
  const key = factorKey(secretKey)
  const deps = (): Pick<FactorDeps, 'sql' | 'clock' | 'key' | 'site'> => ({
    sql,
    clock,
    key,
    site: siteOf(origin(), brand),
  })
  return {
    async begin(session, { operation, subject, content }) {
      const begun = await beginStepUp(deps(), { session, operation, subject, content: { ...content } })
      const { step_up_id, fingerprint, passkey, totp } = begun
      return { step_up_id, fingerprint, passkey, has_totp: totp }
    },
    async use(session, step_up_id, { operation, subject, content }, proof) {
      const answer = 'code' in proof ? proof : { assertion: readAssertion(proof.assertion) }
      const confirmed = await confirmStepUp(deps(), session, step_up_id, answer)
      if (confirmed.kind === 'refused') return { kind: 'refused', code: refusals[confirmed.code] }
      const used = await sql.begin((tx) => useStepUp(tx, session, step_up_id, operation, subject, { ...content }))
      if (used.kind === 'used') return { kind: 'confirmed' }
      return { kind: 'refused', code: used.code === 'content_changed' ? 'content_changed' : 'over' }
    },
  }
}

const refusals: Readonly<Record<Extract<StepUpConfirmed, { kind: 'refused' }>['code'], StepUpRefusal>> = {
  wrong_code: 'wrong_code',
  clock_wrong: 'wrong_code',
  code_used: 'used_code',
  passkey_refused: 'wrong_passkey',
  step_up_not_found: 'over',
  step_up_over: 'over',
}

/** The answer in the field of a form. A text that is no object of JSON is an answer that nothing accepts. */
function readAssertion(text: string): Extract<StepUpAnswer, { assertion: unknown }>['assertion'] {
  try {
    const answer: unknown = JSON.parse(text)
    return typeof answer === 'object' && answer !== null ? (answer as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
