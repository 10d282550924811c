import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Telephone } from './people.ts'

const program = fileURLToPath(new URL('../../bin/bandama', import.meta.url))

export type Ran = { code: number | null; answer: Record<string, unknown>; said: string }

/** Runs a command as a person does who types these lines when they are asked; its answer, and what it said beside it. */
export async function runCommand(
  env: NodeJS.ProcessEnv,
  words: readonly string[],
  typed: readonly string[] = [],
): Promise<Ran> {
  const child = spawn(program, [...words, '--json'], { env, stdio: 'pipe', timeout: 60_000 })
  child.stdin.end(typed.map((line) => `${line}\n`).join(''))
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [answer, said, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, answer: answer === '' ? {} : JSON.parse(answer), said }
}

/** Runs a command that waits until somebody agrees in a browser: the code that it shows, and its end. */
export async function runUntilCode(
  env: NodeJS.ProcessEnv,
  words: readonly string[],
): Promise<{ code: string; said: string; ended: Promise<Ran> }> {
  const child = spawn(program, [...words, '--json'], { env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000 })
  let said = ''
  const shown = Promise.withResolvers<string>()
  child.stderr.on('data', (piece) => {
    said += piece
    const [, code] = /type this code: (\S+)\n/.exec(said) ?? []
    if (code !== undefined) shown.resolve(code)
  })
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  const ended = Promise.all([text(child.stdout), closed]).then(([answer, code]) => {
    shown.reject(new Error(`The command ended without a code: ${said}`))
    return { code, answer: answer === '' ? {} : JSON.parse(answer), said }
  })
  return { code: await shown.promise, said, ended }
}

/** Signs the command line in as a person with a password and a telephone. */
export function logIn(
  env: NodeJS.ProcessEnv,
  person: { email: string; password: string } & Pick<Telephone, 'nextCode'>,
): Promise<Ran> {
  return runCommand(env, ['login', '--email', person.email], [person.password, person.nextCode()])
}
