import type { Tx } from '../../platform/postgres/database.ts'
import type { Session } from '../sessions/session.ts'
import { contentText, type StepUpContent } from './step-up.ts'
import * as store from './store.ts'

export type StepUpUsed =
  | { kind: 'used'; step_up_id: string; factor: 'passkey' | 'totp' }
  | {
      kind: 'refused'
      /**
       * `step_up_missing`: no step-up of this session for this act was confirmed in time. `step_up_used`: another act used it.
       * `content_changed`: the act would do something other than the person saw. It has to be shown again.
       */
      code: 'step_up_missing' | 'step_up_used' | 'content_changed'
    }

/**
 * Uses a confirmed step-up for its act. A refused use, or one whose transaction is rolled back, leaves the step-up unused.
 * @param content the content of the act, read anew and compared with what the person saw
 */
export async function useStepUp(
  tx: Tx,
  session: Session,
  step_up_id: string,
  operation: string,
  subject: string | null,
  content: StepUpContent,
): Promise<StepUpUsed> {
  const row = await store.lockStepUp(tx, session.session_id, step_up_id)
  if (row === null || row.operation !== operation || row.subject !== subject) return refused('step_up_missing')
  if (row.used_at !== null) return refused('step_up_used')
  if (row.factor === null || row.expired) return refused('step_up_missing')
  if (row.content !== contentText(content)) return refused('content_changed')
  await store.markUsed(tx, step_up_id)
  return { kind: 'used', step_up_id, factor: row.factor }
}

function refused(code: Extract<StepUpUsed, { kind: 'refused' }>['code']): StepUpUsed {
  return { kind: 'refused', code }
}
