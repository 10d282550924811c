import type { Tx } from '../../platform/postgres/database.ts'
import type { Session } from '../sessions/session.ts'
import { contentText, type StepUpContent } from './step-up.ts'
import * as store from './store.ts'

export type StepUpUsed =
  | { kind: 'used'; step_up_id: string; factor: 'passkey' | 'totp' }
  | {
      kind: 'refused'
      /**
       * `step_up_missing`: none of this session for this act was confirmed in its time. `step_up_used`: another act has used it.
       * `content_changed`: the act would do something else than what was shown; it is to be shown again.
       */
      code: 'step_up_missing' | 'step_up_used' | 'content_changed'
    }

/**
 * Uses a confirmed step-up for its act. A use that is refused, or whose transaction is rolled back, uses nothing.
 * @param content what the act is about to do, read anew; compared with what was shown
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
