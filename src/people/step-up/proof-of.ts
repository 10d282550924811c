import type { Proof } from '../../acts/perform.ts'
import type { Session } from '../sessions/session.ts'
import { useStepUp } from './use-step-up.ts'

/** The proof of a confirmed step-up. The act uses it up in its own transaction. */
export function proofOf(session: Session, step_up_id: string): Proof {
  return {
    step_up_id,
    async use(tx, { operation, subject, content }) {
      const used = await useStepUp(tx, session, step_up_id, operation, subject, content)
      return used.kind === 'used' ? null : used.code
    },
  }
}
