/** For each state, the next state by trigger. An absent trigger is not allowed in that state. */
export type Moves<State extends string, Trigger extends string> = Readonly<
  Record<State, Readonly<Partial<Record<Trigger, State>>>>
>

/** A state that exists in this process only. It changes only as its table allows. */
export class StateMachine<State extends string, Trigger extends string> {
  readonly #moves: Moves<State, Trigger>
  #state: State

  constructor(moves: Moves<State, Trigger>, first: State) {
    this.#moves = moves
    this.#state = first
  }

  /** Whether the current state is one of these. */
  is(...states: readonly State[]): boolean {
    return states.includes(this.#state)
  }

  /** Changes the state. @throws if the trigger is not allowed in this state, because that is a fault in our code */
  move(trigger: Trigger): void {
    const to = this.#moves[this.#state][trigger]
    if (to === undefined) throw new Error(`There is no move from "${this.#state}" on "${trigger}".`)
    this.#state = to
  }
}
