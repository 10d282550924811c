import { defineAct, merchant } from '../../acts/act.ts'
import { lineField, text } from '../../acts/facts.ts'
import { stopRefusals } from '../../values/solo-approval.ts'
import { judgeStop, loadStop } from './solo-acts.ts'

/** The staff stop an approval by a merchant's only person before its effect. Stopping moves no money. */
export const stopMerchantsApproval = defineAct({
  name: 'merchant.stop_alone',
  summary: 'Stop an approval of one person before it takes effect',
  title: ['Arrêter cet accord', 'Stop this approval'],
  right: 'payouts.stop',
  fresh: false,
  on: merchant,
  fields: {
    subject: lineField(text(['Demande ou clé', 'Request or key']), {
      label: ['Demande ou clé', 'Request or key'],
      longest: 100,
      fault: stopRefusals.nothing_waits,
    }),
  },
  load: (tx, { tenant, values: { subject: subject_id } }) => loadStop(tx, { ...tenant, subject_id }),
  facts: {},
  content: () => ({}),
  decide: ({ by }, has) => judgeStop(by, has),
  refusals: stopRefusals,
})
