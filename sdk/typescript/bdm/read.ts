import { readFile } from 'node:fs/promises'
import type { BandamaError } from '../src/errors.ts'
import type { R } from '../src/options.ts'
import { verify as verifySigned } from '../src/webhooks.ts'
import type { Connection } from './connect.ts'
import { type Form, put, putAll, putOne, readInput } from './print.ts'
import { Sentence } from './sentence.ts'

/** Reads a resource by its id, whose prefix says what it is. */
export async function get({ client }: Connection, id: string | undefined, form: Form): Promise<void> {
  if (id === undefined) throw new Sentence('Which one? Such as bdm get txn_….')
  const prefix = id.slice(0, id.indexOf('_') + 1)
  const read: Readonly<Record<string, () => Promise<object>>> = {
    // Payments and payouts have the same prefix.
    txn_: () =>
      client.payments.get(id).catch((error: BandamaError) => {
        if (error.code !== 'resource_not_found' && error.code !== 'insufficient_scope') throw error
        return client.payouts.get(id)
      }),
    por_: () => client.payouts.get(id),
    pob_: () => client.batches.get(id),
    pbd_: () => client.beneficiaries.get(id),
    stl_: () => client.settlements.get(id),
    lnk_: () => client.links.get(id),
    evt_: () => client.events.get(id),
  }
  const reader = Object.hasOwn(read, prefix) ? read[prefix] : undefined
  if (reader === undefined) throw new Sentence(`${id} has no known prefix: use one of ${Object.keys(read).join(', ')}.`)
  putOne(await reader(), form)
}

/** Lists resources, newest first. @param filters `name=value`, as the reference names them */
export async function list(
  { client }: Connection,
  [what = '', ...filters]: string[],
  options: Form & { limit?: string | undefined },
): Promise<void> {
  const lists: Readonly<Record<string, (query: never) => AsyncIterable<object>>> = {
    payments: client.payments.list,
    payouts: client.payouts.list,
    batches: client.batches.list,
    settlements: client.settlements.list,
    beneficiaries: client.beneficiaries.list,
    links: client.links.list,
    events: client.events.list,
  }
  const read = Object.hasOwn(lists, what) ? lists[what]! : null
  if (read === null) throw new Sentence(`Which list? One of ${Object.keys(lists).join(', ')}.`)
  const limit = Number(options.limit ?? 20)
  if (!Number.isInteger(limit) || limit < 1) throw new Sentence('--limit must be a whole number of at least 1.')
  await putAll(read({ limit: String(Math.min(limit, 100)), ...fieldsOf(filters) } as never), limit, options)
}

/** Fields that are numbers in the contract; `name:=` writes any other JSON. */
const NUMBERS = new Set(['amount', 'min_amount', 'max_amount'])

type Fields = Record<string, unknown>

/** Without a prototype, so that every name is a field. */
const empty = (): Fields => Object.create(null) as Fields

/** Reads `name=value` and `name:=JSON`, with dots for what is inside. @throws Sentence at a word of another form */
export function fieldsOf(words: readonly string[]): Fields {
  const fields = empty()
  for (const word of words) {
    const [, path, how, text] = /^([a-z_]+(?:\.[a-z_]+)*)(:?=)(.*)$/s.exec(word) ?? []
    if (path === undefined) throw new Sentence(`${word} is no field: write name=value, or name:=JSON.`)
    const names = path.split('.')
    let at = fields
    for (const name of names.slice(0, -1)) {
      const inner: unknown = at[name] ?? empty()
      if (typeof inner !== 'object' || inner === null)
        throw new Sentence(`${name} is given twice: as a value, and with ${path}.`)
      at[name] = inner
      at = inner as Fields
    }
    const last = names.at(-1)!
    at[last] = how === ':=' ? jsonOf(text!, path) : NUMBERS.has(last) && /^\d{1,12}$/.test(text!) ? Number(text) : text
  }
  return fields
}

function jsonOf(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Sentence(`${path} is no JSON: write ${path}=… for a text.`)
  }
}

const makers = (client: Connection['client']) =>
  ({
    payment: client.payments.create,
    checkout: client.checkout.create,
    link: client.links.create,
    payout: client.payouts.create,
    batch: client.batches.create,
    settlement: client.settlements.create,
    beneficiary: client.beneficiaries.create,
  }) as Readonly<Record<string, (body: never, call: never) => R<object>>>

/** The resources that `bdm create` makes. */
export const made = ['payment', 'checkout', 'link', 'payout', 'batch', 'settlement', 'beneficiary'] as const

/** Makes a resource, under a key with which the same call can be repeated. */
export async function create(
  { client }: Connection,
  [what = '', ...words]: string[],
  options: Form & { key?: string | undefined },
): Promise<void> {
  const call = options.key === undefined ? {} : { idempotencyKey: options.key }
  putOne(await makers(client)[what]!(fieldsOf(words) as never, call as never), options)
}

/** Verifies a webhook that was kept, on its bytes. */
export async function verify(
  secret: string,
  file: string | undefined,
  { signature }: { signature?: string | undefined },
): Promise<void> {
  if (signature === undefined)
    throw new Sentence('--signature is missing: the header of the webhook that ends in -Signature, t=…,v1=….')
  const body = file === undefined || file === '-' ? await readInput() : await readFile(file).catch(() => null)
  if (body === null) throw new Sentence(`${file} cannot be read: give the file with the body as it came.`)
  const { type, id } = await verifySigned(body, secret, { headers: { 'x-signature': signature } })
  put(`Right: ${type} ${id}.`)
}
