import { choiceField, type Field, lineField, oneOf, text } from '../acts/facts.ts'
import { isMailable } from '../platform/mail/mailable.ts'
import { asSeen } from '../values/as-seen.ts'
import type { Words } from '../values/language.ts'
import { Msisdn } from '../values/msisdn.ts'
import { isDay } from '../values/period.ts'
import { type FileColumn, legalForms, taxRegimes } from './merchant-file.ts'

type Line = { label: Words; option: string; says: string; sample: string; hint?: Words }

const LINE: Words = ['Écrivez une ligne de 200 lettres au plus.', 'Write a line of 200 letters at most.']

const line = ({ label, option, says, sample, hint }: Line, longest = 200): Field<string> =>
  lineField(text(label), {
    label,
    longest,
    fault: LINE,
    ...(hint === undefined ? {} : { hint }),
    option: { name: option, says, sample },
  })

/** A line whose text has a form. @param must completes the error of the command line */
const formed = (
  declared: Line,
  { read, fault, must }: { read: (typed: string) => string | undefined; fault: Words; must: string },
): Field<string> => {
  const field = line(declared)
  return { ...field, read, form: { ...field.form, fault }, option: { ...field.option, must } }
}

const day = (declared: Line): Field<string> => {
  const fault: Words = ['Écrivez un jour.', 'Write a day.']
  const must = 'must be a day such as 2025-03-14.'
  const field = formed(declared, { read: (typed) => (isDay(typed) ? typed : undefined), fault, must })
  return { ...field, form: { ...field.form, kind: 'day' }, option: { ...field.option, value: 'DAY' } }
}

const RCCM = /^[A-Z]{2}-[A-Z]{3}(?:-\d{2})?-\d{4}-[A-Z]\d{0,2}-\d{1,6}$/

const formChoice = choiceField(oneOf(['Forme', 'Legal form'], legalForms), {
  label: ['Forme', 'Legal form'],
  choices: legalForms,
  fault: ['Choisissez une forme.', 'Choose a form.'],
  says: 'the legal form',
})
const regimeChoice = choiceField(oneOf(['Régime d’imposition', 'Tax regime'], taxRegimes), {
  label: ['Régime d’imposition', 'Tax regime'],
  choices: taxRegimes,
  fault: ['Choisissez un régime.', 'Choose a regime.'],
  says: 'the tax regime',
})

/** The facts of a business as people type and read them. */
export const fileFacts: Readonly<Record<FileColumn, Field<string>>> = {
  legal_name: line({
    label: ['Nom légal', 'Legal name'],
    option: 'legal-name',
    says: 'the name in the trade register',
    sample: "'Wafou Restauration SARL'",
  }),
  legal_form: { ...formChoice, option: { ...formChoice.option, name: 'legal-form' } } as Field<string>,
  rccm: formed(
    {
      label: ['RCCM', 'RCCM (trade register)'],
      hint: ['Comme CI-ABJ-03-2025-B12-08813.', 'Such as CI-ABJ-03-2025-B12-08813.'],
      option: 'rccm',
      says: 'the number in the trade register',
      sample: 'CI-ABJ-03-2025-B12-08813',
    },
    {
      read(typed) {
        const number = asSeen(typed).replace(/\s/g, '').toUpperCase()
        return RCCM.test(number) ? number : undefined
      },
      fault: ['Écrivez le RCCM comme CI-ABJ-03-2025-B12-08813.', 'Write the RCCM as CI-ABJ-03-2025-B12-08813.'],
      must: 'must be such as CI-ABJ-03-2025-B12-08813.',
    },
  ),
  registered_on: day({
    label: ['Immatriculé le', 'Registered on'],
    option: 'registered-on',
    says: 'the day of the registration',
    sample: '2025-03-14',
  }),
  tax_number: formed(
    {
      label: ['NCC (impôts)', 'NCC (tax number)'],
      hint: ['Sept chiffres et une lettre.', 'Seven digits and a letter.'],
      option: 'tax-number',
      says: "the taxpayer's number",
      sample: '2509871K',
    },
    {
      read(typed) {
        const number = asSeen(typed).replace(/\s/g, '').toUpperCase()
        return /^\d{7}[A-Z]$/.test(number) ? number : undefined
      },
      fault: [
        'Écrivez sept chiffres et une lettre, comme 2509871 K.',
        'Write seven digits and a letter, such as 2509871 K.',
      ],
      must: 'must be seven digits and a letter.',
    },
  ),
  tax_regime: { ...regimeChoice, option: { ...regimeChoice.option, name: 'tax-regime' } } as Field<string>,
  tax_regime_since: day({
    label: ['Régime depuis le', 'Regime since'],
    option: 'tax-regime-since',
    says: 'the first day of the regime',
    sample: '2026-01-01',
  }),
  activity: line({ label: ['Activité', 'Activity'], option: 'activity', says: 'its trade', sample: 'Restauration' }),
  address: line({
    label: ['Adresse', 'Address'],
    option: 'address',
    says: 'where it is found',
    sample: "'Yopougon, Siporex, Abidjan'",
  }),
  contact_name: line({
    label: ['Contact', 'Contact'],
    option: 'contact-name',
    says: 'the person to call',
    sample: "'Affoué Konan'",
  }),
  contact_number: formed(
    {
      label: ['Numéro du contact', 'Number of the contact'],
      option: 'contact-number',
      says: 'the number to call',
      sample: '0700000010',
    },
    {
      read: (typed) => Msisdn.parse(typed)?.e164,
      fault: [
        'Écrivez un numéro mobile ivoirien de dix chiffres.',
        'Write a mobile number of Côte d’Ivoire with ten digits.',
      ],
      must: 'must be a mobile number of ten digits.',
    },
  ),
  contact_email: formed(
    {
      label: ['E-mail du contact', 'E-mail of the contact'],
      option: 'contact-email',
      says: 'its address of mail',
      sample: 'wafou@example.ci',
    },
    {
      read: (typed) => (typed.length <= 200 && isMailable(typed) ? typed : undefined),
      fault: ['Écrivez une adresse e-mail.', 'Write an e-mail address.'],
      must: 'must be an e-mail address.',
    },
  ),
}

const unknownChoice = { value: '', words: ['Non connu', 'Not known'] } as const

/** A field that stays as it is without its option (null), and whose empty text takes its fact away. */
export function changeOf(field: Field<string>): Field<string | null> {
  const { form, option } = field
  return {
    ...field,
    write: (value) => writeFact(field, value ?? ''),
    read: (typed) => (typed === '' ? '' : field.read(typed)),
    form: form.choices === undefined ? form : { ...form, choices: [unknownChoice, ...form.choices] },
    option: { ...option, absent: null },
  }
}

/** Writes a fact of a business. Empty: not known. */
export function writeFact(field: Field<string>, value: string): Words {
  return value === '' ? unknownChoice.words : field.write(value)
}
