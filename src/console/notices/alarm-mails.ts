import type { MailWords } from './stopped-mail.ts'

/** The mails about the service itself. */
export const alarmMails = {
  rule_fires: {
    subject: ['alerte', 'alert'],
    text: [
      '{symptom_fr} Règle {rule}. Que faire : docs/runbook.md#{runbook}. L’état du service : bandama status.',
      '{symptom_en} Rule {rule}. What to do: docs/runbook.md#{runbook}. The state of the service: bandama status.',
    ],
    page: () => '',
  },
  incident_report_due: {
    subject: ['un rapport d’incident est dû', 'an incident report is due'],
    text: [
      'L’incident {incident} atteint un seuil d’incident majeur : le rapport détaillé est dû dans {hours} heures. bandama incident show en donne les chiffres.',
      'Incident {incident} meets a threshold of a major one: the detailed report is due in {hours} hours. bandama incident show has its figures.',
    ],
    page: () => '',
  },
  rule_ended: {
    subject: ['fin d’alerte', 'an alert has ended'],
    text: ['C’est terminé : {symptom_fr} Règle {rule}.', 'This is over: {symptom_en} Rule {rule}.'],
    page: () => '',
  },
} as const satisfies Record<string, MailWords>
