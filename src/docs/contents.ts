import type { Words } from '../values/language.ts'

/** A guide: `docs/fr/<slug>.md` and `docs/en/<slug>.md`. One about the extensions is left out where they are off. */
type Guide = { readonly guide: Words; readonly about?: 'extensions' }

/** A page of the repository that the site reads where it is. It is in English alone: engineers of the company read it beside the sources. */
type Handbook = { readonly file: string; readonly slug: string; readonly titles: Words }

/** Pages that are written from the contract. */
type Made = { readonly made: 'reference' | 'errors' }

export type Entry = Guide | Handbook | Made
export type Section = { readonly title: Words; readonly entries: readonly Entry[] }

const guide = (fr: string, en: string): Guide => ({ guide: [fr, en] })
const handbook = (file: string, slug: string, fr: string, en: string): Handbook => ({ file, slug, titles: [fr, en] })

/** The first page of each language. */
export const home: Guide = guide('index', 'index')

/** The slugs of pages that are not files. */
export const slugs = {
  search: ['recherche', 'search'],
  reference: ['reference', 'reference'],
  errors: ['erreurs', 'errors'],
} as const satisfies Record<string, Words>

/** Every page of the site, in the order of its menu. A page that is not in this list is not served. */
export const sections: readonly Section[] = [
  {
    title: ['Commencer', 'Begin'],
    entries: [
      guide('premiers-pas', 'first-steps'),
      guide('mode-test', 'test-mode'),
      guide('mise-en-production', 'going-live'),
    ],
  },
  {
    title: ['Encaisser et payer', 'Collect and pay'],
    entries: [
      guide('encaisser', 'collect'),
      guide('page-de-paiement', 'payment-page'),
      guide('payer', 'pay-out'),
      guide('lots', 'batches'),
      guide('reversements', 'settlement'),
    ],
  },
  {
    title: ['Ne rien perdre', 'Lose nothing'],
    entries: [
      guide('webhooks', 'webhooks'),
      { ...guide('flux', 'feed'), about: 'extensions' },
      guide('reprises', 'retries'),
      guide('supabase', 'supabase'),
      guide('limites', 'limits'),
    ],
  },
  {
    title: ['Venir de', 'Coming from'],
    entries: [
      guide('venir-de-cinetpay', 'coming-from-cinetpay'),
      guide('venir-de-paydunya', 'coming-from-paydunya'),
      guide('venir-de-fedapay', 'coming-from-fedapay'),
    ],
  },
  {
    title: ['Référence', 'Reference'],
    entries: [{ made: 'reference' }, { made: 'errors' }, handbook('docs/states.md', 'states', 'États', 'States')],
  },
  {
    title: ['Exploiter le service', 'Run the service'],
    entries: [
      handbook('docs/deploy.md', 'deploy', 'Installer', 'Deploy'),
      handbook('docs/runbook.md', 'runbook', 'En cas d’alerte', 'Runbook'),
      handbook('docs/settings.md', 'settings', 'Réglages', 'Settings'),
      handbook('docs/commands.md', 'commands', 'Commandes', 'Commands'),
      handbook('docs/acts.md', 'acts', 'Actes et droits', 'Acts and rights'),
      handbook('SECURITY.md', 'security', 'Signaler une faille', 'Report a vulnerability'),
      handbook('docs/console-security.md', 'console-security', 'Sécurité de la console', 'Security of the console'),
      handbook('docs/reliability.md', 'reliability', 'Fiabilité', 'Reliability'),
      handbook('docs/postgresql.md', 'postgresql', 'PostgreSQL', 'PostgreSQL'),
      handbook('docs/scaling.md', 'scaling', 'Monter en charge', 'Scaling'),
      handbook('docs/twin.md', 'twin', 'Le jumeau des opérateurs', 'The operators’ twin'),
      handbook('docs/operators/pawapay.md', 'pawapay', 'pawaPay', 'pawaPay'),
      handbook('docs/operators/mtn-momo.md', 'mtn-momo', 'MTN MoMo', 'MTN MoMo'),
      handbook('docs/operators/wave.md', 'wave', 'Wave', 'Wave'),
      handbook('docs/operators/orange.md', 'orange', 'Orange Money', 'Orange Money'),
      handbook('docs/operators/moov.md', 'moov', 'Moov Money', 'Moov Money'),
    ],
  },
  {
    title: ['Pas à pas', 'Walks'],
    entries: [
      handbook('docs/walks/README.md', 'walks', 'Tous les parcours', 'All walks'),
      handbook('docs/walks/pay-out.md', 'walk-pay-out', 'Payer', 'Pay out'),
      handbook('docs/walks/settle-and-refund.md', 'walk-settle', 'Reverser, rembourser', 'Settle and refund'),
      handbook('docs/walks/pay-on-a-page.md', 'walk-page', 'Payer sur une page', 'Pay on a page'),
      handbook('docs/walks/go-live.md', 'walk-live', 'Le mode réel, sans opérateur', 'Go live, without an operator'),
      handbook(
        'docs/walks/a-shop-from-a-telephone.md',
        'walk-shop',
        'Une boutique au téléphone',
        'A shop from a telephone',
      ),
      handbook('docs/walks/batch-from-a-file.md', 'walk-batch', 'Un lot depuis un fichier', 'A batch from a file'),
      handbook(
        'docs/walks/a-month-in-the-console.md',
        'walk-month',
        'Un mois dans la console',
        'A month in the console',
      ),
      handbook('docs/walks/anomaly-by-two-people.md', 'walk-anomaly', 'Une anomalie', 'An anomaly'),
    ],
  },
]
