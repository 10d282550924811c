import type { Words } from '../console/say.ts'

/**
 * The finding about one thing that live mode needs.
 * - `status`: `missing` means that live mode does not work without it; `note` means that it works, but a person should
 *   know.
 * - `mend`: the page of the live-mode desk where a person can fix it; null when there is none, as for a setting of the
 *   service.
 */
export type LiveFinding = { subject: Words; status: 'ok' | 'missing' | 'note'; message: Words; mend: string | null }

export function ok(subject: Words, message: Words, mend: string | null = null): LiveFinding {
  return { subject, status: 'ok', message, mend }
}

export function note(subject: Words, message: Words, mend: string | null = null): LiveFinding {
  return { subject, status: 'note', message, mend }
}

export function missing(subject: Words, message: Words, mend: string | null = null): LiveFinding {
  return { subject, status: 'missing', message, mend }
}
