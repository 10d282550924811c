/** The longest line of a page or of a statement that a reader sees whole. */
const LINE_MAX = 140

/** A place in code. Its ternaries: those still open at each bracket around it, the innermost last. */
type Code = { readonly kind: 'code'; readonly ternaries: number[] }
type Place = Code | { readonly kind: 'template' }

/** Tokens of code that say where a template or a ternary begins or ends. Biome writes a ternary's sign with a space on each side. */
const tokens =
  /\/\/.*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|(?<=[(,=:[!&|?{};]\s*|return )\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\/|`|[([{]|[)\]}]|[,;]|(?<=\s)\?(?=\s)/g
/** Signs in a template's text: an escaped one, a value, the end. */
const signs = /\\[\s\S]|\$\{|`/g

/**
 * Returns the numbers of the lines with a fault: a line of 141 signs or more in a tagged template (a page, SQL), or a ternary inside another
 * ternary of the same template. A sentence with gaps is no tagged template, and may be as long as another sentence. It reads our formatted
 * code without a compiler.
 */
export function templateFaults(text: string): number[] {
  const inTemplates: [from: number, to: number][] = []
  const nested: number[] = []
  const around: Place[] = [{ kind: 'code', ternaries: [0] }]
  let at = 0
  let outermost = 0
  while (at < text.length) {
    const place = around.at(-1)!
    const found = next(text, at, place.kind === 'code' ? tokens : signs)
    if (found === null) break
    const [token] = found
    at = found.index + token.length
    if (token === '`' && place.kind === 'code') {
      if (around.length === 1) outermost = found.index
      around.push({ kind: 'template' })
    } else if (token === '`') {
      around.pop()
      if (around.length === 1 && isTagged(text, outermost)) inTemplates.push([outermost, at])
    } else if (token === '${') around.push({ kind: 'code', ternaries: [0] })
    else if (token === '}' && place.kind === 'code' && place.ternaries.length === 1) around.pop()
    else if (place.kind === 'code' && opensNested(token, place, around)) nested.push(found.index)
  }
  const lineOf = (index: number) => text.slice(0, index).split('\n').length
  const lines = text.split('\n')
  const long = inTemplates.flatMap(([from, to]) => {
    const first = lineOf(from)
    return lines.slice(first - 1, lineOf(to)).flatMap((line, more) => (line.length > LINE_MAX ? [first + more] : []))
  })
  return [...new Set([...long, ...nested.map(lineOf)])].sort((a, b) => a - b)
}

/** A tag stands right before its template: html`…`, db<Row[]>`…`. */
function isTagged(text: string, at: number): boolean {
  return /[\w>)\]]/.test(text[at - 1] ?? '')
}

function next(text: string, at: number, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** Follows a token of code. Returns whether it opens a ternary inside another one of its template. */
function opensNested(token: string, { ternaries }: Code, around: readonly Place[]): boolean {
  const last = ternaries.length - 1
  if (/^[([{]$/.test(token)) ternaries.push(0)
  else if (/^[)\]}]$/.test(token)) ternaries.pop()
  else if (token === ',' || token === ';') ternaries[last] = 0
  else if (token === '?') {
    const ofTemplate = around.slice(1).flatMap((place) => (place.kind === 'code' ? place.ternaries : []))
    ternaries[last]! += 1
    return ofTemplate.some((open) => open > 0)
  }
  return false
}
