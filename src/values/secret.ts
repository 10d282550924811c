import { Masked } from './masked.ts'

/** A secret text that prints itself hidden. `.reveal()` is the only way to its value. */
export class Secret extends Masked {
  readonly #value: string

  constructor(value: string) {
    super()
    this.#value = value
  }

  override get masked(): string {
    return '[secret]'
  }

  reveal(): string {
    return this.#value
  }
}
