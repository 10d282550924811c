import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { Secret } from '../../values/secret.ts'
import { CommandError } from '../command.ts'

/**
 * Asks for secrets on the terminal without showing what the person types. From a pipe it reads one line for each
 * question. Questions go to standard error, so that standard output holds only the JSON answer.
 */
export function openSecretPrompt() {
  const terminal = process.stdin.isTTY === true
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: unseen, terminal })
  const typed = lines[Symbol.asyncIterator]()
  return {
    /** @throws CommandError when the input ends before the answer */
    async ask(question: string): Promise<Secret> {
      process.stderr.write(question)
      const { value, done } = await typed.next()
      if (terminal) process.stderr.write('\n')
      if (done === true) throw new CommandError('The input ended before the answer.', 2)
      return new Secret(String(value))
    },
    close: () => lines.close(),
  }
}
