import type { Part } from './render-markdown.ts'

/** A page as the search knows it. */
export type Searched = { readonly path: string; readonly title: string; readonly parts: readonly Part[] }

/** A part of a page that answers a question. `found`: the words around the first hit. */
export type Hit = { readonly path: string; readonly title: string; readonly heading: string; readonly found: string }

/** The most characters and words of a question, and the most answers to it. */
export const QUESTION_MAX = 100
const WORDS_MAX = 6
const HITS_MAX = 20
const AROUND = 90

type Indexed = Hit & { readonly folded: { readonly heading: string; readonly text: string }; readonly text: string }

/** Letters without accents and in lower case, so that `échoué` is found by `echoue`. Each letter stays one letter. */
function fold(text: string): string {
  return text.replace(/\p{L}/gu, (letter) => letter.normalize('NFD').charAt(0).toLowerCase())
}

/** Prepares the pages of one language, and returns the search in them. */
export function createSearch(pages: readonly Searched[]): (question: string) => readonly Hit[] {
  const indexed = pages.flatMap(({ path, title, parts }) =>
    parts.map(({ id, heading, text }): Indexed => {
      const folded = { heading: fold(`${title} ${heading}`), text: fold(text) }
      return { path: id === '' ? path : `${path}#${id}`, title, heading, text, found: '', folded }
    }),
  )
  return (question) => {
    const words = fold(question.slice(0, QUESTION_MAX))
      .split(/[^\p{L}\p{N}_]+/u)
      .filter((word) => word.length > 1)
      .slice(0, WORDS_MAX)
    if (words.length === 0) return []
    return indexed
      .map((part) => ({ part, score: scoreOf(part, words) }))
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score)
      .slice(0, HITS_MAX)
      .map(({ part: { path, title, heading, folded, text } }) => {
        const at = Math.min(...words.map((word) => folded.text.indexOf(word)).filter((place) => place >= 0))
        return { path, title, heading, found: excerpt(text, Number.isFinite(at) ? at : 0) }
      })
  }
}

/** A part answers when it holds every word; a word in a heading, and one that begins a word, counts more. */
function scoreOf({ folded }: Indexed, words: readonly string[]): number {
  let score = 0
  for (const word of words) {
    const inHeading = folded.heading.includes(word)
    const inText = folded.text.includes(word)
    if (!inHeading && !inText) return 0
    score += (inHeading ? 8 : 0) + (inText ? 1 : 0) + (` ${folded.text}`.includes(` ${word}`) ? 1 : 0)
  }
  return score
}

function excerpt(text: string, at: number): string {
  const begin = Math.max(0, at - AROUND)
  const end = Math.min(text.length, at + AROUND)
  return `${begin > 0 ? '…' : ''}${text.slice(begin, end).trim()}${end < text.length ? '…' : ''}`
}
