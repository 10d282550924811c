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

/** Signs the command line in as a person with a password and a telephone. */
export function logIn(
  env: NodeJS.ProcessEnv,
  person: { email: string; password: string } & Pick<Telephone, 'nextCode'>,
): Promise<Ran> {
  return runCommand(env, ['login', '--email', person.email], [person.password, person.nextCode()])
}
