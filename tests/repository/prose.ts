/** A sentence of a file, and the line on which it begins, from 1. */
export type Sentence = { readonly line: number; readonly text: string }

/** A block of prose lines, such as one comment or one paragraph. */
type Block = Sentence[]

/** The pattern of comments at the end of a line, by type of file: the text before, and the words. Other files have none. */
const lineComments: readonly [path: RegExp, comment: RegExp][] = [
  [/\.(?:ts|js|mjs)$/, /^(.*?)(?:^|\s)\/\/ (.*)$/],
  [/\.sql$/, /^(.*?)(?:^|\s)-- (.*)$/],
  [/\.(?:sh|yml|yaml|toml|service|conf|env)$|^\.ci\/|Caddyfile/, /^(.*?)(?:^|\s)# (.*)$/],
]

/**
 * Finds the sentences of a file for its readers: comments and titles of tests, or the headings, paragraphs, items and cells of a page. It
 * reads lines without parsing the language, which suffices for our formatted files.
 */
export function sentencesOf({ path, text }: { path: string; text: string }): Sentence[] {
  const comments = [...blockComments(path, text), ...commentsOnLines(path, text)]
  const blocks = path.endsWith('.md') ? blocksOfPage(text) : [...comments, ...titlesOf(path, text)]
  return blocks.flatMap(sentencesIn)
}

function blocksOfPage(page: string): Block[] {
  const blocks: Block[] = []
  let open = false
  const prose = page.replace(/^( *)```[\s\S]*?^\1```/gm, (code) => code.replace(/[^\n]/g, ''))
  for (const [at, text] of prose.split('\n').entries()) {
    const line = at + 1
    const mark = /^\s*(?:#{1,6}|[-*>]|\d+\.)\s+/.exec(text)?.[0] ?? ''
    const cells = /^\s*\|/.test(text) ? text.split('|') : []
    if (text.trim() === '' || cells.length > 0) {
      blocks.push(...cells.map((cell) => [{ line, text: cell }]))
      open = false
      continue
    }
    if (!open || mark !== '') blocks.push([])
    blocks.at(-1)!.push({ line, text: text.slice(mark.length) })
    open = !mark.includes('#')
  }
  return blocks
}

function blockComments(path: string, text: string): Block[] {
  if (!/\.(?:ts|js|mjs|css)$/.test(path)) return []
  return [...text.matchAll(/\/\*([\s\S]*?)\*\//g)].map(({ 1: comment = '', index }) => {
    const first = lineAt(text, index)
    return comment.split('\n').map((line, at) => ({ line: first + at, text: line.replace(/^\s*\*+/, '') }))
  })
}

/** Joins successive lines of comments to one block. */
function commentsOnLines(path: string, text: string): Block[] {
  const comment = lineComments.find(([files]) => files.test(path))?.[1]
  if (comment === undefined) return []
  const blocks: Block[] = []
  let open = false
  for (const [at, whole] of text.split('\n').entries()) {
    const [, before = '', words] = comment.exec(whole) ?? []
    const alone = words !== undefined && before.trim() === ''
    if (words !== undefined) {
      if (!open || !alone) blocks.push([])
      blocks.at(-1)!.push({ line: at + 1, text: words })
    }
    open = alone
  }
  return blocks
}

function titlesOf(path: string, text: string): Block[] {
  if (!path.endsWith('.test.ts')) return []
  const titles = text.matchAll(/\b(?:test|describe|it)(?:\.\w+)?\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g)
  return [...titles].map(({ 2: title = '', index }) => [{ line: lineAt(text, index), text: title }])
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}

/** Divides a block after a full stop, a colon, a question mark or an exclamation mark before a capital. */
function sentencesIn(block: Block): Sentence[] {
  const sentences: { line: number; text: string }[] = []
  for (const { line, text } of block) {
    const parts = text.trim().split(/(?<=[.:?!][)"'’*_]*)\s+(?=[(*_"'‘]*\p{Lu})/u)
    const before = sentences.at(-1)
    const begins = /^[(*_"'‘]*\p{Lu}/u.test(text.trim()) && /[.:?!][)"'’*_]*$/.test(before?.text ?? '.')
    if (before !== undefined && !begins) before.text += ` ${parts.shift()}`
    sentences.push(...parts.filter((part) => part !== '').map((part) => ({ line, text: part })))
  }
  return sentences
}
