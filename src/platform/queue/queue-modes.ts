import type { Moves } from '../state-machine.ts'

/** The mode of a queue's loop. */
type Mode =
  /** The queue waits for the interval between polls. */
  | 'resting'
  /** The queue claims jobs. */
  | 'taking'
  /** The queue claims jobs, and newer jobs may be missing from the answer: it polls again, after the interval or at once. */
  | 'taking_and_called'
  | 'taking_and_short'
  /** The queue knows of no due job that it could claim. */
  | 'napping'
  /** The database did not answer, so the queue does not know which jobs it has claimed. */
  | 'claimOutcomeUnknown'
  | 'stopping'

type Trigger =
  /** There may be new jobs. */
  | 'called'
  /** A full partition has room again, and more jobs for it are due. */
  | 'short'
  /** The rest or the nap is over. */
  | 'time'
  | 'answered'
  | 'not_answered'
  /** The jobs of the unanswered claim are released. */
  | 'cleared'
  | 'stop'

const stopping = { stop: 'stopping' } as const

/** The transitions of a queue between polling and waiting. */
export const modes: Moves<Mode, Trigger> = {
  resting: { called: 'resting', short: 'resting', time: 'taking', ...stopping },
  taking: {
    called: 'taking_and_called',
    short: 'taking_and_short',
    answered: 'napping',
    not_answered: 'claimOutcomeUnknown',
    ...stopping,
  },
  taking_and_called: {
    called: 'taking_and_called',
    short: 'taking_and_short',
    answered: 'resting',
    not_answered: 'claimOutcomeUnknown',
    ...stopping,
  },
  taking_and_short: {
    called: 'taking_and_short',
    short: 'taking_and_short',
    answered: 'taking',
    not_answered: 'claimOutcomeUnknown',
    ...stopping,
  },
  napping: { called: 'resting', short: 'taking', time: 'resting', ...stopping },
  claimOutcomeUnknown: { called: 'claimOutcomeUnknown', short: 'claimOutcomeUnknown', cleared: 'resting', ...stopping },
  stopping: {
    called: 'stopping',
    short: 'stopping',
    time: 'stopping',
    answered: 'stopping',
    not_answered: 'stopping',
    cleared: 'stopping',
    ...stopping,
  },
}
