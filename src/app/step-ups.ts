import type { StepUpRefusal, StepUps } from '../console/confirm-act.ts'
import type { ScreenDoor } from '../console/screen.ts'
import type { FactorDeps } from '../people/factors/factor-deps.ts'
import { beginStepUp } from '../people/step-up/begin-step-up.ts'
import { confirmStepUp, type StepUpConfirmed } from '../people/step-up/confirm-step-up.ts'
import type { StepUpContent } from '../people/step-up/step-up.ts'
import { useStepUp } from '../people/step-up/use-step-up.ts'

type Refused = Extract<StepUpConfirmed, { kind: 'refused' }>['code']

const refusals: Readonly<Record<Refused, StepUpRefusal>> = {
  step_up_not_found: 'over',
  step_up_over: 'over',
  passkey_refused: 'wrong_passkey',
  wrong_code: 'wrong_code',
  code_used: 'used_code',
  clock_wrong: 'clock_wrong',
}

/**
 * Fresh factors for the frame. A proof is used before its act begins: should the act then be refused or the service end, nothing was done
 * and the person is asked again.
 */
export function createStepUps(factorsAt: (door: ScreenDoor) => FactorDeps): StepUps {
  return {
    async begin(door, session, { operation, subject, content }) {
      const act = { operation, subject, content: content as StepUpContent }
      const begun = await beginStepUp(factorsAt(door), { session, ...act })
      return {
        step_up_id: begun.step_up_id,
        fingerprint: begun.fingerprint,
        passkey: begun.passkey,
        has_totp: begun.totp,
      }
    },
    async use(door, session, step_up_id, { operation, subject, content, used_by_act }, proof) {
      const deps = factorsAt(door)
      const answer = 'code' in proof ? proof : { assertion: readJson(proof.assertion) }
      const confirmed = await confirmStepUp(deps, session, step_up_id, answer)
      if (confirmed.kind === 'refused') return { kind: 'refused', code: refusals[confirmed.code] }
      if (used_by_act) return { kind: 'confirmed' }
      const used = await deps.sql.begin((tx) =>
        useStepUp(tx, session, step_up_id, operation, subject, content as StepUpContent),
      )
      if (used.kind === 'used') return { kind: 'confirmed' }
      return { kind: 'refused', code: used.code === 'content_changed' ? 'content_changed' : 'over' }
    },
  }
}

function readJson(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
