import { gzipSync } from 'node:zlib'
import { workbookOf } from './build-workbook.ts'
import { xlsOf } from './build-xls.ts'

// Statements in the forms of operators and banks, with invented names, numbers and amounts.

export const waveFr = `Horodatage,Identifiant de transaction,Type de transaction,Montant,Frais,Solde,Devise,Nom de contrepartie,Numéro de téléphone de contrepartie,Référence client
2026-11-09 08:00:00+00:00,T_AA1,api_checkout,1980,20,101980,XOF,Awa Invented,+2250700000001,pay_1
2026-11-09 08:01:00+00:00,pt-2,api_payout,-80200,200,21780,XOF,,+2250700000002,pot_2
2026-11-09 08:02:00+00:00,T_AA3,api_checkout,346,4,22126,XOF,"Yao ""K"", Invented",+2250700000003,pay_3
`

export const waveEn = `timestamp,transaction_id,transaction_type,amount,fee,currency,counterparty_mobile,client_reference
"Nov 9, 2026, 11:59:59 PM",T_AA1,api_checkout,1980,20,XOF,+2250700000001,pay_1
"Nov 9, 2026, 08:01:00 AM",pt-2,api_payout,-80200,200,XOF,+2250700000002,pot_2
`

export const waveApi = JSON.stringify({
  page_info: { has_next_page: false },
  items: [
    {
      timestamp: '2026-11-09T08:00:00Z',
      transaction_id: 'T_AA1',
      transaction_type: 'api_checkout',
      amount: '2000',
      fee: '20',
      balance: '101980',
      currency: 'XOF',
      counterparty_name: 'Awa Invented',
      counterparty_mobile: '+2250700000001',
      client_reference: 'pay_1',
      more: { deep: [1] },
    },
    {
      timestamp: '2026-11-09T08:01:00Z',
      transaction_id: 'pt-2',
      transaction_type: 'api_payout',
      amount: '-80000',
      fee: '200',
      balance: '21780',
      currency: 'XOF',
      counterparty_mobile: '+2250700000002',
      client_reference: 'pot_2',
    },
  ],
})

const mtnTitles =
  'Id,External id,Date,Status,Type,Provider category,From,From account,From name,To,To name,From / Fee,Currency,To / Fee,Currency,From / Taxes,Currency,To / Taxes,Currency,Amount,Currency,Balance,Currency'.split(
    ',',
  )
const mtnRow = (
  id: string,
  ours: string,
  date: string | number,
  status: string,
  amount: number,
  fees: readonly [string, string],
) => [
  ...[
    id,
    ours,
    date,
    status,
    amount < 0 ? 'Transfer' : 'Debit',
    '',
    'FRI:2250500000001/MSISDN',
    '',
    'Awa Invented',
    '',
    '',
  ],
  ...[fees[0], 'XOF', fees[1], 'XOF', '', 'XOF', '', 'XOF', amount, 'XOF', '', 'XOF'],
]
const mtnRows = (dated: (nth: number) => string | number) => [
  mtnTitles,
  mtnRow('9001', 'pot_1', dated(0), 'Successful', -6_200, ['', '']),
  mtnRow('9002', 'pay_2', dated(1), 'Successful', 5_000, ['', '50']),
  mtnRow('9003', 'pot_3', dated(2), 'Failed', -900, ['', '']),
]
export const mtnCsv = `${mtnRows((nth) => `2026-11-09 10:00:0${nth}`)
  .map((row) => row.join(','))
  .join('\n')}\n`
export const mtnXlsx = workbookOf({
  rows: mtnRows((nth) => nth).map((row, at) =>
    row.map((cell, place) =>
      at > 0 && place === 2
        ? { value: 46_335.416_666_666_664 + at / 1_440, format: 'yyyy-mm-dd hh:mm:ss' }
        : cell === ''
          ? null
          : cell,
    ),
  ),
})

/** Newest first; the balance alone shows the fees of 8 and 9 francs. */
export const moovXlsx = workbookOf({
  rows: [
    ['Account Holder', 'Invented SARL'],
    ['Short Code', '4455667788'],
    ['Account', 'Organization Float'],
    ['Time Period', '09-11-2026'],
    ['Operator', 'someone'],
    'Receipt No.,Completion Time,Initiation Time,Details,Transaction Status,Currency,Paid In,Withdrawn,Balance,Reason Type,Opposite Party'.split(
      ',',
    ),
    [
      'AB1C3',
      '\t09-11-2026 10:03:00',
      '',
      '',
      'Completed',
      'XOF',
      null,
      -1_000,
      97_983,
      'Merchants Online Cash in',
      '2250100000001',
    ],
    [
      'AB1C2',
      '\t09-11-2026 10:02:00',
      '',
      '',
      'Expired',
      'XOF',
      500,
      null,
      null,
      'Merchants Online Payment',
      '2250100000002',
    ],
    [
      'AB1C1',
      '\t09-11-2026 10:01:00',
      '',
      '',
      'Completed',
      'XOF',
      null,
      -1_000,
      98_991,
      'Merchants Online Cash in',
      '2250100000001',
    ],
    [
      'AB1C0',
      '\t09-11-2026 10:00:00',
      '',
      '',
      'Completed',
      'XOF',
      2_000,
      null,
      100_000,
      'Merchants Online Payment',
      '2250100000003',
    ],
  ],
})

const orangeTitles = [
  'N°',
  'Date',
  'Heure',
  'Référence',
  'Service',
  'Paiement',
  'Statut',
  'Mode',
  'N° de Compte',
  'Wallet',
  'N° Pseudo',
  'N° de Compte',
  'Wallet',
  'Débit',
  'Crédit',
  'Compte: 0700000099',
  'Sous-réseau',
]
const orangeRow = (
  nth: number,
  reference: string,
  service: string,
  state: string,
  debit: number | null,
  credit: number | null,
) => [
  ...[
    { short: nth },
    '09/11/2026',
    '10:00:00',
    reference,
    service,
    '',
    state,
    'API',
    '0700000099',
    'N',
    '',
    `070000000${nth}`,
  ],
  ...['N', debit, credit, null, null],
]
export const orangeXls = xlsOf([
  ['Rapport ω d’opérations'],
  ['Solde initial', { short: 100_000 }],
  [null, null, null, null, null, null, null, null, 'Agent', null, null, 'Correspondant'],
  orangeTitles,
  orangeRow(1, 'MP1', 'Merchant Payment', 'Succès', null, 2_500),
  orangeRow(2, 'CI2', 'Cash in', 'Succès', 1_000, null),
  orangeRow(3, 'CI3', 'Cash in', 'Echec', 700, null),
  orangeRow(4, 'CO4', 'Commissions', 'Succès', 25, null),
  ['Total', null, null, null, null, null, null, null, null, null, null, null, null, { formula: 1_025 }, 2_500],
])

export const pawapay = gzipSync(`Creation Date,MSISDN,Transaction ID,Amount,Currency,Country,MNO,Type,Status
2026-11-09T08:00:00Z,2250500000001,5f0c8a10-0000-4000-8000-000000000001,1500,XOF,CIV,MTN_MOMO_CIV,DEPOSIT,COMPLETED
2026-11-09T08:05:00Z,2250500000002,5f0c8a10-0000-4000-8000-000000000002,700,XOF,CIV,MTN_MOMO_CIV,PAYOUT,COMPLETED
`)

export const mt940 = `:20:STMT1\r
:25:CI001010010000000000199\r
:28C:1/1\r
:60F:C261108XOF1000000,\r
:61:2611091109CF50000,NMSCNONREF//M01STAR1\r
TRANSFERT\r
:86:TRANSFERT PAR MOBILE REF 88 INWARD MOB\r
ILE TRANSFER PNS DU 01 AU 03 MARS\r
:61:2611091109DF500,NCOMNONREF//M01STAR1\r
:86:COMMISSION\r
:61:2611091109DF90,NTAXNONREF//M01STAR1\r
:86:TAXE\r
:62F:C261109XOF1049410,\r
-`

const entry = (amount: string, sign: string, reference: string, state = 'BOOK') =>
  `<Ntry><Amt Ccy="XOF">${amount}</Amt><CdtDbtInd>${sign}</CdtDbtInd><Sts><Cd>${state}</Cd></Sts><BookgDt><Dt>2026-11-09</Dt></BookgDt><AcctSvcrRef>${reference}</AcctSvcrRef><NtryDtls><TxDtls><Refs><EndToEndId>stl_1</EndToEndId></Refs><RmtInf><Ustrd>VIREMENT &amp; RECU</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>`
const balance = (code: string, amount: string) =>
  `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="XOF">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd></Bal>`
export const camt = `<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt><Stmt><Acct><Id><IBAN>CI93CI0010100100000000001993</IBAN></Id></Acct>${balance('OPBD', '1000')}${balance('CLBD', '1400')}${entry('500', 'CRDT', 'R1')}${entry('100', 'DBIT', 'R2')}${entry('70', 'DBIT', 'R3', 'PDNG')}</Stmt></BkToCstmrStmt></Document>`

export const bankCsv = Buffer.from(
  `BANQUE INVENTEE;;;;\nCompte;CI001 01001 000000000019 93;;;\nDate;Libellé;Débit;Crédit;Solde\n09/11/2026;VIREMENT REÇU;;50 000;150 000\n09/11/2026;COMMISSION VIREMENT;500;;149.500\n;TOTAL;500;50 000;\n`,
  'latin1',
)

/** All, by the profile that reads them. */
export const statementFixtures: readonly (readonly [profile: string, bytes: Buffer])[] = [
  ['wave_csv_fr', Buffer.from(waveFr)],
  ['wave_csv_en', Buffer.from(waveEn)],
  ['wave_api', Buffer.from(waveApi)],
  ['mtn', Buffer.from(mtnCsv)],
  ['mtn', mtnXlsx],
  ['moov', moovXlsx],
  ['orange_xls', orangeXls],
  ['pawapay', pawapay],
  ['mt940', Buffer.from(mt940)],
  ['camt053', Buffer.from(camt)],
  ['bank_table', bankCsv],
]
