import type { Share } from './divide.ts'

/** What a parent tells a child, over the channel that only the two of them have. */
export type ToChild =
  /** The first one. `settings` go over those of the environment; among them is what must not be seen in a list of processes. */
  | { kind: 'begin'; share: Share; settings: Record<string, string> }
  /** Asks for the figures of now. */
  | { kind: 'figures'; question: number }

/** What a child tells its parent. */
export type ToParent =
  | { kind: 'ready' }
  /** It cannot start, for a reason that is written for people; it ends now. */
  | { kind: 'failed'; reason: string }
  | { kind: 'figures'; question: number; text: string }

/** The file descriptor under which a child that answers requests finds the socket that its parent has bound. */
export const LISTENING_FD = 4
