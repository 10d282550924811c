import type { Say } from '../../console/say.ts'
import type { ScreenAnswer } from '../../console/screen.ts'
import { csvLine, UTF8_MARK } from '../../platform/csv-line.ts'

/** Returns a file with only the titles, as French spreadsheets read it: UTF-8 with a byte order mark, and semicolons. */
export function templateFile(say: Say): ScreenAnswer {
  const titles = [
    say(['nom', 'name']),
    say(['numero', 'number']),
    say(['operateur', 'operator']),
    say(['montant', 'amount']),
    say(['reference', 'reference']),
  ]
  const name = say(['modele-lot.csv', 'batch-template.csv'])
  return { kind: 'file', name, type: 'text/csv; charset=utf-8', body: UTF8_MARK + csvLine(titles, ';') }
}
