import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openFullShop, screensFrom } from '../browser/every-screen.ts'
import type { Browser } from '../harness/console.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'

// Every form of every screen, with as much text as a field holds. A question for a fresh factor is judged before it is stored.

const TEXT = 'z'.repeat(15_000)
const CONTENT_MAX_BYTES = 8_192

let installation: Installation
before(async () => {
  installation = await openInstallation({ own: 'stops payouts' })
})
after(() => installation[Symbol.asyncDispose]())

type Form = { action: string; fields: [string, string][] }

/** The forms of a page that post to its door, with long texts in place of what a person types. */
function formsIn(text: string, page: string): Form[] {
  return [...text.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)].flatMap(([, head, body]) => {
    if (!/method="post"/.test(head!)) return []
    const action = (/action="([^"]*)"/.exec(head!)?.[1] ?? page).replaceAll('&amp;', '&')
    const inputs = [...body!.matchAll(/<(?:input|textarea|select)\b[^>]*>/g)].map(([tag]) => {
      const name = /name="([^"]+)"/.exec(tag)?.[1]
      const typed = !/type="(?:hidden|checkbox|radio|file)"|^<select/.test(tag)
      return name === undefined || name === 'nonce'
        ? []
        : [[name, typed ? TEXT : (/value="([^"]*)"/.exec(tag)?.[1] ?? '')] as [string, string]]
    })
    return [{ action, fields: inputs.flat() }]
  })
}

test('no form of the console or the desk stores a question of more than 8 kB', { timeout: 300_000 }, async () => {
  const { merchant_id, owner } = await openFullShop(installation)
  const pages = async (first: string) => [...(await screensFrom(owner, first)).values()]
  const forms = new Map<string, { form: Form; page: string }>()
  for (const page of [...(await pages(`/console/test/${merchant_id}`)), ...(await pages('/desk/test'))]) {
    for (const form of formsIn((await owner.get(page)).text, page)) {
      if (!/sign-out|\/account\/sessions/.test(form.action)) forms.set(form.action, { form, page })
    }
  }
  assert.ok(forms.size > 40, `${forms.size} forms`)
  for (const { form, page } of forms.values()) {
    const fields = [...form.fields, ...form.fields.flatMap((one) => [one, one])]
    const { status } = await (owner as Browser).post(form.action, fields, page)
    assert.ok(status < 500, `${form.action} answered ${status}`)
  }
  const [row] = await installation.db.sql<{ questions: number; longest: number }[]>`
    select count(*)::integer as questions, max(octet_length(content)) as longest from step_ups`
  assert.ok(row!.questions > 0, 'some of the forms ask')
  assert.ok(row!.longest <= CONTENT_MAX_BYTES, `the longest question has ${row!.longest} bytes`)
})
