import { hash } from 'node:crypto'
import { canonicalJson } from '../../platform/http/strict-json.ts'

/** Minutes in which a step-up is confirmed and used. */
export const STEP_UP_MINUTES = 5

/** The content of an act as it is shown: amounts, names and numbers, in plain values. The same content is written the same. */
export type StepUpContent = Readonly<Record<string, unknown>>

/** The act that a person is asked to agree to. */
export type StepUpAct = {
  /** The operation of the screen, such as `payout_request.approve`. */
  operation: string
  /** The identifier of what it is done to; null: of nothing that exists yet. */
  subject: string | null
  content: StepUpContent
}

/** Content in one canonical text: the same values give the same text, whatever the order of the fields. */
export function contentText(content: StepUpContent): string {
  return canonicalJson(content)
}

/** SHA-256 of the content and a nonce: the challenge that a passkey signs, so that its signature is about this content alone. */
export function contentHash(text: string, nonce: Buffer): Buffer {
  return hash('sha256', Buffer.concat([Buffer.from(text), nonce]), 'buffer')
}
