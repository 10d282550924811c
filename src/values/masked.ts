/** A value that prints itself as `masked` in logs, texts and JSON, so that a careless line leaks nothing. */
export abstract class Masked {
  abstract get masked(): string

  toString(): string {
    return this.masked
  }

  toJSON(): string {
    return this.masked
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.masked
  }
}
