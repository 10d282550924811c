/** Counts the tasks in progress, so that a caller can wait for the end of all. */
export class Tasks {
  readonly #goesOnLater: () => boolean
  #underWay = 0
  #waiters: (() => void)[] = []

  /** @param goesOnLater whether more work follows that has not started yet, such as after a pause */
  constructor(goesOnLater: () => boolean) {
    this.#goesOnLater = goesOnLater
  }

  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    this.#underWay += 1
    try {
      return await task()
    } finally {
      this.#underWay -= 1
      this.look()
    }
  }

  /** Resolves when no task is in progress and no work follows. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiters.push(resolve)
      this.look()
    })
  }

  /** Checks for the end after the callers that wait for a task have run, because they may start another. */
  look(): void {
    if (this.#underWay === 0) setImmediate(() => this.#tell())
  }

  #tell(): void {
    if (this.#underWay > 0 || this.#waiters.length === 0 || this.#goesOnLater()) return
    for (const tell of this.#waiters.splice(0)) tell()
  }
}
