import type { ImportRefusal } from './import/import-refusal.ts'

const advice: Readonly<Record<ImportRefusal, string>> = {
  empty: 'The file has no rows. Export it again, for a period with operations.',
  too_large: 'The file is too large, or unpacks to far more than it should. Export a shorter period, as CSV.',
  too_many_rows: 'The file has too many rows. Export a shorter period.',
  too_deep: 'The file is nested deeper than any statement. Export it again.',
  not_a_table: 'The file is no table of text. Export it as CSV or XLSX.',
  damaged: 'The file is damaged or incomplete. Download it again.',
  unclosed_quote:
    'A quotation mark that opens on this line is never closed. Download the file again, and do not edit it.',
  pdf: 'A PDF is a picture of a statement, and no program reads it safely. Ask for CSV, XLSX, MT940 or camt.053, or type its lines.',
  html: 'The file is a web page, perhaps that of an expired sign-in. Sign in again and download the file.',
  with_password: 'The workbook has a password. Open it, save it without one, and import that file.',
  dtd: 'The file defines a document type, as no statement does. Ask the bank for another export.',
  other_form: 'Files of this form are not read. Export CSV, XLSX, XLS, MT940 or camt.053.',
  unknown_titles:
    'No row among the first 40 has the titles of this profile. Choose another profile, or set one for this file.',
  other_currency: 'The file is in another currency than the account. Import it for an account of that currency.',
  direction_unknown:
    'The amounts have no minus, and no column says which left and which came in. Export the file with debit and credit apart, or with balances.',
  stated_balance:
    'The opening or closing balance of the file is no whole number of francs. Ask the bank for a corrected file.',
  no_lines: 'No row of the file is a line. Export a period with operations, or check the profile.',
  other_account: 'The file names another account, or several. Import it for that account.',
  arithmetic_unknown:
    'The file has no balances, and its profile does not say whether amounts are gross or net. Export it with balances, or set the profile.',
  period_too_long: 'The lines span more than 400 days. Export a shorter period, or check the form of the dates.',
  amounts_too_large: 'The amounts are larger than any account. Check the columns of the profile.',
  not_written:
    'Its lines could not be written, and none was kept. The log of the service says why. Then import it again.',
  not_approved: 'No second person approved these typed lines. Type them again as the statement has them.',
  in_future: 'A line is later than tomorrow. Check the form of the dates in the profile.',
  too_many_unreadable:
    'More than one row in a hundred is unreadable. Check the profile against the rows that are named.',
}

/** Returns what a person can do about a refused file. */
export function adviceOn(code: ImportRefusal): string {
  return advice[code]
}
