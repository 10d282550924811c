import { readFile } from 'node:fs/promises'

/** Answers of a real run, by operation and status. A run of tests/contract/examples.test.ts with UPDATE_EXAMPLES=1 records them. */
export type AnswerExamples = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** Reads the recorded answers. */
export async function readAnswerExamples(): Promise<AnswerExamples> {
  return JSON.parse(await readFile(new URL('./answer-examples.json', import.meta.url), 'utf8')) as AnswerExamples
}
