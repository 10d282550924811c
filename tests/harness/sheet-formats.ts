import assert from 'node:assert/strict'
import { type JudgedLine, judgeLine } from '../../src/batch-files/judge-line.ts'
import { linesByTitles, readTable } from '../../src/batch-files/read-file.ts'

/** Formats with which a sheet shows something else than an amount in francs. */
export const otherFormats = [
  ...[
    'dd/mm/yyyy',
    'd/m/yy',
    'mmm-yy',
    'yyyy-mm-dd',
    '[$-F800]dddd\\, mmmm dd\\, yyyy',
    '[$-40C]d\\ mmmm\\ yyyy',
    'm/d/yy h:mm',
  ],
  ...['h:mm', 'hh:mm:ss', '[h]:mm', '[mm]:ss', 'mm:ss', 'h:mm AM/PM', '[$-F400]h:mm:ss'],
  ...['0%', '0.00%', '#,##0\\ %', '# ?/?', '# ??/??', '0.00E+00', '##0.0E+0'],
  ...['#,##0 "€"', '#,##0.00\\ [$€-40C]', '[$$-409]#,##0', '[$£-809]#,##0', '"$"#,##0', '#,##0 "EUR"', '"USD" #,##0'],
  ...['#,##0\\ "GNF"', '[$XAF] #,##0', '#,##0 "euros"', '[$₦-470]#,##0', '_-* #,##0.00\\ "€"_-;-* #,##0.00\\ "€"_-'],
  ...[
    ';;;',
    ';-0;0',
    '""',
    '"payé"',
    '"-"',
    '[White]#,##0',
    '#,##0,',
    '#,##0,"k"',
    '#,##0,,',
    '0" 000 F"',
    '0"0"',
    '"1"0',
  ],
  ...[
    '00" "00" "00" "00" "00',
    '00\\ 00\\ 00',
    '0000000000',
    '[>1000]0;"rien"',
    '[<=1000000]"petit";0',
    '#,##0 "jours"',
    '0 "k"',
  ],
]
/** Formats with which it shows an amount in francs. */
export const francFormats = [
  ...[
    'General',
    '0',
    '#,##0',
    '# ##0',
    '#\\ ##0',
    '### ### ##0',
    '#,##0.00',
    '@',
    '[Red]#,##0',
    '[Color 3]0',
    '#,##0;[Red]-#,##0',
  ],
  ...[
    '#,##0 "F CFA"',
    '#,##0\\ "FCFA"',
    '#,##0"F"',
    '#,##0\\ [$FCFA]',
    '[$XOF] #,##0',
    '[$CFA-280C]#,##0',
    '#,##0 "francs"',
  ],
  ...[
    '_-* #,##0\\ _F_-;-* #,##0\\ _F_-;_-* "-"\\ _F_-;_-@_-',
    '_(* #,##0_);_(* \\(#,##0\\);_(* "-"_);_(@_)',
    '#,##0" F"',
  ],
]

/** Reads a workbook with known titles, and judges its lines. */
export async function judged(bytes: Buffer): Promise<readonly JudgedLine[]> {
  const read = await readTable(bytes)
  assert.ok(read.kind === 'table', JSON.stringify(read))
  const lines = linesByTitles(read.table)
  assert.ok(lines.kind === 'read', JSON.stringify(lines))
  return lines.lines.map(judgeLine)
}
