import type { Reading } from '../../batch-files/batch-draft.ts'
import { id as idPiece, linkButton, panel, rows } from '../../console/components.ts'
import { form } from '../../console/forms.ts'
import type { Words } from '../../console/say.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeShortDate } from '../../platform/http/pages/write-values.ts'
import type { DraftFacts } from './draft-facts.ts'
import { mendedIn, versionField } from './typed-lines.ts'

const encodingWords: Readonly<Record<NonNullable<Reading['encoding']>, Words>> = {
  'utf-8': ['UTF-8', 'UTF-8'],
  'utf-16': ['UTF-16', 'UTF-16'],
  'windows-1252': ['Windows-1252 : regardez les accents des noms', 'Windows-1252: look at the accents of the names'],
}
const separatorWords: Readonly<Record<NonNullable<Reading['separator']>, Words>> = {
  ';': ['point-virgule', 'semicolon'],
  ',': ['virgule', 'comma'],
  '\t': ['tabulation', 'tab'],
  '|': ['barre verticale', 'vertical bar'],
}

/** The file, how it was read, and the ways to replace or delete it. */
export function filePanel(request: ScreenRequest<'console'>, path: string, { draft }: DraftFacts): Html {
  const { say, language } = request
  const { reading, file_name, file_sha256 } = draft
  const mended = mendedIn(draft)
  const facts = rows([
    file_name !== null && { name: say(['Nom', 'Name']), value: html`<a href="${path}/file">${file_name}</a>` },
    reading.encoding !== undefined && {
      name: say(['Écriture', 'Encoding']),
      value: say(encodingWords[reading.encoding]),
    },
    reading.separator !== undefined && {
      name: say(['Séparateur', 'Separator']),
      value: say(separatorWords[reading.separator]),
    },
    reading.sheet !== undefined && { name: say(['Feuille', 'Sheet']), value: reading.sheet },
    reading.other_sheets !== undefined && {
      name: say(['Feuilles laissées de côté', 'Ignored sheets']),
      value: html`${reading.other_sheets.map((sheet, nth) => html`${nth > 0 && ', '}${sheetLink(path, sheet)}`)}`,
    },
    reading.hidden_sheets !== undefined && {
      name: say(['Feuilles masquées, non lues', 'Hidden sheets, not read']),
      value: reading.hidden_sheets.join(', '),
    },
    reading.above !== undefined && {
      name: say(['Au-dessus des titres', 'Above the titles']),
      value: reading.above.filter((text) => text !== '').join(' · '),
    },
    typeof reading.columns === 'object' && {
      name: say(['Colonnes nommées par', 'Columns named by']),
      value: reading.columns.assigned_by,
    },
    reading.ignored.length > 0 && {
      name: say(['Colonnes laissées de côté', 'Ignored columns']),
      value: reading.ignored.map((title) => title.slice(0, 40)).join(', '),
    },
    mended > 0 && {
      name: say(['Lignes corrigées ici', 'Lines corrected here']),
      value: String(mended),
    },
    { name: say(['Expire', 'Expires']), value: writeShortDate(draft.expires_at, language) },
  ])
  const print = say(['Le fichier est gardé tel quel. Empreinte : ', 'The file is kept as it is. Fingerprint: '])
  const kept = file_sha256 !== null && html`<p class="hint gap">${print}${idPiece(writeDigest(file_sha256))}</p>`
  const replace = linkButton(
    request.at(`/batches/new?replaces=${draft.id}&version=${draft.version}`),
    say(['Envoyer le fichier corrigé', 'Send the corrected file']),
    'second',
  )
  const assign = linkButton(`${path}/columns`, say(['Changer les colonnes', 'Change the columns']), 'quiet')
  const again = draft.from_batch_id === null && html`<p class="acts gap">${replace}${assign}</p>`
  const button = html`<button class="quiet">${say(['Supprimer ce brouillon', 'Delete this draft'])}</button>`
  const drop = form(request, `${path}/delete`, html`${versionField(draft)}${button}`, { class: 'acts' })
  const out = html`${again}${drop}`
  const title = file_name === null ? say(['Le brouillon', 'The draft']) : say(['Le fichier', 'The file'])
  return panel(title, html`${facts}${kept}${out}`)
}

/** Writes the beginning of a digest in groups of four: enough to compare two files by eye. */
export function writeDigest(hex: string): string {
  return hex.slice(0, 16).replace(/.{4}\B/g, '$& ')
}

function sheetLink(path: string, sheet: string): Html {
  return html`<a href="${path}/columns?sheet=${encodeURIComponent(sheet)}">${sheet}</a>`
}
