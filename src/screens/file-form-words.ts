import type { Say, Words } from '../console/say.ts'
import type { OtherForm } from '../platform/tables/file-form.ts'

/** The name of each form, and the way to one that is read. */
const forms: Readonly<Record<OtherForm, Words>> = {
  old_excel: [
    'Ce fichier Excel est d’un ancien format (.xls). Ouvrez-le dans un tableur et enregistrez-le en {read}.',
    'This Excel file has an old format (.xls). Open it in a spreadsheet and save it as {read}.',
  ],
  with_password: [
    'Ce classeur est protégé par un mot de passe. Enregistrez-le sans mot de passe, en {read}.',
    'This workbook has a password. Save it without one, as {read}.',
  ],
  ods: [
    'C’est un classeur LibreOffice (.ods). Ouvrez-le dans LibreOffice et enregistrez-le en {read}.',
    'This is a LibreOffice workbook (.ods). Open it in LibreOffice and save it as {read}.',
  ],
  numbers: [
    'C’est un classeur Numbers d’Apple. Dans Numbers : Fichier, Exporter vers, puis {read}.',
    'This is an Apple Numbers workbook. In Numbers: File, Export To, then {read}.',
  ],
  xlsb: [
    'C’est un classeur Excel binaire (.xlsb). Ouvrez-le dans Excel et enregistrez-le en {read}.',
    'This is a binary Excel workbook (.xlsb). Open it in Excel and save it as {read}.',
  ],
  xml_workbook: [
    'C’est un ancien classeur Excel en XML. Ouvrez-le dans Excel et enregistrez-le en {read}.',
    'This is an old Excel workbook in XML. Open it in Excel and save it as {read}.',
  ],
  google_shortcut: [
    'C’est un raccourci Google Sheets (.gsheet), sans les lignes. Dans Google Sheets : Fichier, Télécharger, en {read}.',
    'This is a Google Sheets shortcut (.gsheet), without the lines. In Google Sheets: File, Download, as {read}.',
  ],
  pdf: [
    'C’est un PDF. Demandez à qui l’a fait le tableau d’origine, en {read}.',
    'This is a PDF. Ask its author for the original table, as {read}.',
  ],
  html: [
    'C’est une page web (HTML), même si son nom finit par .xls. Ouvrez-la dans un tableur et enregistrez-la en {read}.',
    'This is a web page (HTML), even if its name ends in .xls. Open it in a spreadsheet and save it as {read}.',
  ],
  mt940: [
    'C’est un relevé bancaire MT940. Demandez à la banque le même relevé en {read}.',
    'This is a bank statement in MT940. Ask the bank for the same statement as {read}.',
  ],
  camt: [
    'C’est un relevé bancaire camt.053 (XML). Demandez à la banque le même relevé en {read}.',
    'This is a bank statement in camt.053 (XML). Ask the bank for the same statement as {read}.',
  ],
  xml: [
    'C’est un fichier XML. Ouvrez-le dans un tableur et enregistrez-le en {read}.',
    'This is an XML file. Open it in a spreadsheet and save it as {read}.',
  ],
  zip: [
    'C’est une archive (.zip). Ouvrez-la et choisissez le fichier qui est dedans, en {read}.',
    'This is an archive (.zip). Open it and choose the file inside, as {read}.',
  ],
  archive: [
    'C’est une archive compressée. Ouvrez-la et choisissez le fichier qui est dedans, en {read}.',
    'This is a compressed archive. Open it and choose the file inside, as {read}.',
  ],
  image: [
    'C’est une image. Demandez à qui l’a faite le tableau d’origine, en {read}.',
    'This is a picture. Ask its author for the original table, as {read}.',
  ],
  document: [
    'C’est un document de texte. Copiez son tableau dans un tableur et enregistrez-le en {read}.',
    'This is a text document. Copy its table into a spreadsheet and save it as {read}.',
  ],
}

/** Writes what a file is, and the way to a form that is read. @param read the forms that are read, after "save it as" */
export function sayOtherForm(say: Say, form: OtherForm, read: Words): string {
  return say(forms[form] as readonly ['{read}', '{read}'], { read: say(read) })
}
