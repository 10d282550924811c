/** The reasons why a file, or the rest of one, is not read. */
export type RefusalCode =
  | 'empty'
  | 'too_large'
  | 'too_many_rows'
  | 'too_deep'
  | 'not_a_table'
  | 'damaged'
  | 'unclosed_quote'
  | 'pdf'
  | 'html'
  | 'with_password'
  | 'dtd'
  | 'other_form'
  /** A message is about several accounts, or about another one than the caller's; so with currencies. */
  | 'other_account'
  | 'other_currency'

/**
 * Ends the reading of a file inside the readers. The caller of the whole reading catches it and answers a refusal, because a generator can
 * hand a value only to its own loop.
 */
export class TableRefused extends Error {
  readonly code: RefusalCode
  /** The line or row in which the reader stopped. Null when it knows none. */
  readonly line: number | null

  constructor(code: RefusalCode, line: number | null = null) {
    super(`The file is refused: ${code}.`)
    this.code = code
    this.line = line
  }
}
