/** Counts what is under way, so that somebody can wait until there is nothing. */
export class Tasks {
  readonly #goesOnLater: () => boolean
  #underWay = 0
  #waiters: (() => void)[] = []

  /** @param goesOnLater whether something is to be done that is not under way yet, such as after a pause */
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

  /** Resolves when nothing is under way and nothing goes on later. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiters.push(resolve)
      this.look()
    })
  }

  /** Looks whether the end has come, after those who wait for a task had their say: they may have more to do. */
  look(): void {
    if (this.#underWay === 0) setImmediate(() => this.#tell())
  }

  #tell(): void {
    if (this.#underWay > 0 || this.#waiters.length === 0 || this.#goesOnLater()) return
    for (const tell of this.#waiters.splice(0)) tell()
  }
}
