import assert from 'node:assert/strict'
import { type Browser, giveTelephone, openBrowser, type Page } from '../harness/console.ts'
import type { Installation } from '../harness/installation.ts'

/** One of the staff or of a merchant, with a telephone that gives codes. */
export type StaffMember = Browser & {
  /** The present code of the telephone, which counts again. */
  code(): Promise<string>
  /** Sends a form and answers the question for a fresh factor that comes of it. `ask`: the page of the question. */
  confirm(path: string, fields: Record<string, string>, from: string): Promise<{ ask: Page; done: Page }>
}

export async function openStaffMember(
  { db, services, secret_key }: Installation,
  name: string,
  staff: readonly string[],
  member: { merchant_id?: number; roles?: readonly string[] } = {},
): Promise<StaffMember> {
  const person = await openBrowser(db.sql, services[0]!.address, { staff, name, ...member })
  const code = await giveTelephone(db.sql, secret_key, person)
  return {
    ...person,
    code,
    async confirm(path, fields, from) {
      const ask = await person.post(path, fields, from)
      assert.equal(ask.status, 200, ask.text)
      const step_up_id = /name="step_up_id" value="([^"]+)"/.exec(ask.text)?.[1] ?? ''
      return { ask, done: await person.post(path, { ...fields, step_up_id, secret_code: await code() }, from) }
    },
  }
}

/** The hidden fields of a question for a fresh factor, which come back with its answer. */
export function carried({ text }: Page): Record<string, string> {
  const main = text.slice(text.indexOf('<main'))
  const pairs = [...main.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)]
  return Object.fromEntries(
    pairs.map(([, name, value]) => [name!, value!] as const).filter(([name]) => name !== 'nonce'),
  )
}
