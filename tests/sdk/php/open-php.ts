import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const driver = fileURLToPath(new URL('../conformance/drivers/php.php', import.meta.url))

export const key = 'bdm_sk_test_abcdef_ghijkl'

/** The facts of an error of the SDK, as its driver tells them. */
export type Failure = {
  kind: string
  reason?: string
  code?: string
  status?: number | null
  attempts?: number
  idempotency_key?: string | null
  may_have_happened?: boolean
  doc_url?: string
  message: string
}

// biome-ignore lint/suspicious/noExplicitAny: each op has its own result.
export type Answered = { ok?: any; meta?: Record<string, unknown>; error?: Failure; items?: any[] }

/** Starts the driver of the PHP SDK, with a separator that some hosts set for the links in their pages. @param env `SDK_STREAMS`: without curl */
export function openPhp(env: Record<string, string> = {}) {
  const child: ChildProcess = spawn('php', ['-d', 'arg_separator.output=&amp;', driver], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let complaint = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    complaint += text
  })
  const lines = createInterface(child.stdout!)[Symbol.asyncIterator]()
  const ended = once(child, 'close')
  return {
    /** Asks for one operation after the other. */
    async ask(
      op: string,
      args: unknown[],
      more: { client?: object; call?: object; take?: number } = {},
    ): Promise<Answered> {
      child.stdin!.write(`${JSON.stringify({ id: 1, op, args, ...more })}\n`)
      const { value } = await lines.next()
      assert.ok(value !== undefined, `The driver ended: ${complaint}`)
      return JSON.parse(value)
    },
    async [Symbol.asyncDispose]() {
      child.stdin!.end()
      assert.deepEqual([(await ended)[0], complaint], [0, ''])
    },
  }
}
