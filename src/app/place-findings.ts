import type { Sql } from '../platform/postgres/database.ts'
import { BACKUP_HOURS_MAX, readNewestBackup } from './backups/backup-age.ts'
import { readClockDifference } from './database-clock.ts'
import { readCollation } from './database-collation.ts'
import { type LiveFinding, missing, note, ok } from './live-finding.ts'

/** The findings about the place that the service runs in: its clock, its database's order of texts, and its backups. */
export async function placeFindings(sql: Sql): Promise<LiveFinding[]> {
  return Promise.all([clockFinding(sql), collationFinding(sql), backupFinding(sql)])
}

async function clockFinding(sql: Sql): Promise<LiveFinding> {
  const seconds = await readClockDifference(sql)
  const subject = ['horloge', 'clock'] as const
  return seconds > 0
    ? missing(subject, [
        `L’horloge de cette machine et celle de la base diffèrent de ${seconds} s : mettez les deux à l’heure (timedatectl), sinon les signatures sont refusées.`,
        `This machine's clock and the database's differ by ${seconds} s: set both right (timedatectl), or signatures are refused.`,
      ])
    : ok(subject, [
        'L’horloge de cette machine est celle de la base.',
        "This machine's clock agrees with the database's.",
      ])
}

async function collationFinding(sql: Sql): Promise<LiveFinding> {
  const subject = ['ordre des textes', 'collation'] as const
  const { locale, can_change, change } = await readCollation(sql)
  if (change !== null)
    return missing(
      subject,
      [
        `La base ordonne les textes autrement qu’à sa création (${change.replace(' to ', ' → ')}) : reconstruisez tous les index (docs/deploy.md), sinon une clé ou une référence peut passer deux fois.`,
        `The database orders texts in another way than when it was made (${change}): rebuild all indexes (docs/deploy.md), or a key or a reference may pass twice.`,
      ],
      '/switch',
    )
  if (can_change)
    return note(subject, [
      `La base a la locale ${locale}, dont l’ordre change avec le système. Une base neuve se crée avec --template=template0 --locale=C.`,
      `The database has the locale ${locale}, whose order changes with the system. A new database is made with --template=template0 --locale=C.`,
    ])
  return ok(subject, [
    'L’ordre des textes ne dépend pas du système.',
    'The order of texts does not depend on the system.',
  ])
}

async function backupFinding(sql: Sql): Promise<LiveFinding> {
  const subject = ['sauvegarde', 'backup'] as const
  const newest = await readNewestBackup(sql)
  if (newest === null)
    return note(subject, [
      'Aucune sauvegarde ne s’est annoncée : bandama-backup.timer, ou BACKUP_KEY_FILE avec la base intégrée, en fait une toutes les six heures (docs/deploy.md).',
      'No backup has reported its success: bandama-backup.timer, or BACKUP_KEY_FILE with the embedded database, makes one every six hours (docs/deploy.md).',
    ])
  const { age_hours } = newest
  if (age_hours >= BACKUP_HOURS_MAX)
    return missing(subject, [
      `La dernière sauvegarde réussie a ${age_hours} heures : systemctl status bandama-backup dit pourquoi.`,
      `The last backup that succeeded is ${age_hours} hours old: systemctl status bandama-backup says why.`,
    ])
  return ok(subject, [
    `La dernière a réussi il y a ${age_hours} heures.`,
    `The last one succeeded ${age_hours} hours ago.`,
  ])
}
