import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { merchantRoles } from '../../src/values/rights.ts'
import { openFullShop, screensFrom } from '../browser/every-screen.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { type Member, openMember } from '../harness/teams.ts'
import { csv } from './batch-shop.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation({ own: 'stops payouts' })
})
after(() => installation[Symbol.asyncDispose]())

/** An id of ours: with its prefix, of a beneficiary or a form, or of a key. */
const ids =
  /(?<![\w-])(?:[a-z]{2,3}_[0-9a-z]{26}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-hjkmnp-tv-z]{13})(?![\w-])/g
const kindOf = (id: string) => (id.includes('_') ? id.split('_')[0]! : id.includes('-') ? 'uuid' : 'key')

type Fields = readonly (readonly [string, string])[]
/** A request of a page: a link, or a form with its fields. */
type Request = { path: string; fields: Fields | null }
/** A place of a request with an id. `shape`: its name, the same for every merchant. */
type Slot = { shape: string; id: string; put: (id: string) => Request }
type Shop = { base: string; member: Member; slots: ReadonlyMap<string, Slot> }

/** Opens a merchant with all kinds of resources, and finds the places for ids on its pages. */
async function openShop(): Promise<Shop> {
  const { merchant_id } = await openFullShop(installation)
  const base = `/console/test/${merchant_id}`
  const member = await openMember(installation, 'Aya Kouassi', { merchant_id, roles: merchantRoles })
  const file = { name: 'salaires.csv', bytes: csv('Awa Koné;0701020304;orange_ci;100;a') }
  assert.equal((await member.upload(`${base}/batches/new`, file)).status, 303)
  const slots = new Map<string, Slot>()
  for (const path of (await screensFrom(member, base)).values())
    for (const request of requestsIn((await member.get(path)).text))
      if (request.path.startsWith(base)) for (const slot of slotsOf(request, base)) slots.set(slot.shape, slot)
  return { base, member, slots }
}

const read = (text: string) => text.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'")

function requestsIn(text: string): Request[] {
  const links = [...text.matchAll(/<a\b[^>]* href="([^"#]+)/g)].map(([, path]) => ({ path: read(path!), fields: null }))
  const forms = [...text.matchAll(/<form\b[^>]* method="post" action="([^"]+)"[^>]*>([\s\S]*?)<\/form>/g)]
  return [
    ...links,
    ...forms.flatMap(([, action, inside]) =>
      [action!, ...[...inside!.matchAll(/formaction="([^"]+)"/g)].map(([, path]) => path!)].map((path) => ({
        path: read(path),
        fields: fieldsIn(inside!),
      })),
    ),
  ]
}

function fieldsIn(form: string): Fields {
  const inputs = [...form.matchAll(/<(?:input|button)\b[^>]* name="([^"]+)"[^>]*? value="([^"]*)"/g)]
  const selects = [...form.matchAll(/<select\b[^>]* name="([^"]+)"[^>]*>([\s\S]*?)<\/select>/g)]
  return [
    ...inputs.map(([, name, value]) => [name!, read(value!)] as const),
    ...selects.flatMap(([, name, list]) =>
      [...list!.matchAll(/<option value="([^"]*)"/g)].map(([, value]) => [name!, read(value!)] as const),
    ),
  ]
}

function slotsOf({ path, fields }: Request, base: string): Slot[] {
  const plain = (text: string) => text.replace(base, '').replace(ids, (id) => `:${kindOf(id)}`)
  const place = `${fields === null ? 'GET' : 'POST'} ${plain(path)}`
  const inPath = [...path.matchAll(ids)].map(([id]) => ({
    shape: `${place}, ${kindOf(id)}`,
    id,
    put: (other: string) => ({ path: path.replace(id, other), fields }),
  }))
  const inFields = (fields ?? []).flatMap(([name, value], nth) =>
    [...value.matchAll(ids)].map(([id]) => ({
      shape: `${place} with ${plain(name)}=:${kindOf(id)}`,
      id,
      put: (other: string) => ({ path, fields: fields!.with(nth, [name, value.replace(id, other)]) }),
    })),
  )
  return [...inPath, ...inFields]
}

/** Sends a request, and returns what its person learns: the answer without ids, fingerprints and times. */
async function answerTo({ member }: Shop, { path, fields }: Request): Promise<string> {
  const address = new URL(path, installation.services[0]!.address)
  const headers = { cookie: member.cookie, accept: 'text/html', 'sec-fetch-site': 'same-origin' }
  const post = fields === null ? {} : { method: 'POST', body: new URLSearchParams(fields as [string, string][]) }
  const response = await fetch(address, { redirect: 'manual', headers, ...post })
  assert.ok(response.status < 500, path)
  return `${response.status} ${response.headers.get('location')} ${await response.text()}`
    .replace(ids, 'ID')
    .replace(/\b[0-9a-f]{16}\b/g, 'FINGERPRINT')
    .replace(/data-passkey="[^"]*"/g, '')
    .replace(/\d\d:\d\d/g, 'TIME')
}

/** An id of the same kind that nobody has. */
const nobodys = (id: string) => `${id.slice(0, -4)}${id.endsWith('0000') ? '1111' : '0000'}`

test('in each path, query and field an id of another merchant or of the other mode is as one that nobody has', async () => {
  const [own, other] = [await openShop(), await openShop()]
  const ownIds = new Set([...own.slots.values()].map(({ id }) => id))
  // The two merchants share some people, who are no strangers.
  const strange = [...other.slots.values()].filter(({ id }) => !ownIds.has(id))
  const elsewhere = own.base.replace('/test/', '/live/')
  const inLive = ({ path, fields }: Request): Request => ({ path: path.replace(own.base, elsewhere), fields })
  const wrong: string[] = []
  for (const { shape, id, put } of own.slots.values()) {
    const foreign = strange.find((one) => one.shape === shape) ?? strange.find((one) => kindOf(one.id) === kindOf(id))
    assert.ok(foreign !== undefined, shape)
    const compare = async (one: Request, none: Request) => {
      let [theirs, before] = [await answerTo(own, one), await answerTo(own, none)]
      // A page of a shop that is at work may change between two readings. Only an answer between two equal ones counts.
      for (let isSteady = false; theirs !== before && !isSteady; ) {
        theirs = await answerTo(own, one)
        const after = await answerTo(own, none)
        isSteady = before === after
        before = after
      }
      if (theirs !== before) wrong.push(`${shape}: ${[theirs, before].map((text) => text.slice(0, 3))}`)
    }
    await compare(put(foreign.id), put(nobodys(foreign.id)))
    // A person has the same roles in both modes.
    if (kindOf(id) !== 'per') await compare(inLive(put(id)), inLive(put(nobodys(id))))
  }
  assert.deepEqual(wrong, [])
  for (const field of ['POST /settlements with destination=:uuid', 'POST /events/replay with endpoint=:whe'])
    assert.ok(own.slots.has(field), `the pages have no ${field}`)
})
