import type { Moves } from '../state-machine.ts'

/** The mode of a queue's loop. */
type Mode =
  /** It waits as long as the interval of looks asks. */
  | 'resting'
  /** It takes jobs. */
  | 'taking'
  /** The same, and jobs may have come meanwhile that the answer does not hold: it looks again, after the interval or at once. */
  | 'taking_and_called'
  | 'taking_and_short'
  /** As far as it knows nothing is due that it could take. */
  | 'napping'
  /** It was not answered, and does not know what was taken in its name. */
  | 'claimOutcomeUnknown'
  | 'stopping'

type Trigger =
  /** There may be new jobs. */
  | 'called'
  /** A partition that was full has room, and there is more for it. */
  | 'short'
  /** The rest or the nap is over. */
  | 'time'
  | 'answered'
  | 'not_answered'
  /** The jobs that were taken in its name are free again. */
  | 'cleared'
  | 'stop'

const stopping = { stop: 'stopping' } as const

/** How a queue moves between looking for jobs and waiting. */
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
