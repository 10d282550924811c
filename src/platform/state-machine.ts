/** For each state, the state that each trigger leads to. A trigger that is absent cannot come in that state. */
export type Moves<State extends string, Trigger extends string> = Readonly<
  Record<State, Readonly<Partial<Record<Trigger, State>>>>
>

/** The state of something that lives in this process only. It moves as its table says and in no other way. */
export class StateMachine<State extends string, Trigger extends string> {
  readonly #moves: Moves<State, Trigger>
  #state: State

  constructor(moves: Moves<State, Trigger>, first: State) {
    this.#moves = moves
    this.#state = first
  }

  /** Whether it is in one of these states now. */
  is(...states: readonly State[]): boolean {
    return states.includes(this.#state)
  }

  /** @throws when the trigger cannot come in this state: a fault of ours, told where it is made */
  move(trigger: Trigger): void {
    const to = this.#moves[this.#state][trigger]
    if (to === undefined) throw new Error(`There is no move from "${this.#state}" on "${trigger}".`)
    this.#state = to
  }
}
