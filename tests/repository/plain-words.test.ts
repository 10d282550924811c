import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTree, textsOf } from './tree.ts'

// CONTRIBUTING.md has five rules of plain words; these are what a machine can see of them. What was written down once keeps its words.

const pages = textsOf(await readTree(), /\.md$/).filter(
  ({ path }) => !/^benches\/notebook\/|^docs\/decisions\/archive\//.test(path),
)

/** The sentences of a page that stand in its paragraphs and lists, on one line each; without code, tables and headings. */
function sentencesOf(text: string): string[] {
  return text
    .replace(/```[\s\S]*?```/g, '')
    .replace(/^(?:\||#).*$/gm, '\n')
    .split(/\n\s*\n|\n(?=\s*(?:- |\d+\. ))/)
    .map((paragraph) =>
      paragraph
        .replace(/^\s*(?:- |\d+\. )?/, '')
        .replaceAll('**', '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .flatMap((paragraph) => paragraph.split(/(?<=[.!?]) /))
}

test('no sentence of a page begins with who, what, whoever or which unless it asks', () => {
  const riddles = pages.flatMap(({ path, text }) =>
    sentencesOf(text)
      .filter((sentence) => /^(?:Who|What|Whoever|Whatever|Which)\b/.test(sentence) && !sentence.endsWith('?'))
      .map((sentence) => `${path}: ${sentence}`),
  )
  assert.deepEqual(riddles, [], 'name the actor: "A worker that …" instead of "Who …"')
})
