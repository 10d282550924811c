import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { IBAN } from '../contract/book.ts'
import { newSettler, type Settler } from '../contract/settler.ts'
import type { Page } from '../harness/console.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { mode } from '../harness/mode.ts'
import { openStaffMember, type StaffMember } from './staff-member.ts'

// The bank's file of the transfers that were made, held against the settlements to be paid.

let installation: Installation
let settler: Settler
let ama: StaffMember
let kofi: StaffMember
let support: StaffMember
const list = `/desk/${mode}/settlements`
const upload = `${list}/transfers`
const record = `${upload}/record`

before(async () => {
  installation = await openInstallation()
  settler = await newSettler(installation, { available: 400_000 })
  ama = await openStaffMember(installation, 'Ama Koné', ['finance'])
  kofi = await openStaffMember(installation, 'Kofi Yao', ['finance'])
  support = await openStaffMember(installation, 'Issa Cissé', ['support'])
})
after(() => installation[Symbol.asyncDispose]())

/** A settlement that Ama validated, so that Kofi pays it. */
async function validated(amount: number): Promise<string> {
  const { id } = (await settler.request(amount)).json() as { id: string }
  const { done } = await ama.confirm(`${list}/${id}/validate`, {}, `${list}/${id}`)
  assert.equal(done.location, `${list}/${id}?done=settlement_validated`)
  return id
}

const statusOf = async (id: string) => ((await settler.read(id)).json() as { status: string }).status
const send = (who: StaffMember, text: string | Uint8Array, fields: Record<string, string> = {}) =>
  who.upload(upload, { name: 'releve.csv', bytes: text }, fields)
const ticked = (page: Page) => [...page.text.matchAll(/name="pay" value="([^"]+)"/g)].map(([, value]) => value!)

/** Sends the ticked lines and answers the question for a fresh factor. */
async function enter(who: StaffMember, picks: readonly string[]): Promise<{ ask: Page; done: Page }> {
  const fields = picks.map((pick) => ['pay', pick] as const)
  const ask = await who.post(record, fields, upload)
  assert.equal(ask.status, 200, ask.text)
  const step_up_id = /name="step_up_id" value="([^"]+)"/.exec(ask.text)?.[1] ?? ''
  const proof = [...fields, ['step_up_id', step_up_id], ['secret_code', await who.code()]] as const
  return { ask, done: await who.post(record, proof, upload) }
}

test('a bank’s file enters the transfers that fit, each by the second of two people, after one fresh factor', async () => {
  const [named, byAccount, wrongSum, waiting] = [
    await validated(11_000),
    await validated(12_000),
    await validated(13_000),
    ((await settler.request(14_000)).json() as { id: string }).id,
  ]
  const file = [
    'SOCIÉTÉ IVOIRIENNE DE BANQUE',
    'Référence;Libellé;Débit;IBAN',
    `VIR-1;VIR ${named.toUpperCase()};"11 000,00";`,
    `VIR-2;Reversement;12.000;${IBAN}`,
    `VIR-3;${wrongSum};13 001;`,
    `VIR-4;${waiting};14000;`,
    'VIR-5;Loyer;900000;',
    '=1+1;Loyer;5000;',
    'VIR-6;Frais;;',
  ].join('\r\n')
  const page = await send(kofi, Buffer.from(file, 'latin1'))
  assert.equal(page.status, 200, page.text)
  assert.deepEqual(ticked(page).toSorted(), [`${named} VIR-1`, `${byAccount} VIR-2`].toSorted())
  for (const words of [
    /À inscrire\u00a0: 2/,
    /rien n’en sort\u00a0: 1/,
    /Le reversement est de 13\u202f000/,
    /Il attend d’être validé/,
    /Aucun reversement à payer n’y ressemble/,
    /Une cellule a une formule/,
  ])
    assert.match(page.text, words)
  assert.ok(!page.text.includes(IBAN), 'no whole account')
  assert.equal(await statusOf(named), 'validated', 'nothing is entered by reading')

  const { ask, done } = await enter(kofi, ticked(page))
  for (const words of [/23\u202f000/, /VIR-1/, /VIR-2/]) assert.match(ask.text, words)
  assert.equal(done.status, 200, done.text)
  assert.match(done.text, /Virements inscrits\u00a0: 2 sur 2/)
  assert.deepEqual(
    [await statusOf(named), await statusOf(byAccount), await statusOf(wrongSum)],
    ['paid', 'paid', 'validated'],
  )
  const acts = await installation.db.sql<{ actor: string; proven: boolean }[]>`
    select actor, step_up_id is not null as proven from audit_log
     where act = 'settlement.pay' and subject in (${named}, ${byAccount})`
  assert.deepEqual(acts, [
    { actor: kofi.email, proven: true },
    { actor: kofi.email, proven: true },
  ])

  // The same file, sent by somebody else: they read who entered what.
  const again = await send(ama, file)
  assert.deepEqual(ticked(again), [])
  assert.equal(again.text.match(/Déjà payé par Kofi Yao/g)?.length, 2)
  // And the form that was open meanwhile enters nothing, without asking for a factor.
  const late = await kofi.post(record, [['pay', `${named} VIR-1`]], upload)
  assert.equal(late.status, 409)
  assert.match(late.text, /Déjà payé par Kofi Yao/)
})

test('of two people who enter one file at once, each transfer is entered once and the second is told', async () => {
  const lea = await openStaffMember(installation, 'Léa Bamba', ['finance'])
  const id = await validated(21_000)
  const file = `reference,label,amount\nVIR-21,${id},21000\n`
  const pages = await Promise.all([kofi, lea].map((who) => send(who, file)))
  assert.ok(pages.every((page) => ticked(page).length === 1))
  const both = await Promise.all([kofi, lea].map((who) => enter(who, [`${id} VIR-21`])))
  assert.deepEqual(both.map(({ done }) => done.status).toSorted(), [200, 409])
  assert.match(both.find(({ done }) => done.status === 409)!.done.text, /Déjà payé par/)
  assert.equal(await statusOf(id), 'paid')
})

test('the person who validated a settlement does not enter its transfer, nor does anybody a reference twice', async () => {
  const [one, other] = [await validated(31_000), await validated(32_000)]
  const file = `reference\tlabel\tamount\nVIR-31\t${one}\t31000\nVIR-31\t${other}\t32000`
  const own = await send(ama, file)
  assert.deepEqual(ticked(own), [])
  assert.match(own.text, /Vous avez validé ce reversement/)
  assert.equal((await ama.post(record, [['pay', `${one} VIR-31`]], upload)).status, 409)
  const { done } = await enter(kofi, ticked(await send(kofi, file)))
  assert.match(done.text, /1 sur 2/)
  assert.match(done.text, /Cette référence a déjà payé stl_/)
  assert.deepEqual([await statusOf(one), await statusOf(other)].toSorted(), ['paid', 'validated'])
})

test('columns that are not known are named by a person, in a file or in lines that are pasted', async () => {
  const id = await validated(41_000)
  const lines = `Op;Txt;Valeur\nVIR-41;${id};41 000`
  const asked = await send(kofi, '', { pasted: lines })
  assert.equal(asked.status, 422)
  assert.match(asked.text, /<option value="2">Valeur/)
  assert.ok(asked.text.includes(`VIR-41;${id}`), 'the lines stay')
  const columns = { column_reference: '0', column_label: '1', column_amount: '2' }
  for (const page of [await send(kofi, lines, columns), await send(kofi, '', { pasted: lines, ...columns })])
    assert.deepEqual(ticked(page), [`${id} VIR-41`])
})

test('a file that is none is refused in a sentence, and nothing of a form is believed', async () => {
  const id = ((await settler.request(5_100)).json() as { id: string }).id
  const code = (page: Page) => [page.status, /id="file-e">([^<]+)/.exec(page.text)?.[1] ?? '']
  assert.deepEqual(code(await send(kofi, Buffer.alloc(50 * 1024 * 1024, 'a;b\n'))), [
    413,
    'Ce fichier est trop grand\u00a0: 2 Mo au plus.',
  ])
  assert.deepEqual(code(await send(kofi, Buffer.from([0, 1, 2]))), [422, 'Ce fichier n’est pas un CSV.'])
  assert.deepEqual(code(await send(kofi, 'reference;label;montant\n"A;x;1')), [
    422,
    'Un guillemet s’ouvre à la ligne 2 et ne se ferme pas.',
  ])
  assert.deepEqual(code(await send(kofi, '')), [422, 'Ce fichier est vide.'])
  const marked = await send(kofi, '<script>;label;montant\n<b>;x;1\n')
  assert.ok(!/<script>;|<b>;/.test(marked.text))
  for (const picks of [[], ['stl_nothing VIR'], [`${id}`], [`${id} \u202e`]])
    assert.equal(
      (
        await kofi.post(
          record,
          picks.map((pick) => ['pay', pick] as const),
          upload,
        )
      ).status,
      422,
    )
  // Not validated: the form says so, and asks for no factor.
  assert.match((await kofi.post(record, [['pay', `${id} VIR-51`]], upload)).text, /Il attend d’être validé/)
  assert.ok(!(await support.get(`${list}?status=validated`)).text.includes('settlements/transfers"'))
  assert.equal((await support.get(upload)).status, 403)
  assert.equal((await support.post(record, [['pay', `${id} VIR-51`]], list)).status, 403)
})
