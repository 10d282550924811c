import Type from 'typebox'
import { defineRoute } from '../../platform/http/route.ts'
import { livemode, objectField } from '../../values/fields.ts'
import { Msisdn } from '../../values/msisdn.ts'
import { operatorCodes } from '../../values/operators.ts'
import type { NumberKnowledge } from './number-knowledge.ts'

const OperatorPrediction = Type.Object(
  {
    object: objectField('operator_prediction'),
    operator: Type.Union([Type.Enum([...operatorCodes]), Type.Null()], {
      description:
        'To propose, and never to refuse by. Null: its range says one that has said that the number is not its own.',
    }),
    confidence: Type.Enum(['high', 'medium', 'none'], {
      description:
        '`high`: money moved through this operator last. `medium`: by the prefix, and nothing is known against it. `none`: there is no operator to propose.',
    }),
    basis: Type.Enum(['prefix', 'learned'], {
      description:
        '`learned`: earlier orders to this number ended otherwise than its prefix says. `prefix`: they did not, or there were none.',
    }),
    livemode,
  },
  { $id: 'OperatorPrediction', description: 'The operator of a number, as far as the service can tell.' },
)

const PredictionRequest = Type.Object({
  msisdn: Type.Refine(
    Type.String({ maxLength: 64, description: 'Ten digits, or the international form with `+225`.' }),
    (written) => Msisdn.parse(written) !== null,
    () => 'an Ivorian mobile number: ten digits, or +225 and ten digits',
  ),
})

/** An extension: predicts the operator of a number. The number is in the body, never in the URL. */
export const predictNumber = defineRoute({
  auth: 'api',
  method: 'POST',
  path: '/x/operators/predict',
  operation: 'predictOperator',
  summary: 'Propose the operator that serves a number',
  description:
    'Numbers are portable, so a prefix is a guess. The ends of orders teach which operator serves a number. It changes nothing, and needs no `Idempotency-Key`.',
  tags: ['Extensions'],
  body: PredictionRequest,
  example: { body: { msisdn: '0700000000' } },
  replies: { 200: OperatorPrediction },
  errors: { 400: ['invalid_body'], 422: ['invalid_msisdn'], 500: ['payment_failed'] },
  invalid: {
    msisdn: (sent) => (typeof sent === 'string' ? 'invalid_msisdn' : 'invalid_body'),
    otherwise: 'invalid_body',
  },
  fault: 'payment_failed',
  async handle({ caller, body, reply }, deps: { numbers: Pick<NumberKnowledge, 'predict'> }) {
    const { merchant_id, livemode } = caller
    const prediction = await deps.numbers.predict({ merchant_id, livemode }, Msisdn.parse(body.msisdn)!)
    return reply(200, { object: 'operator_prediction', ...prediction, livemode })
  },
})
