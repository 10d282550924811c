import assert from 'node:assert/strict'
import { newSender, PATIENCE, type Sender } from '../contract/sender.ts'
import { type Browser, openBrowser, type Page, stepUpIn } from '../harness/console.ts'
import type { Installation } from '../harness/installation.ts'
import { type Member, openMember } from '../harness/teams.ts'
import { waitFor } from '../harness/wait-for.ts'

/** A merchant with money to send: Mariam makes batches and approves those of others, Aya approves, and a viewer reads. */
export type Shop = { sender: Sender; base: string; mariam: Member; aya: Member; viewer: Browser }

export async function newShop(installation: Installation, funds = 1_000_000): Promise<Shop> {
  const sender = await newSender(installation, { funds })
  const { merchant_id, livemode } = sender.tenant
  const { sql } = installation.db
  const { address } = installation.services[0]!
  const person = (name: string, roles: string[]) => openMember(installation, name, { merchant_id, roles })
  const [mariam, aya, viewer] = await Promise.all([
    person('Mariam Traoré', ['maker', 'approver']),
    person('Aya Kouassi', ['approver']),
    openBrowser(sql, address, { merchant_id, roles: ['viewer'], name: 'Jean Ehui' }),
  ])
  return { sender, base: `/console/${livemode ? 'live' : 'test'}/${merchant_id}`, mariam, aya, viewer }
}

/** Returns the text of a page, with plain spaces. */
export async function read(page: Promise<Page> | Page): Promise<string> {
  return (await page).text.replace(/[\u00a0\u202f]/g, ' ')
}

export function csv(...lines: string[]): string {
  return ['nom;numero;operateur;montant;reference', ...lines].join('\r\n')
}

/** Uploads a file. Returns the path of its draft. */
export async function draftOf(
  { base, mariam }: Shop,
  text: string | Uint8Array,
  name = 'salaires.csv',
): Promise<string> {
  const page = await mariam.upload(`${base}/batches/new`, { name, bytes: text }, { name: 'Salaires novembre' })
  assert.equal(page.status, 303, page.text)
  return page.location!
}

/** Confirms an act with a fresh factor. */
export async function confirmed(
  who: Member,
  path: string,
  fields: Record<string, string>,
  from: string,
): Promise<Page> {
  const question = await who.post(path, fields, from)
  const step_up_id = stepUpIn(question)
  if (step_up_id === '') return question
  return who.post(path, { ...fields, step_up_id, secret_code: await who.code() }, from)
}

/** Reads the version of a draft from its page. */
export async function versionOf({ mariam }: Shop, draft: string): Promise<string> {
  return /name="version" value="(\d+)"/.exec((await mariam.get(draft)).text)?.[1] ?? ''
}

/** Submits the form of a draft's lines from its current page. */
export async function mendLines(
  shop: Shop,
  draft: string,
  fields: readonly (readonly [string, string])[],
): Promise<Page> {
  return shop.mariam.post(`${draft}/lines`, [['version', await versionOf(shop, draft)], ...fields], draft)
}

/** Returns the keys of the questions on the page of a draft. */
export async function questionsOf({ mariam }: Shop, draft: string): Promise<string[]> {
  const { text } = await mariam.get(draft)
  return [...text.matchAll(/name="right" value="([^"]*)"/g)].map(([, key = '']) => key.replaceAll('&quot;', '"'))
}

/** Ticks every question on the page of a draft, as a person who has looked. */
export async function answer(shop: Shop, draft: string): Promise<Page> {
  const keys = await questionsOf(shop, draft)
  return mendLines(
    shop,
    draft,
    keys.map((key) => ['right', key] as const),
  )
}

/** The box that says that lines are to be paid again, as a person ticks it. Empty when the page has none. */
export function tickIn({ text }: Page): Record<string, string> {
  const value = /name="repeated" value="([^"]+)"/.exec(text)?.[1]
  return value === undefined ? {} : { repeated: value }
}

export async function makeBatch(shop: Shop, draft: string): Promise<Page> {
  const version = await versionOf(shop, draft)
  return confirmed(shop.mariam, `${draft}/create`, { version, ...tickIn(await shop.mariam.get(draft)) }, draft)
}

export function batchIdIn({ location }: Page): string {
  return /pob_[0-9a-z]+/.exec(location ?? '')![0]
}

export function batchesOf({ db }: Installation, { sender }: Shop) {
  return db.sql<{ id: string; made_by: string; line_count: number }[]>`
    select id, made_by, line_count from payout_batches where merchant_id = ${sender.tenant.merchant_id} order by id`
}

/** Asks the operators about the failed lines of a batch. Returns the text of its page once they have answered. */
export async function untilAsked(who: Member, page: string): Promise<string> {
  const asked = await who.post(`${page}/failed`, {}, page)
  assert.equal(asked.location, `${page}?asked=failed#asked`, asked.text)
  return waitFor(
    async () => {
      const text = await read(who.get(`${page}?asked=failed`))
      return !text.includes('On demande à l’opérateur') && text
    },
    { ...PATIENCE, what: `the answers about ${page}` },
  )
}
