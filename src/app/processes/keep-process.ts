import { type ChildProcess, fork } from 'node:child_process'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Log } from '../../platform/log.ts'
import type { Share } from './divide.ts'
import type { ToChild, ToParent } from './messages.ts'

const PROGRAM = fileURLToPath(new URL('child.ts', import.meta.url))

/** Milliseconds before a process that died is replaced: twice as many for each death in a row. */
const WAIT_MIN = 100
const WAIT_MAX = 30_000
/** One that has been ready for as long begins a new row. */
const STEADY_MS = 60_000

/** Milliseconds that a process gets to tell its figures. One that hangs must not hide those of the others. */
const FIGURES_MS = 1_000

/** A process of the service could not start. The message says which and why. */
export class ProcessFailed extends Error {
  override name = 'ProcessFailed'
  /** That of the process; of one that was killed, 128 and the number of the signal, as a shell tells it. */
  readonly exit_code: number

  constructor(message: string, exit_code: number) {
    super(message)
    this.exit_code = exit_code
  }
}

/** A process that is there, again and again, until it is stopped. */
export type Kept = {
  share: Share
  /** Resolves when it is ready for the first time. @throws ProcessFailed when it ends before that */
  started: Promise<void>
  /** Whether it is ready now. */
  isReady(): boolean
  /** Its figures as text; null when it is not there or does not answer within a second. */
  figures(): Promise<string | null>
  /** From now on its end is no death. */
  replaceNoMore(): void
  /** Asks it to stop in order, and resolves when it is gone. */
  stop(): Promise<void>
  /** Ends it as it is. */
  kill(): void
}

export type KeepOptions = {
  share: Share
  /** Settings over those of the environment. */
  settings: Record<string, string>
  /** A bound socket, which becomes the descriptor LISTENING_FD of a process that answers requests. */
  fd: number | null
  log: Log
  /** Told each time that it has to be replaced. */
  onDeath: () => void
}

/**
 * Starts a process and replaces it whenever it dies. One that dies before it was ever ready is not replaced: what keeps it from
 * starting is for a person to mend.
 */
export function keepProcess({ share, settings, fd, log, onDeath }: KeepOptions): Kept {
  const { name } = share
  const started = Promise.withResolvers<void>()
  const gone = Promise.withResolvers<void>()
  const questions = new Map<number, (text: string) => void>()
  let present: ChildProcess | null = null
  let ready_at: number | null = null
  let everReady = false
  let stopping = false
  let deaths = 0
  let asked = 0
  let next: NodeJS.Timeout | undefined

  function start(): void {
    let child: ChildProcess
    try {
      child = fork(PROGRAM, {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc', ...(fd === null ? [] : [fd])],
      })
    } catch (error) {
      // A machine that refuses another process now (too little memory) may have room for it later.
      end(undefined, 1, (error as Error).message)
      return
    }
    let reason: string | null = null
    present = child
    child.on('message', (message) => {
      const told = message as ToParent
      if (told.kind === 'failed') reason = told.reason
      else if (told.kind === 'figures') questions.get(told.question)?.(told.text)
      else becomeReady(child)
    })
    // Without a process there is no exit to hear of, and nobody to tell anything.
    child.on('error', (error) => {
      if (child.pid === undefined) end(undefined, 1, error.message)
    })
    child.once('exit', (code, signal) => end(child.pid, code ?? 128 + constants.signals[signal!], reason))
    if (child.pid !== undefined) tell(child, { kind: 'begin', share, settings })
  }

  function becomeReady(child: ChildProcess): void {
    ready_at = performance.now()
    if (everReady) log.info({ process: name, child_pid: child.pid }, 'the process is replaced')
    everReady = true
    started.resolve()
  }

  function end(child_pid: number | undefined, exit_code: number, reason: string | null): void {
    const steady = ready_at !== null && performance.now() - ready_at > STEADY_MS
    present = null
    ready_at = null
    if (stopping) {
      gone.resolve()
      return
    }
    if (!everReady) {
      stopping = true
      gone.resolve()
      started.reject(new ProcessFailed(`${name} could not start: ${reason ?? `it ended with ${exit_code}`}`, exit_code))
      return
    }
    onDeath()
    deaths = steady ? 1 : deaths + 1
    const wait_ms = Math.min(WAIT_MIN * 2 ** (deaths - 1), WAIT_MAX)
    // Somebody may have asked it to stop, past us.
    const level = exit_code === 0 ? 'info' : 'error'
    const why = reason === null ? {} : { reason }
    log[level]({ process: name, child_pid, exit_code, ...why, wait_ms }, 'a process ended and will be replaced')
    next = setTimeout(start, wait_ms)
  }

  start()
  return {
    share,
    started: started.promise,
    isReady: () => ready_at !== null,
    async figures() {
      if (present === null || ready_at === null) return null
      return await ask(present)
    },
    replaceNoMore,
    async stop() {
      replaceNoMore()
      present?.kill('SIGTERM')
      await gone.promise
    },
    kill() {
      present?.kill('SIGKILL')
    },
  }

  function replaceNoMore(): void {
    stopping = true
    clearTimeout(next)
    if (present === null) gone.resolve()
  }

  function ask(child: ChildProcess): Promise<string | null> {
    asked += 1
    const question = asked
    return new Promise((resolve) => {
      const answered = (text: string | null) => {
        clearTimeout(late)
        questions.delete(question)
        resolve(text)
      }
      const late = setTimeout(answered, FIGURES_MS, null)
      questions.set(question, answered)
      tell(child, { kind: 'figures', question })
    })
  }
}

/** A process that is ending does not hear, and its end is told otherwise. */
function tell(child: ChildProcess, message: ToChild): void {
  child.send(message, () => {})
}
