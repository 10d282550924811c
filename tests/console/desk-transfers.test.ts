import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { lockAccounts } from '../../src/ledger/post.ts'
import { IBAN } from '../contract/book.ts'
import { newSettler } from '../contract/settler.ts'
import { type Page, stepUpIn } from '../harness/console.ts'
import { hold } from '../harness/hold.ts'
import { type Member, openMember } from '../harness/teams.ts'
import { openSettlementDesk, type SettlementDesk, settlementList } from './settlement-desk.ts'

// The bank's file of completed transfers, compared with the settlements to pay.

let installation: SettlementDesk['installation']
let settler: SettlementDesk['settler']
let ama: SettlementDesk['ama']
let kofi: SettlementDesk['kofi']
let support: SettlementDesk['support']
let validated: SettlementDesk['validated']
let statusOf: SettlementDesk['statusOf']
const list = settlementList
const upload = `${list}/transfers`
const record = `${upload}/record`

before(async () => {
  ;({ installation, settler, ama, kofi, support, validated, statusOf } = await openSettlementDesk({
    available: 500_000,
  }))
})
after(() => installation[Symbol.asyncDispose]())

const send = (who: Member, text: string | Uint8Array, fields: Record<string, string> = {}) =>
  who.upload(upload, { name: 'releve.csv', bytes: text }, fields)
const offered = (page: Page) => [...page.text.matchAll(/name="pay" value="([^"]+)"/g)].map(([, value]) => value!)
const daysIn = (page: Page) => [...page.text.matchAll(/name="days" value="([^"]+)"/g)].map(([, value]) => value!)
const ticked = (page: Page) => [...page.text.matchAll(/name="pay" value="([^"]+)" checked/g)].map(([, value]) => value!)
/** Writes a date as banks do, with the day before the month. */
const today = () => new Date().toISOString().slice(0, 10).split('-').reverse().join('/')

/** Submits the ticked lines with their dates, and answers the step-up. */
async function enter(
  who: Member,
  picks: readonly string[],
  days: readonly string[] = [],
): Promise<{ ask: Page; done: Page }> {
  const fields = [...picks.map((pick) => ['pay', pick] as const), ...days.map((line) => ['days', line] as const)]
  return who.confirm(record, fields, upload)
}

test('a person enters the matching transfers of a bank’s file with one fresh factor, as the second of two people', async () => {
  const [named, byAccount, wrongSum, waiting] = [
    await validated(11_000),
    await validated(12_000),
    await validated(13_000),
    ((await settler.request(14_000)).json() as { id: string }).id,
  ]
  const file = [
    'SOCIÉTÉ IVOIRIENNE DE BANQUE',
    'Référence;Libellé;Débit;IBAN bénéficiaire;Date',
    `VIR-1;VIR ${named.toUpperCase()};"11 000,00";;`,
    `VIR-2;Reversement;12.000;${IBAN};${today()}`,
    `VIR-3;${wrongSum};13 001;;`,
    `VIR-4;${waiting};14000;;`,
    'VIR-5;Loyer;900000;;',
    '=1+1;Loyer;5000;;',
    'VIR-6;Frais;;;',
  ].join('\r\n')
  const page = await send(kofi, Buffer.from(file, 'latin1'))
  assert.equal(page.status, 200, page.text)
  assert.deepEqual(offered(page).toSorted(), [`${named} VIR-1`, `${byAccount} VIR-2`].toSorted())
  assert.deepEqual(ticked(page), [`${named} VIR-1`], 'only our reference ticks by itself')
  for (const words of [
    /À inscrire\u00a0: 2/,
    /rien n’en sort\u00a0: 1/,
    /Le reversement est de 13\u202f000/,
    /Il attend d’être validé/,
    /Aucun reversement à payer ne lui correspond/,
    /Une cellule a une formule/,
  ])
    assert.match(page.text, words)
  assert.ok(!page.text.includes(IBAN), 'no whole account')
  assert.equal(await statusOf(named), 'validated', 'nothing is entered by reading')

  const { ask, done } = await enter(kofi, offered(page))
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

  // Another person uploads the same file, and reads who entered each transfer.
  const again = await send(ama, file)
  assert.deepEqual(offered(again), [])
  assert.equal(again.text.match(/Déjà payé par Kofi Yao/g)?.length, 2)
  // The form that was open meanwhile enters nothing, and asks for no factor.
  const late = await kofi.post(record, [['pay', `${named} VIR-1`]], upload)
  assert.equal(late.status, 409)
  assert.match(late.text, /Déjà payé par Kofi Yao/)
})

test('if two people enter one file at once, each transfer is entered once, and the second person reads so', async () => {
  const lea = await openMember(installation, 'Léa Bamba', { staff: ['finance'] })
  const id = await validated(21_000)
  const file = `reference,label,debit\nVIR-21,${id},21000\n`
  const pages = await Promise.all([kofi, lea].map((who) => send(who, file)))
  assert.ok(pages.every((page) => ticked(page).length === 1))
  // Both open the step-up before either answers it.
  const fields = [['pay', `${id} VIR-21`]] as const
  const asks = await Promise.all([kofi, lea].map((who) => who.post(record, fields, upload)))
  const both = await Promise.all(
    [kofi, lea].map(async (who, at) => {
      const proof = [['step_up_id', stepUpIn(asks[at]!)] as const, ['secret_code', await who.code()] as const]
      return who.post(record, [...fields, ...proof], upload)
    }),
  )
  assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 409])
  assert.match(both.find(({ status }) => status === 409)!.text, /Déjà payé par/)
  assert.equal(await statusOf(id), 'paid')
})

test('the validator of a settlement does not enter its transfer, and nobody enters a reference twice', async () => {
  const [one, other] = [await validated(31_000), await validated(32_000)]
  const file = `reference\tlabel\tdebit\nVIR-31\t${one}\t31000\nVIR-31\t${other}\t32000`
  const own = await send(ama, file)
  assert.deepEqual(ticked(own), [])
  assert.match(own.text, /Vous avez demandé ou validé ce reversement/)
  assert.equal((await ama.post(record, [['pay', `${one} VIR-31`]], upload)).status, 409)
  const { done } = await enter(kofi, ticked(await send(kofi, file)))
  assert.match(done.text, /1 sur 2/)
  assert.match(done.text, /Cette référence a déjà payé stl_/)
  assert.deepEqual([await statusOf(one), await statusOf(other)].toSorted(), ['paid', 'validated'])
})

test('a person assigns unknown columns, of a file or of pasted lines', async () => {
  const id = await validated(41_000)
  const lines = `Op;Txt;Valeur\nVIR-41;${id};41 000`
  const paste = (fields: Record<string, string> = {}) => kofi.post(upload, { pasted: lines, ...fields }, upload)
  const asked = await paste()
  assert.equal(asked.status, 422)
  assert.match(asked.text, /<option value="2">Valeur/)
  assert.ok(asked.text.includes(`VIR-41;${id}`), 'the lines stay')
  const columns = { column_reference: '0', column_label: '1', column_debit: '2' }
  for (const page of [await send(kofi, lines, columns), await paste(columns)])
    assert.deepEqual(ticked(page), [`${id} VIR-41`])
})

test('a returned transfer is not entered, nor one whose direction is uncertain', async () => {
  const id = await validated(51_000)
  const signed = `reference;libelle;montant\nVIR-51;${id};-51 000\nOP-52;RETOUR ${id};51 000\nOP-53;Vente;9 000`
  const columns = { column_reference: '0', column_label: '1', column_amount: '2' }
  const returned = await send(kofi, signed, { ...columns, minus: 'left' })
  assert.equal(returned.status, 200, returned.text)
  assert.deepEqual(offered(returned), [])
  assert.equal(returned.text.match(/De l’argent de ce virement est revenu/g)?.length, 2)
  assert.match(returned.text, /rien n’en sort\u00a0: 1/)
  const plain = `reference;libelle;montant\nVIR-51;${id};51 000`
  const reversal = `reference;libelle;montant\nVIR-51;ANNULATION ${id};-51 000`
  for (const text of [signed, plain, reversal]) {
    const asked = await send(kofi, text)
    assert.equal(asked.status, 422)
    assert.match(asked.text, /Rien ne dit si ces montants sont sortis ou entrés/)
  }
  assert.deepEqual(ticked(await send(kofi, plain, { ...columns, minus: 'came_back' })), [`${id} VIR-51`])
  const undone = await send(kofi, reversal, { ...columns, minus: 'came_back' })
  assert.deepEqual(offered(undone), [])
  assert.match(undone.text, /De l’argent de ce virement est revenu/)
  const headless = `VIR-51;${id};51 000`
  const first = await send(kofi, headless)
  assert.match(first.text, /<option value="transfer" selected>/)
  const named = { column_reference: '0', column_label: '1', column_debit: '2', first_line: 'transfer' }
  assert.deepEqual(ticked(await send(kofi, headless, named)), [`${id} VIR-51`])
})

test('the return of a transfer of an earlier file links to its settlement, and changes nothing', async () => {
  const id = await validated(5_300)
  await enter(kofi, [`${id} VIR-2026-53`])
  const file = [
    'reference;libelle;debit;credit',
    'OP-88;REJET VIR-2026-53 COMPTE CLOS;;5 250',
    'VIR-2026-53;RETOUR;;5 300',
    'OP-89;Vente;;5 300',
  ]
  const returned = await send(ama, file.join('\n'))
  assert.equal(returned.text.match(/nomme un virement déjà inscrit comme payé/g)?.length, 2)
  assert.ok(returned.text.includes(`href="${list}/${id}"`))
  assert.deepEqual(offered(returned), [])
  assert.match(returned.text, /rien n’en sort\u00a0: 1/)
  assert.equal(await statusOf(id), 'paid')
})

test('doubtful dates are shown at their transfer, and a person must tick it', async () => {
  const ids = [await validated(5_401), await validated(5_402), await validated(5_403), await validated(5_404)]
  const [good, early, late, unread] = ids
  const day = today()
  const file = [
    'date;date de valeur;reference;libelle;debit',
    `${day};${day};VIR-541;${good};5401`,
    `${day};31.12.25;VIR-542;${early};5402`,
    `31/12/2099;;VIR-543;${late};5403`,
    `31/02/2026;;VIR-544;${unread};5404`,
  ]
  const page = await send(kofi, file.join('\n'))
  assert.equal(offered(page).length, 4)
  assert.deepEqual(ticked(page), [`${good} VIR-541`])
  for (const words of [
    /Valeur\u00a0: 31.décembre.2025/,
    /Avant la validation du/,
    /Une date à venir/,
    /Date illisible\u00a0: 31\/02\/2026/,
  ])
    assert.match(page.text, words)
  for (const id of ids) assert.equal(await statusOf(id), 'validated')

  const nameless = await send(
    kofi,
    `date;reference;libelle;debit;iban beneficiaire\n31/02/2026;VIR-546;Reversement;5403;${IBAN}`,
  )
  assert.deepEqual(offered(nameless), [])
  assert.match(nameless.text, /Ligne 2[\s\S]*Date illisible\u00a0: 31\/02\/2026\. Sans notre référence ni date/)

  // The bank's dates are stored with the reference.
  const { done } = await enter(kofi, [...ticked(page), `${early} VIR-542`], daysIn(page))
  assert.match(done.text, /Virements inscrits\u00a0: 2 sur 2/)
  const kept = await installation.bandama('settlement', 'show', '--id', early!)
  assert.deepEqual([kept.booking_date, kept.value_date], [day.split('/').reverse().join('-'), '2025-12-31'])
  assert.match((await kofi.get(`${list}/${early}`)).text, /virement VIR-542, opération du .*, valeur du 31/)
})

test('dates that a form invents are not stored', async () => {
  const id = await validated(5_405)
  await enter(kofi, [`${id} VIR-545`], [`${id} 2026-02-31 yesterday`])
  const kept = await installation.bandama('settlement', 'show', '--id', id)
  assert.deepEqual([kept.status, kept.booking_date, kept.value_date], ['paid', null, null])
})

test('an earlier transfer does not pay a later settlement', async () => {
  const [before, now] = [await validated(52_000), await validated(52_000)]
  assert.match((await enter(kofi, [`${before} CHQ-OLD`])).done.text, /1 sur 1/)
  const file = (date: string, more = '') =>
    `date;reference;libelle;debit;iban beneficiaire\n${date};VIR-52;Reversement;52 000;${IBAN}\n${more}`
  const doubtful = await send(kofi, file(today()))
  assert.deepEqual(offered(doubtful), [])
  assert.match(doubtful.text, /avec une référence qui n’est pas dans ce fichier/)
  const early = await send(kofi, file('01/01/2026', `${today()};CHQ-OLD;x;52 000;`))
  assert.deepEqual(offered(early), [])
  assert.match(early.text, /fait avant la validation/)
  const fits = await send(kofi, file(today(), `${today()};CHQ-OLD;x;52 000;`))
  assert.deepEqual([offered(fits), ticked(fits)], [[`${now} VIR-52`], []])
})

test('a transfer that the bank made twice is shown, also after its settlement was entered as paid', async () => {
  const id = await validated(53_000)
  const file = (...lines: [day: string, reference: string][]) =>
    `date;reference;libelle;debit\n${lines.map(([day, reference]) => `${day};${reference};${id};53000`).join('\n')}`
  // Some banks repeat our label as the reference.
  const first = await send(kofi, file([today(), id]))
  assert.match((await enter(kofi, offered(first), daysIn(first))).done.text, /1 sur 1/)
  const twice = /vérifiez qu’il n’est pas payé deux fois/
  assert.doesNotMatch((await send(ama, file([today(), id]))).text, twice, 'the same line in a later file')
  const again = await send(ama, file(['31/12/2099', id]))
  assert.match(again.text, /À vérifier[\s\S]*Déjà payé par Kofi Yao[\s\S]*vérifiez qu’il n’est pas payé deux fois/)
  assert.match((await send(ama, file([today(), 'VIR-53']))).text, twice)
  const both = await send(ama, file([today(), id], [today(), id]))
  assert.equal(both.text.match(/Deux lignes le paient/g)?.length, 2)
})

test('an account that is the same on all lines is ours, and is not compared', async () => {
  const [one, other] = [await validated(6_100), await validated(6_200)]
  const file = (title: string) =>
    `reference;libelle;debit;${title}\nVIR-61;${one};6100;CI99 0001\nVIR-62;${other};6200;CI99 0001`
  const ours = await send(kofi, file('compte'))
  assert.equal(ticked(ours).length, 2)
  assert.match(ours.text, /Compte non comparé/)
  const theirs = await send(kofi, file('compte bénéficiaire'))
  assert.deepEqual(offered(theirs), [])
  assert.equal(theirs.text.match(/allé vers un autre compte/g)?.length, 2)
})

test('while others hold the money of one merchant, only that merchant’s transfer is not entered', async () => {
  const neighbour = await newSettler(installation, { available: 50_000 })
  const free = await validated(7_100)
  const { id: held } = (await neighbour.request(7_200)).json() as { id: string }
  await ama.confirm(`${list}/${held}/validate`, {}, `${list}/${held}`)
  const picks = [`${free} VIR-71`, `${held} VIR-72`]
  {
    const account = { ...neighbour.tenant, account: 'settlements_in_flight' } as const
    await using _ = await hold(installation.db.sql, (tx) => lockAccounts(tx, [account]))
    const { done } = await enter(kofi, picks)
    assert.equal(done.status, 200, done.text)
    assert.match(done.text, /Virements inscrits\u00a0: 1 sur 2/)
    assert.match(done.text, /Une autre opération tenait le compte de ce marchand\. Rien n’a été fait pour ce virement/)
    assert.deepEqual(
      [await statusOf(free), ((await neighbour.read(held)).json() as { status: string }).status],
      ['paid', 'validated'],
    )
  }
  assert.match((await enter(kofi, picks)).done.text, /1 sur 2/)
  assert.equal(((await neighbour.read(held)).json() as { status: string }).status, 'paid')
})

test('a file that is no table is refused in a sentence, and no value of a form is trusted', async () => {
  const id = ((await settler.request(5_100)).json() as { id: string }).id
  const code = (page: Page) => [page.status, /id="file-e">([^<]+)/.exec(page.text)?.[1] ?? '']
  assert.deepEqual(code(await send(kofi, Buffer.alloc(50 * 1024 * 1024, 'a;b\n'))), [
    413,
    'Ce fichier est trop grand\u00a0: 2 Mo au plus.',
  ])
  assert.deepEqual(code(await send(kofi, Buffer.from([0, 1, 2]))), [422, 'Ce fichier n’est pas un CSV.'])
  const workbook = await send(kofi, Buffer.from('PK\x03\x04\0', 'latin1'))
  assert.deepEqual(code(workbook), [422, 'C’est un classeur Excel. Enregistrez-le en CSV, puis choisissez ce CSV.'])
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
  // It is not validated: the form says so, and asks for no factor.
  assert.match((await kofi.post(record, [['pay', `${id} VIR-51`]], upload)).text, /Il attend d’être validé/)
  assert.ok(!(await support.get(`${list}?status=validated`)).text.includes('settlements/transfers"'))
  assert.equal((await support.get(upload)).status, 403)
  assert.equal((await support.post(record, [['pay', `${id} VIR-51`]], list)).status, 403)
})
