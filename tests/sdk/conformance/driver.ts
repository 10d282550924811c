import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/*
 * THE PROTOCOL. One suite tests the SDK of every language through a driver: a short program in drivers/. It reads one JSON
 * object a line on stdin, calls the SDK, and writes one JSON object a line on stdout. It ends with 0 at the end of stdin. stderr stays empty.
 *
 *   {"id":1,"client":{"key":"…","url":"http://…","timeout_ms":700,"retries":3},"op":"payouts.create","args":[{…}],"call":{"idempotency_key":"…"}}
 *   {"id":2,"client":{…},"op":"events.follow","args":[{"after":"begin","types":["payment.succeeded"]}],"take":20}
 *   {"id":3,"op":"outcome_of","args":[{"object":"payout","status":"failed"}]}
 *   {"id":4,"op":"webhooks.verify","args":["<body>",{"Service-Signature":"t=…,v1=…"},["whsec_…"],300]}
 *
 * client  The driver makes a new client for each line, as a program that crashed and was started again does. Absent for ops without one.
 * op      Resource and method of the SDK in snake case: payments.submit_code, batches.get_check, balances.
 * args    The positional arguments: ids, bodies and queries as on the wire. events.follow takes one object.
 * call    The settings of the call, each optional: idempotency_key, timeout_ms, retries. `wait` knows timeout_ms.
 * take    For ops that give items one by one (`list`, statements.movements, events.follow): stop after so many. Absent: read all.
 *
 *   {"id":1,"ok":{…},"meta":{"request_id":null,"idempotency_key":"…","attempts":1,"status":201}}
 *   {"id":2,"ok":[{"event":{…},"cursor":"…"}]}
 *   {"id":1,"error":{"kind":"no_answer","code":"no_answer","status":null,"request_id":null,"idempotency_key":"…","attempts":4,
 *     "retry_after":null,"may_have_happened":true,"doc_url":"…","message":"…"}}
 *   {"id":2,"error":{…},"items":[…]}
 *
 * ok      The result as JSON: an object; a list of all items; for outcome_of a text; for webhooks.verify the event.
 * meta    Of a call with one result. Absent otherwise.
 * error   The error of the SDK, field by field. A wrong use, refused before anything is sent, is {"kind":"usage","message":"…"}. A webhook that
 *         is not proven is {"kind":"signature","reason":"wrong_time","message":"…"}. Anything else ends the driver: that is a fault.
 * items   With an error: the items that came before it.
 *
 * Answers may come in any order. A driver that works through its lines one after the other is right too: `processes` starts it that often, and
 * `at_once` lines wait in each.
 */

/** A language with an SDK. `command` starts its driver, in the folder of the drivers. A driver of two `clients` gives them its lines in turn. */
export type Language = {
  name: string
  command: readonly [string, ...string[]]
  processes: number
  at_once: number
  clients: number
}

export const languages: readonly Language[] = [
  { name: 'TypeScript', command: [process.execPath, 'typescript.ts'], processes: 1, at_once: 8, clients: 1 },
  { name: 'PHP', command: ['php', 'php.php'], processes: 6, at_once: 1, clients: 1 },
  { name: 'Python', command: ['python3', '-B', 'python.py'], processes: 1, at_once: 8, clients: 2 },
]

export type ClientSettings = { key: string; url: string; timeout_ms?: number; retries?: number }

/** A line to a driver, without its id. */
export type Asked = { client?: ClientSettings; op: string; args?: readonly unknown[]; call?: object; take?: number }

export type DriverError = {
  kind: string
  code?: string
  reason?: string
  status?: number | null
  request_id?: string | null
  idempotency_key?: string | null
  attempts?: number
  retry_after?: number | null
  may_have_happened?: boolean
  doc_url?: string
  message: string
}

/** The answer of a driver. The suite knows the type of a result from what it asked. */
// biome-ignore lint/suspicious/noExplicitAny: each op has its own result.
export type Answered = { id: number; ok?: any; meta?: Record<string, unknown>; error?: DriverError; items?: any[] }

/** The driver of a language: several processes, of which each call goes to the one with the fewest. */
export type Driver = { ask(line: Asked): Promise<Answered> } & AsyncDisposable

/** Returns whether the language can run here. A landing installs all of them. */
export function isInstalled({ command }: Language): boolean {
  return spawnSync(command[0], ['--version'], { stdio: 'ignore' }).status === 0
}

export function openDriver({ command, processes }: Language): Driver {
  const all = Array.from({ length: processes }, () => openProcess(command))
  return {
    ask: (line) => all.reduce((least, one) => (one.waiting.size < least.waiting.size ? one : least)).ask(line),
    async [Symbol.asyncDispose]() {
      await Promise.all(all.map((one) => one.end()))
    },
  }
}

function openProcess([program, ...words]: Language['command']) {
  const cwd = fileURLToPath(new URL('drivers', import.meta.url))
  const child = spawn(program, words, { cwd, stdio: ['pipe', 'pipe', 'pipe'] })
  const waiting = new Map<number, { resolve(answer: Answered): void; reject(error: Error): void }>()
  let last_id = 0
  let complaint = ''
  let fault: Error | null = null
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text
  })
  createInterface(child.stdout).on('line', (line) => {
    const answer = JSON.parse(line) as Answered
    waiting.get(answer.id)?.resolve(answer)
    waiting.delete(answer.id)
  })
  const ended = once(child, 'close').then(([code]) => {
    fault = new Error(`The driver ended with ${code}: ${complaint}`)
    for (const { reject } of waiting.values()) reject(fault)
    return code
  })
  // A process that ends while a line is on its way: its end says more than the broken pipe.
  child.stdin.on('error', () => {})
  return {
    waiting,
    ask(line: Asked): Promise<Answered> {
      if (fault !== null) return Promise.reject(fault)
      const id = ++last_id
      const answer = new Promise<Answered>((resolve, reject) => waiting.set(id, { resolve, reject }))
      child.stdin.write(`${JSON.stringify({ id, ...line })}\n`)
      return answer
    },
    async end() {
      child.stdin.end()
      assert.deepEqual([await ended, complaint], [0, ''])
    },
  }
}
