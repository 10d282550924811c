import { type DraftColumn, FILE_MAX_BYTES } from '../../batch-files/batch-draft.ts'
import type { Fault, FaultCode, Mending } from '../../batch-files/judge-line.ts'
import type { FileRefusal } from '../../batch-files/read-file.ts'
import { quoted, type Say, sayCount, type Words } from '../../console/say.ts'
import { LINES_MAX } from '../../payout-batches/batch.ts'
import { otherCountryWords } from '../../values/country-words.ts'
import { sayOtherForm } from '../file-form-words.ts'

/** The names of the columns, as titles of the template. */
export const columnWords: Readonly<Record<DraftColumn, Words>> = {
  name: ['Nom', 'Name'],
  msisdn: ['Numéro', 'Number'],
  operator: ['Opérateur', 'Operator'],
  amount: ['Montant', 'Amount'],
  reference: ['Référence', 'Reference'],
  beneficiary_id: ['Carnet', 'Address book'],
}

/** Writes a number of lines: `1 ligne`, `5 lignes`. */
export function sayLines(say: Say, n: number): string {
  return sayCount(say, n, ['{n} ligne', '{n} line'], ['{n} lignes', '{n} lines'])
}

const faultWords: Readonly<Record<Exclude<FaultCode, 'number_short' | 'number_foreign'>, Words>> = {
  formula: ['c’est une formule. Écrivez la valeur elle-même.', 'this is a formula. Write the value itself.'],
  cell_error: ['le tableur y montre une erreur.', 'the spreadsheet shows an error here.'],
  boolean: ['le tableur y montre vrai ou faux.', 'the spreadsheet shows true or false here.'],
  date: [
    'le tableur y montre une date. Écrivez la valeur elle-même.',
    'the spreadsheet shows a date here. Write the value itself.',
  ],
  time: [
    'le tableur y montre une heure ou une durée. Écrivez la valeur elle-même.',
    'the spreadsheet shows a time here. Write the value itself.',
  ],
  percent: [
    'le tableur y montre un pourcentage. Écrivez la valeur elle-même.',
    'the spreadsheet shows a percentage here. Write the value itself.',
  ],
  fraction: [
    'le tableur y montre une fraction. Écrivez la valeur elle-même.',
    'the spreadsheet shows a fraction here. Write the value itself.',
  ],
  currency: [
    'une autre monnaie y est nommée. Un lot paie en francs CFA.',
    'another currency is named here. A batch pays in francs CFA.',
  ],
  not_shown: [
    'le tableur cache cette case. Écrivez la valeur elle-même.',
    'the spreadsheet hides this cell. Write the value itself.',
  ],
  shown_otherwise: [
    'le tableur y montre autre chose que la valeur de la case. Écrivez la valeur elle-même.',
    'the spreadsheet shows something else than the cell holds. Write the value itself.',
  ],
  merged: [
    'la case est fusionnée avec d’autres. Écrivez la valeur de cette ligne.',
    'the cell is merged with others. Write the value of this line.',
  ],
  shifted: [
    'la ligne a plus de cases que de titres. Un montant s’écrit sans virgule ni point-virgule.',
    'the line has more cells than titles. Write amounts without commas or semicolons.',
  ],
  unclean: [
    'un signe invisible s’y cache. Tapez le texte de nouveau.',
    'there is an invisible character here. Type it again.',
  ],
  name_missing: ['il manque.', 'it is missing.'],
  name_long: ['200 lettres au plus.', '200 letters at most.'],
  number_missing: ['il manque.', 'it is missing.'],
  number_long: ['trop de chiffres : dix, comme 07 84 33 20 51.', 'too many digits: write ten, such as 07 84 33 20 51.'],
  number_not_mobile: [
    'un numéro de téléphone mobile commence par 01, 05 ou 07.',
    'a mobile number begins with 01, 05 or 07.',
  ],
  number_words: ['gardez les dix chiffres, sans mot.', 'keep the ten digits, without words.'],
  abbreviated: [
    'le tableur l’a abrégé (comme 7,07E+08) et des chiffres sont perdus. Tapez-le en entier.',
    'the spreadsheet shortened it (as 7.07E+08) and digits are lost. Type all of them.',
  ],
  operator_unknown: [
    'inconnu. Choisissez Orange Money, MTN MoMo, Moov Money ou Wave.',
    'unknown. Choose Orange Money, MTN MoMo, Moov Money or Wave.',
  ],
  amount_missing: ['il manque.', 'it is missing.'],
  amount_not_whole: [
    'un montant s’écrit en francs entiers, sans virgule ni point.',
    'write amounts in whole francs, without a comma or a point.',
  ],
  amount_unreadable: ['ce n’est pas un nombre de francs.', 'this is not a number of francs.'],
  amount_zero: ['un franc au moins.', 'one franc at least.'],
  amount_large: ['trop grand.', 'too large.'],
  reference_long: ['255 lettres au plus.', '255 letters at most.'],
  book_and_number: [
    'la ligne a un numéro et une entrée du carnet. Gardez l’un des deux.',
    'the line has a number and an entry of the address book. Keep one of the two.',
  ],
  book_unknown: [
    'cette entrée n’est pas dans le carnet, ou elle est archivée.',
    'this entry is not in the address book, or is archived.',
  ],
}

/** Writes a fault without its line: `Numéro : il manque 2 chiffres.` */
export function sayFault(say: Say, { column, code, missing = 0, country = '221' }: Fault): string {
  const named = `${say(columnWords[column])}${say([' : ', ': '])}`
  if (code === 'number_foreign') return named + lowered(say(otherCountryWords(country)))
  if (code !== 'number_short') return named + say(faultWords[code])
  const lacks = sayCount(
    say,
    missing,
    ['il manque un chiffre : dix, comme 07 84 33 20 51.', 'a digit is missing: write ten, such as 07 84 33 20 51.'],
    [
      'il manque {n} chiffres : dix, comme 07 84 33 20 51.',
      '{n} digits are missing: write ten, such as 07 84 33 20 51.',
    ],
  )
  return named + lacks
}

function lowered(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1)
}

/** Writes a fault with its line, for the list above the page. */
export function sayFaultOfLine(say: Say, line: number, fault: Fault): string {
  return say(['Ligne {line}, {fault}', 'Line {line}, {fault}'], { line, fault: sayFault(say, fault) })
}

export const mendingWords: Readonly<Record<Mending, Words>> = {
  zero_restored: ['Zéro remis devant', 'Leading zero restored'],
  decimals_dropped: ['Virgule et zéros ôtés', 'Zero decimals removed'],
}

/** Writes why a file was not read, and what to do. */
export function sayRefusal(say: Say, refusal: FileRefusal | { code: 'no_file' | 'too_many_drafts' }): string {
  switch (refusal.code) {
    case 'no_file':
      return say(['Choisissez un fichier.', 'Choose a file.'])
    case 'too_large':
      return say(
        [
          'Ce fichier est trop lourd : {n} Mo au plus. Il n’a pas été lu. Gardez une seule feuille, sans images.',
          'This file is too large: {n} MB at most. It was not read. Keep one sheet, without pictures.',
        ],
        { n: FILE_MAX_BYTES / 1024 / 1024 },
      )
    case 'empty':
      return say(['Ce fichier est vide.', 'This file is empty.'])
    case 'not_a_table':
      return say([
        'Ce fichier n’est pas un tableau. Enregistrez-le en .xlsx ou en CSV.',
        'This file is not a table. Save it as .xlsx or as CSV.',
      ])
    case 'other_form':
      return sayOtherForm(say, refusal.form, ['.xlsx ou CSV', '.xlsx or CSV'])
    case 'sheet_empty':
      return say(
        [
          'La feuille ouverte de ce classeur ({sheet}) est vide. Ouvrez celle des lignes, enregistrez, puis choisissez le fichier de nouveau.',
          'The open sheet of this workbook ({sheet}) is empty. Open the one with the lines, save, then choose the file again.',
        ],
        { sheet: refusal.sheet },
      )
    case 'workbook_unreadable':
      return say([
        'Ce fichier Excel est abîmé. Ouvrez-le dans Excel, laissez-le réparer, et enregistrez-le de nouveau, ou en CSV.',
        'This Excel file is damaged. Open it in Excel, let it be repaired, and save it again, or as CSV.',
      ])
    case 'workbook_too_large':
      return say([
        'Ce classeur se déplie en trop de données : il n’a pas été lu. Copiez les lignes dans un classeur neuf.',
        'This workbook is too large once unpacked: it was not read. Copy the lines into a new workbook.',
      ])
    case 'no_lines':
      return say(['Ce fichier a des titres, mais aucune ligne.', 'This file has titles, but no lines.'])
    case 'unclosed_quote':
      return say(
        [
          'Ligne {line} : un guillemet s’ouvre et ne se ferme pas.',
          'Line {line}: a quotation mark opens and does not close.',
        ],
        { line: refusal.line },
      )
    case 'missing_columns':
      return say(
        [
          'Ligne des titres : il manque {missing}. Titres trouvés : {found}.',
          'Line of the titles: {missing} is missing. Titles found: {found}.',
        ],
        { missing: sayColumns(say, refusal.missing), found: sayTitles(say, refusal.found) },
      )
    case 'column_twice':
      return say(
        [
          'Ligne des titres : deux colonnes disent {column}. Gardez-en une. Titres trouvés : {found}.',
          'Line of the titles: two columns say {column}. Keep one. Titles found: {found}.',
        ],
        { column: sayColumns(say, [refusal.column]), found: sayTitles(say, refusal.found) },
      )
    case 'too_many_lines':
      return say(
        [
          'Ce fichier a {count} lignes ; un lot en prend {max}. Faites-en plusieurs fichiers.',
          'This file has {count} lines; a batch takes {max}. Split it into several files.',
        ],
        { count: refusal.count, max: LINES_MAX },
      )
    case 'too_many_drafts':
      return say([
        'Vous avez déjà 50 brouillons. Supprimez-en un d’abord.',
        'You have 50 drafts already. Delete one first.',
      ])
  }
}

function sayColumns(say: Say, columns: readonly DraftColumn[]): string {
  return columns.map((column) => say(quoted, { text: say(columnWords[column]) })).join(', ')
}

/** Writes the titles that a file has, as far as a sentence can name them. */
function sayTitles(say: Say, titles: readonly string[]): string {
  const named = titles.slice(0, 12).map((title) => title.slice(0, 40))
  return named.map((text) => say(quoted, { text })).join(', ')
}
