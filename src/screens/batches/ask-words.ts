import type { Ask } from '../../batch-files/batch-draft.ts'
import { quoted, type Say, type Words } from '../../console/say.ts'

/** A question about a line. */
const askWords: Readonly<Record<Ask['code'], Words>> = {
  row_hidden: ['Cette ligne est masquée dans le classeur.', 'This line is hidden in the workbook.'],
  row_struck: ['Cette ligne est barrée dans le classeur.', 'This line is struck through in the workbook.'],
  row_note: ['Un commentaire du classeur dit {text}.', 'A note in the workbook says {text}.'],
  column_hidden: [
    'La colonne {title} décide, et elle est masquée dans le classeur.',
    'The column {title} decides, and it is hidden in the workbook.',
  ],
  title_currency: [
    'La colonne {title} nomme une autre monnaie. Un lot paie en francs CFA.',
    'The column {title} names another currency. A batch pays in francs CFA.',
  ],
  beside_operator: [
    'La colonne {title} nomme des opérateurs, et elle est laissée de côté.',
    'The column {title} names operators, and it is ignored.',
  ],
  beside_number: [
    'La colonne {title} a d’autres numéros, et elle est laissée de côté.',
    'The column {title} has other numbers, and it is ignored.',
  ],
  beside_word: [
    'La colonne {title} dit {text}, et elle est laissée de côté.',
    'The column {title} says {text}, and it is ignored.',
  ],
  beside_nothing: [
    'La colonne {title} coche d’autres lignes et non celle-ci, et elle est laissée de côté.',
    'The column {title} ticks other lines and not this one, and it is ignored.',
  ],
  zero_restored: [
    'Le tableur a ôté le zéro devant ce numéro ; nous l’avons remis.',
    'The spreadsheet removed the zero before this number; we put it back.',
  ],
  name_letters: [
    'Ce nom a des lettres impossibles : le fichier a été lu dans un autre codage.',
    'This name has impossible letters: the file was written in another encoding.',
  ],
}

/** The same question about several lines, as a title. */
const groupWords: Readonly<Record<Ask['code'], readonly [one: Words, several: Words]>> = {
  row_hidden: [
    ['{n} ligne masquée dans le classeur', '{n} line hidden in the workbook'],
    ['{n} lignes masquées dans le classeur', '{n} lines hidden in the workbook'],
  ],
  row_struck: [
    ['{n} ligne barrée dans le classeur', '{n} line struck through in the workbook'],
    ['{n} lignes barrées dans le classeur', '{n} lines struck through in the workbook'],
  ],
  row_note: [
    ['{n} ligne avec le commentaire {text}', '{n} line with the note {text}'],
    ['{n} lignes avec le commentaire {text}', '{n} lines with the note {text}'],
  ],
  column_hidden: [
    ['La colonne masquée {title} décide de {n} ligne', 'The hidden column {title} decides {n} line'],
    ['La colonne masquée {title} décide de {n} lignes', 'The hidden column {title} decides {n} lines'],
  ],
  title_currency: [
    ['{title} nomme une autre monnaie : {n} ligne', '{title} names another currency: {n} line'],
    ['{title} nomme une autre monnaie : {n} lignes', '{title} names another currency: {n} lines'],
  ],
  beside_operator: [
    ['{title}, laissée de côté, nomme l’opérateur de {n} ligne', '{title}, ignored, names the operator of {n} line'],
    ['{title}, laissée de côté, nomme l’opérateur de {n} lignes', '{title}, ignored, names the operator of {n} lines'],
  ],
  beside_number: [
    ['{title}, laissée de côté, a un autre numéro pour {n} ligne', '{title}, ignored, has another number for {n} line'],
    [
      '{title}, laissée de côté, a un autre numéro pour {n} lignes',
      '{title}, ignored, has another number for {n} lines',
    ],
  ],
  beside_word: [
    ['{title}, laissée de côté, dit {text} : {n} ligne', '{title}, ignored, says {text}: {n} line'],
    ['{title}, laissée de côté, dit {text} : {n} lignes', '{title}, ignored, says {text}: {n} lines'],
  ],
  beside_nothing: [
    ['{title}, laissée de côté, ne coche pas {n} ligne', '{title}, ignored, does not tick {n} line'],
    ['{title}, laissée de côté, ne coche pas {n} lignes', '{title}, ignored, does not tick {n} lines'],
  ],
  zero_restored: [
    ['{n} numéro dont nous avons remis le zéro', '{n} number to which we put back the zero'],
    ['{n} numéros dont nous avons remis le zéro', '{n} numbers to which we put back the zero'],
  ],
  name_letters: [
    ['{n} nom aux lettres impossibles', '{n} name with impossible letters'],
    ['{n} noms aux lettres impossibles', '{n} names with impossible letters'],
  ],
}

/** Advice for questions whose title does not say it. */
const adviceWords: Partial<Readonly<Record<Ask['code'], Words>>> = {
  zero_restored: [
    'Un tableur ôte le zéro devant un numéro. Neuf chiffres peuvent aussi être un numéro du Sénégal.',
    'A spreadsheet removes the zero before a number. Nine digits may also be a number of Senegal.',
  ],
  name_letters: [
    'Le fichier a été lu dans un autre codage. Enregistrez-le en « CSV UTF-8 » et choisissez-le de nouveau.',
    'The file was written in another encoding. Save it as “CSV UTF-8” and choose it again.',
  ],
  column_hidden: [
    'Une colonne qui se voit dit peut-être autre chose.',
    'A column that is shown may say something else.',
  ],
  beside_operator: [
    'Sans cette colonne, l’opérateur suit le début du numéro.',
    'Without this column the operator follows the beginning of the number.',
  ],
  beside_number: ['Un seul des deux numéros est payé.', 'Only one of the two numbers is paid.'],
}

const wordsOf = (say: Say, { title = '', text = '' }: Ask) => ({
  title: say(quoted, { text: title.slice(0, 60) }),
  text: say(quoted, { text }),
})

/** Writes a question about one line. */
export function sayAsk(say: Say, ask: Ask): string {
  return say(askWords[ask.code] as readonly ['{title} {text}', '{title} {text}'], wordsOf(say, ask))
}

/** Writes a question about `n` lines as a title. */
export function sayAskOfMany(say: Say, ask: Ask, n: number): string {
  const [one, several] = groupWords[ask.code]
  const words = [n < 2 ? one[0] : several[0], n === 1 ? one[1] : several[1]]
  return say(words as unknown as readonly ['{n} {title} {text}', '{n} {title} {text}'], { n, ...wordsOf(say, ask) })
}

/** Writes the advice about a question. Null when the title says it all. */
export function sayAdvice(say: Say, { code }: Pick<Ask, 'code'>): string | null {
  const words = adviceWords[code]
  return words === undefined ? null : say(words)
}
