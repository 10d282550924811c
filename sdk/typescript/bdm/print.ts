import { createInterface } from 'node:readline/promises'
import { Sentence } from './sentence.ts'

/** Says a line for people. */
export const say = (line: string) => void process.stderr.write(`${line}\n`)
/** Writes a line of the result. */
export const put = (line: string) => void process.stdout.write(`${line}\n`)

/** How results are written: lines for people, one JSON value, or one a line. */
export type Form = { json?: boolean | undefined; jsonl?: boolean | undefined }

type Row = Readonly<Record<string, unknown>>

/** Writes one result. */
export function putOne(row: object, { jsonl }: Form): void {
  put(JSON.stringify(row, null, jsonl ? 0 : 2))
}

/** Writes a list as it comes. */
export async function putAll(rows: AsyncIterable<object>, limit: number, { json, jsonl }: Form): Promise<void> {
  const kept: object[] = []
  let count = 0
  if (limit > 0)
    for await (const row of rows) {
      if (json) kept.push(row)
      else put(jsonl ? JSON.stringify(row) : lineOf(row as Row))
      count += 1
      if (count >= limit) break
    }
  if (json) put(JSON.stringify(kept, null, 2))
  else if (count === 0 && !jsonl) say('None.')
}

/** The facts that tell one row from another, in one line. */
export function lineOf(row: Row): string {
  const { id, type, status, amount, currency, merchant_reference, reference, name, code, created_at } = row
  const sum = typeof amount === 'number' ? `${amount} ${String(currency ?? 'XOF')}` : null
  const parts = [created_at, id ?? code, type, status, sum, merchant_reference ?? reference ?? name]
  return parts.filter((part) => part !== null && part !== undefined && part !== '').join('  ')
}

/** Asks before real money moves. @throws Sentence unless the person says yes */
export async function confirmLive(mode: 'test' | 'live', what: string, yes: boolean | undefined): Promise<void> {
  if (mode === 'test' || yes) return
  if (!process.stdin.isTTY) throw new Sentence(`This key is live: ${what} is real. Repeat it with --yes.`)
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await lines.question(`This key is live: ${what} is real. Type yes to go on: `)
  lines.close()
  if (answer.trim() !== 'yes') throw new Sentence('Nothing was sent.')
}

/** Reads all of standard input. */
export async function readInput(): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of process.stdin) parts.push(Buffer.from(part))
  return Buffer.concat(parts)
}

/** Asks for a secret without showing it, or reads it from a pipe. */
export async function readSecret(question: string): Promise<string> {
  const { stdin } = process
  if (!stdin.isTTY) return (await readInput()).toString('utf8').trim()
  process.stderr.write(question)
  stdin.setRawMode(true)
  let typed = ''
  try {
    for await (const part of stdin) {
      for (const letter of String(part)) {
        if (letter === '\r' || letter === '\n') return typed.trim()
        if (letter === '\u0003') throw new Sentence('Nothing was kept.')
        typed = letter === '\u007f' || letter === '\b' ? typed.slice(0, -1) : typed + letter
      }
    }
    return typed.trim()
  } finally {
    stdin.setRawMode(false)
    process.stderr.write('\n')
  }
}
