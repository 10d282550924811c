import Type from 'typebox'
import { defineRoute } from '../../platform/http/route.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { Caller } from '../../values/caller.ts'
import { livemode, objectField, time } from '../../values/fields.ts'
import { operatorCodes } from '../../values/operators.ts'
import * as store from '../store.ts'
import type { WeatherReport } from '../weather/follow-weather.ts'
import { OPERATIONS_MIN } from '../weather/weather.ts'
import { describeOperators, type LimitsInForce } from './describe-operators.ts'
import type { Registry } from './registry.ts'

const Reason = Type.Union(
  [
    Type.Enum(['merchant_inactive', 'not_connected', 'not_offered', 'payouts_stopped', 'operator_unavailable']),
    Type.Null(),
  ],
  { description: 'Why it is not available; null while it is.' },
)

const OperatorLimits = Type.Union(
  [
    Type.Object({
      min: Type.Integer({ description: 'Smallest amount, in francs.' }),
      max: Type.Integer({ description: 'Largest amount, in francs.' }),
      step: Type.Integer({ description: 'Divides every amount.' }),
    }),
    Type.Null(),
  ],
  { description: 'Of this direction; null: not known.' },
)

const NumberOrNull = (description: string) => Type.Union([Type.Number(), Type.Null()], { description })

const Weather = (over: string) =>
  Type.Object(
    {
      success_rate: NumberOrNull('Share of the operations that succeeded, from 0 to 1.'),
      in_doubt_rate: NumberOrNull('Share of them of which nobody knows yet what became.'),
      median_seconds: NumberOrNull('Seconds within which half of those that succeeded were confirmed.'),
      p95_seconds: NumberOrNull('The same for 95 of 100.'),
    },
    { description: `Over ${over}. Null: fewer than ${OPERATIONS_MIN} operations, too few to tell.` },
  )

const RecentWeatherField = Type.Object(
  { last_15_minutes: Weather('the last 15 to 20 minutes'), last_24_hours: Weather('the last 24 hours') },
  {
    description:
      "How the operations of all merchants in this mode went with it: those that succeeded, failed by the operator's own failure, or are in doubt. A payer's own failures, such as too little money, do not count.",
  },
)

const Operator = Type.Object(
  {
    object: objectField('operator'),
    code: Type.Enum([...operatorCodes], { description: 'As you name it in `operator`.' }),
    name: Type.String({ description: 'The name that payers know.' }),
    livemode,
    collection: Type.Object(
      {
        available: Type.Boolean({ description: 'Whether a payment asked for now is sent to this operator.' }),
        unavailable_reason: Reason,
        amount_max: Type.Integer({ description: 'Largest payment, in francs, as it is in force for you.' }),
        weather: RecentWeatherField,
      },
      { description: 'Whether payers can pay you through it.' },
    ),
    payout: Type.Object(
      {
        available: Type.Boolean({
          description:
            'Whether a payout accepted now is sent. While `payouts_stopped` or `operator_unavailable`, it is accepted and waits.',
        }),
        unavailable_reason: Reason,
        cap_operation: Type.Integer({
          description: 'Your cap for one payout in francs: a larger one waits for approval.',
        }),
        cap_day: Type.Integer({
          description: 'Your cap for any 24 hours in francs, over all operators: what exceeds it waits for approval.',
        }),
        weather: RecentWeatherField,
      },
      { description: 'Whether you can send money through it.' },
    ),
    refund: Type.Union([Type.Enum(['full', 'partial', 'none']), Type.Null()], {
      description: 'The refunds that the operator can make by itself; null: not known.',
    }),
    operator_limits: Type.Union([Type.Object({ collection: OperatorLimits, payout: OperatorLimits }), Type.Null()], {
      description: "The operator's own limits for one operation; null: not known.",
    }),
  },
  { $id: 'Operator', description: 'An operator of the country, and what can be done through it now.' },
)

const OperatorList = Type.Object(
  {
    object: objectField('list'),
    data: Type.Array(Operator, { description: 'Every operator of the country, connected or not.' }),
    as_of: time('The moment at which all of it stood so.'),
  },
  { $id: 'OperatorList', description: 'The operators of the country.' },
)

/** An extension: the operators through which a merchant can collect and pay out now, and the amounts that they accept. */
export const listOperators = defineRoute({
  auth: 'api',
  method: 'GET',
  path: '/x/operators',
  operation: 'listOperators',
  summary: 'Read through which operators you can collect and pay now, and your limits',
  tags: ['Extensions'],
  replies: { 200: OperatorList },
  errors: { 500: ['payment_failed'] },
  fault: 'payment_failed',
  async handle(
    { caller, reply },
    deps: {
      sql: Sql
      registry: Registry
      weather: WeatherReport
      limitsOf(caller: Caller): Promise<LimitsInForce>
    },
  ) {
    const { merchant_id, livemode, merchant_active } = caller
    const tenant = { merchant_id, livemode }
    const [limits, { stops, as_of }] = await Promise.all([
      deps.limitsOf(caller),
      store.readStops(deps.sql, merchant_id),
    ])
    const { registry, weather } = deps
    const described = describeOperators({ tenant, merchant_active, registry, weather, stops, limits })
    const data = described.map(({ code, name, ...known }) => ({
      object: 'operator' as const,
      code,
      name,
      livemode,
      ...known,
    }))
    return reply(200, { object: 'list', data, as_of: as_of.toISOString() })
  },
})
