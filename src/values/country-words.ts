import type { CallingCode } from './calling-codes.ts'
import type { Words } from './language.ts'

const countries: Readonly<Record<CallingCode, Words>> = {
  '221': ['du Sénégal', 'of Senegal'],
  '223': ['du Mali', 'of Mali'],
  '226': ['du Burkina Faso', 'of Burkina Faso'],
  '224': ['de Guinée', 'of Guinea'],
  '231': ['du Liberia', 'of Liberia'],
  '233': ['du Ghana', 'of Ghana'],
  '228': ['du Togo', 'of Togo'],
  '229': ['du Bénin', 'of Benin'],
  '227': ['du Niger', 'of Niger'],
  '234': ['du Nigeria', 'of Nigeria'],
  '220': ['de Gambie', 'of the Gambia'],
  '222': ['de Mauritanie', 'of Mauritania'],
  '232': ['de Sierra Leone', 'of Sierra Leone'],
  '238': ['du Cap-Vert', 'of Cape Verde'],
  '245': ['de Guinée-Bissau', 'of Guinea-Bissau'],
  '237': ['du Cameroun', 'of Cameroon'],
  '241': ['du Gabon', 'of Gabon'],
  '242': ['du Congo', 'of the Congo'],
  '243': ['de la RD Congo', 'of the DR Congo'],
  '235': ['du Tchad', 'of Chad'],
  '236': ['de Centrafrique', 'of the Central African Republic'],
  '212': ['du Maroc', 'of Morocco'],
  '213': ['d’Algérie', 'of Algeria'],
  '216': ['de Tunisie', 'of Tunisia'],
  '33': ['de France', 'of France'],
  '32': ['de Belgique', 'of Belgium'],
  '39': ['d’Italie', 'of Italy'],
  '34': ['d’Espagne', 'of Spain'],
  '44': ['du Royaume-Uni', 'of the United Kingdom'],
  '49': ['d’Allemagne', 'of Germany'],
  '41': ['de Suisse', 'of Switzerland'],
  '86': ['de Chine', 'of China'],
  '1': ['d’Amérique du Nord', 'of North America'],
}

/** Says that a number is one of another country. */
export function otherCountryWords(country: CallingCode): Words {
  const [french, english] = countries[country]
  return [
    `C’est un numéro ${french} (+${country}). Seul un numéro de Côte d’Ivoire peut être payé.`,
    `This is a number ${english} (+${country}). Only a number of Côte d’Ivoire can be paid.`,
  ]
}
