/**
 * HTML that is safe to send. Only `html` makes it, and it escapes every value that is not itself `Html`, so a merchant's
 * name or a payer's typing can never become markup: there is no way to a page around this class.
 */
export class Html {
  readonly text: string

  /** For `html` and for text of our own files (the style sheet, the drawing of a code); never for anybody's input. */
  constructor(text: string) {
    this.text = text
  }

  toString(): string {
    return this.text
  }
}

/** A value in a template. Null, undefined and false leave nothing behind; a list is joined without a separator. */
export type Piece = string | number | Html | null | undefined | false | readonly Piece[]

/**
 * The tag of our pages: html`<p>${merchant_name}</p>`. Attributes are always written in double quotes around the value,
 * for which the same escaping is enough.
 */
export function html(parts: TemplateStringsArray, ...pieces: Piece[]): Html {
  let text = parts[0]!
  for (const [at, piece] of pieces.entries()) text += textOf(piece) + parts[at + 1]!
  return new Html(text)
}

function textOf(piece: Piece): string {
  if (piece === null || piece === undefined || piece === false) return ''
  if (piece instanceof Html) return piece.text
  if (typeof piece === 'string') return escaped(piece)
  if (typeof piece === 'number') return String(piece)
  return piece.map(textOf).join('')
}

const named: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => named[sign]!)
}
