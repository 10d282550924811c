import { spawn } from 'node:child_process'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Telephone } from './people.ts'
import { program } from './program.ts'

export type Ran = { code: number | null; answer: Record<string, unknown>; said: string }

/** A failed command, with its exit code and its output. */
export class RefusedCommand extends Error {
  readonly code: number
  readonly stdout: string
  readonly stderr: string

  constructor(words: readonly string[], ended: { code: number; stdout: string; stderr: string }) {
    super(`bandama ${words.join(' ')} ended with ${ended.code}: ${ended.stderr}`)
    this.code = ended.code
    this.stdout = ended.stdout
    this.stderr = ended.stderr
  }
}

export type Printed = { code: number; stdout: string; stderr: string }

/** Runs a command with --json in this process, which costs a tenth of a new process. For commands that ask for nothing. */
export async function printInProcess(words: readonly string[], env: NodeJS.ProcessEnv): Promise<Printed> {
  // Loaded on first use, because the command line has most of the service, and few files run a command.
  const { runCommandLine } = await import('../../src/cli/run-command-line.ts')
  let stdout = ''
  const stderr = new PassThrough().setEncoding('utf8')
  const said = text(stderr)
  const print = async (printed: string) => {
    stdout += printed
  }
  const code = await runCommandLine([...words, '--json'], { env, print, stderr })
  stderr.end()
  return { code, stdout, stderr: await said }
}

/**
 * Runs a command with these settings in this process.
 * @returns the object that the command printed
 * @throws RefusedCommand when it fails
 */
export async function runInProcess(words: readonly string[], env: NodeJS.ProcessEnv): Promise<Record<string, unknown>> {
  const printed = await printInProcess(words, env)
  if (printed.code !== 0) throw new RefusedCommand(words, printed)
  return JSON.parse(printed.stdout) as Record<string, unknown>
}

/** Runs a command in this process. Returns its answer, and its output on standard error. For commands that ask for nothing and print no file. */
export async function runHere(env: NodeJS.ProcessEnv, words: readonly string[]): Promise<Ran> {
  const { code, stdout, stderr } = await printInProcess(words, env)
  return { code, answer: stdout === '' ? {} : JSON.parse(stdout), said: stderr }
}

/** Runs a command as a person who types these lines when asked. Returns its answer, and its output on standard error. */
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

/** Runs a command that waits until a person agrees in a browser. Returns its code, and its end. */
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

/** Signs in on the command line as a person with a password and a telephone. */
export function logIn(
  env: NodeJS.ProcessEnv,
  person: { email: string; password: string } & Pick<Telephone, 'nextCode'>,
): Promise<Ran> {
  return runCommand(env, ['login', '--email', person.email], [person.password, person.nextCode()])
}
