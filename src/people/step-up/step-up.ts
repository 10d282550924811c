import { hash } from 'node:crypto'
import { canonicalJson } from '../../platform/http/strict-json.ts'

/** Minutes within which a step-up has to be confirmed and used. */
export const STEP_UP_MINUTES = 5

/** The most bytes of the content and the subject of one act. A longer content is stored elsewhere, and its hash is confirmed. */
const CONTENT_MAX_BYTES = 8_192

/** The content of an act as the person sees it: amounts, names and numbers, as plain values. */
export type StepUpContent = Readonly<Record<string, unknown>>

/** The act that a person confirms. */
export type StepUpAct = {
  /** The operation of the screen, such as `payout_request.approve`. */
  operation: string
  /** The id of the act's subject. Null when it does not exist yet. */
  subject: string | null
  content: StepUpContent
}

/** Writes content as canonical text: the same values give the same text in any order of the fields. */
export function contentText(content: StepUpContent): string {
  return canonicalJson(content)
}

/** Whether an act is too long to be asked about. Its form is then refused, before anything is stored. */
export function isTooLong({ subject, content }: StepUpAct): boolean {
  return Buffer.byteLength(contentText(content)) + Buffer.byteLength(subject ?? '') > CONTENT_MAX_BYTES
}

/** SHA-256 of the content and a nonce: the challenge that a passkey signs, so that its signature is about this content alone. */
export function contentHash(text: string, nonce: Buffer): Buffer {
  return hash('sha256', Buffer.concat([Buffer.from(text), nonce]), 'buffer')
}
