import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasImpossibleLetters, isMisread } from './impossible-letters.ts'

// A name that is read in another code page than it was written in is noticed, for each letter of names here.

/** The upper half of DOS's code page 850, from 0x80. */
const DOS = [
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐',
  '└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
].join('')

const upperHalf = (label: string) =>
  new TextDecoder(label).decode(Uint8Array.from({ length: 128 }, (_, at) => 128 + at))
const pages = { Windows: upperHalf('windows-1252'), Macintosh: upperHalf('macintosh'), DOS }
type Page = keyof typeof pages

/** Writes a text in one code page and reads it in another. Null when the first lacks a letter. */
function readAs(text: string, written: Page, read: Page): string | null {
  const signs = Array.from(text, (sign) => {
    if (sign < '\u0080') return sign
    const at = pages[written].indexOf(sign)
    return at === -1 ? null : pages[read][at]!
  })
  return signs.includes(null) ? null : signs.join('')
}

const utf8As = (text: string, read: Page) =>
  Array.from(Buffer.from(text), (byte) => (byte < 128 ? String.fromCharCode(byte) : pages[read][byte - 128]!)).join('')

/** A name for each letter, in small letters and in capitals. */
const small = ['Koné', 'Eugène', 'Kôfi', 'Gbêhi', 'Aïcha', 'Noël', 'Chloë', 'Benoît', 'Bâ', 'Françoise', 'Jésus']
const names = [...small, 'Brûlé', 'Müller', 'Sœur', 'N’Guessan', ...small.map((name) => name.toUpperCase()), 'BRÛLÉ']

/**
 * The ways in which names arrive misread: we read a file that is not UTF-8 as one of Windows; another program may have misread one before it saved
 * UTF-8. `alike`: names that are names all the same, because one letter looks like another. Only other names and the titles of the file tell.
 */
const ways: readonly { written: Page; read: Page; alike: readonly string[] }[] = [
  { written: 'Macintosh', read: 'Windows', alike: [] },
  { written: 'DOS', read: 'Windows', alike: ['EUGÔNE'] },
  { written: 'Windows', read: 'Macintosh', alike: ['Súur', 'K‘FI', 'GB\u00a0HI', 'BENOŒT'] },
  { written: 'Windows', read: 'DOS', alike: ['BÔ', 'KÈFI', 'FRANÃOISE'] },
]
for (const { written, read, alike } of ways) {
  test(`a name of a ${written} file that was read as one of ${read} is noticed`, () => {
    const misread = names.flatMap((name) => readAs(name, written, read) ?? [])
    assert.ok(misread.length > 20)
    assert.deepEqual(
      misread.filter((name) => !hasImpossibleLetters(name)),
      alike,
    )
  })
}

test('UTF-8 that is read in any code page, once or twice, and lost letters are noticed', () => {
  for (const name of names) {
    for (const read of Object.keys(pages) as Page[]) {
      const once = utf8As(name, read)
      assert.ok(hasImpossibleLetters(once), once)
      assert.ok(hasImpossibleLetters(utf8As(once, read)), name)
    }
    for (const lost of ['\ufffd', '?', '&eacute;', '&#233;', '%C3%A9', '\\u00e9', '=C3=A9'])
      assert.ok(hasImpossibleLetters(name.replace(/[^\u0020-\u007e]/, lost)), `${name} ${lost}`)
  }
})

test('a name as people write it is not noticed', () => {
  const written = [
    ...names,
    ...["N'Guessan Yao Éric", 'N‘Guessan', 'N`Dri Élodie', 'N´dri', 'D’ALMEIDA', 'd‘Almeida', 'Zoë', 'Loïc', 'Anaïs'],
    ...['KOUASSI Ahou Marie-Ange', 'JÉRÔME', 'Côte d’Or', 'Œuvre de la Sœur', 'SŒUR THÉRÈSE', 'Lætitia', 'Ève-Noëlle'],
    ...['élodie koné', 'TRAORÉ Salif', 'Traoré SALIF', 'Gbané Tchéré', 'Kouadio n°2', 'Konan 2e', 'M. Brou (Daloa)'],
    ...['José Núñez', 'João', 'L’Haÿ', 'Hadja Fatoumata Bâ', 'El Hadj Ousmane', 'Jean-Noël Ékra', 'Koné & Fils'],
  ]
  assert.deepEqual(written.flatMap((name) => [name, name.normalize('NFD')]).filter(hasImpossibleLetters), [])
})

test('titles of another code page are noticed, and their usual signs are not', () => {
  for (const title of ['Numéro', 'Opérateur', 'Prénoms', 'Référence', 'Téléphone', 'Bénéficiaire']) {
    assert.ok(isMisread(readAs(title, 'DOS', 'Windows')!), `DOS ${title}`)
    assert.ok(isMisread(readAs(title, 'Macintosh', 'Windows')!), `Macintosh ${title}`)
    assert.ok(isMisread(utf8As(title, 'Windows')), `UTF-8 ${title}`)
    assert.ok(isMisread(title.replace('é', '\ufffd')), `lost ${title}`)
  }
  const usual = ['N° de téléphone', 'Net à payer ?', 'Montant (€)', 'Taux %', 'Reçu', 'Prénom(s)', 'À payer', 'Étape']
  assert.deepEqual(usual.filter(isMisread), [])
})
