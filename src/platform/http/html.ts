/**
 * HTML that is safe to send. Only `html` makes it, and escapes every value that is not itself `Html`, so a merchant's name or a
 * payer's input can never become markup. Every page consists of this class.
 */
export class Html {
  readonly text: string

  /** For `html` and for our own text (the style sheet, the drawing of a QR code); never for input. */
  constructor(text: string) {
    this.text = text
  }

  toString(): string {
    return this.text
  }
}

/** A value in a template. Null, undefined and false add nothing; the items of a list are joined without a separator. */
export type Piece = string | number | Html | null | undefined | false | readonly Piece[]

/**
 * The template tag of our pages: html`<p>${merchant_name}</p>`. Always write attributes in double quotes: the same escaping is then
 * enough for them. Between tags a sign that turns the direction of the text becomes the replacement character, because a name with one
 * would show the number beside it backwards. An attribute keeps it, so that a form brings back what was typed.
 */
export function html(parts: TemplateStringsArray, ...pieces: Piece[]): Html {
  let text = parts[0]!
  for (const [at, piece] of pieces.entries()) {
    text += textOf(piece, parts[at]!.endsWith('="') ? inAttribute : betweenTags) + parts[at + 1]!
  }
  return new Html(text)
}

const inAttribute = /[&<>"']/g
const betweenTags = /[&<>"'\u202a-\u202e\u2066-\u2069]/g

function textOf(piece: Piece, special: RegExp): string {
  if (piece === null || piece === undefined || piece === false) return ''
  if (piece instanceof Html) return piece.text
  if (typeof piece === 'string') return piece.replace(special, (sign) => named[sign] ?? '\ufffd')
  if (typeof piece === 'number') return String(piece)
  return piece.map((one) => textOf(one, special)).join('')
}

const named: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
