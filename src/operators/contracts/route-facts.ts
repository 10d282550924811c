import {
  choiceField,
  type Fact,
  type Field,
  francs,
  merchantFact,
  merchantField,
  oneOf,
  optional,
  sumField,
} from '../../acts/facts.ts'
import type { Words } from '../../values/language.ts'
import { isOperatorCode, type OperatorCode, operatorCodes, operatorNames } from '../../values/operators.ts'
import type { Order } from '../port.ts'

/** The most connectors of a route. */
export const CONNECTORS_MAX = 8

/** The operations of a route. */
export const directionWords: Readonly<Record<Order['direction'], Words>> = {
  collect: ['encaisser', 'collect'],
  payout: ['envoyer', 'pay out'],
  refund: ['rembourser', 'refund'],
}

const modeWords: Readonly<Record<'test' | 'live', Words>> = { test: ['Test', 'Test'], live: ['Réel', 'Live'] }

const connectorsFact = (name: Words): Fact<readonly string[]> => ({
  name,
  write(names) {
    const named = names.join(', ')
    return names.length === 0 ? ['aucune route', 'no route'] : [named, named]
  },
})

/** The facts of a route that people read and sign. */
export const routeFacts = {
  operator: {
    name: ['Opérateur', 'Operator'],
    write: (code) => [operatorNames[code], operatorNames[code]],
  } as Fact<OperatorCode>,
  direction: oneOf(['Pour', 'To'], directionWords),
  merchant: merchantFact,
  connectors: connectorsFact(['Par', 'Through']),
  today: connectorsFact(['Aujourd’hui', 'Today']),
  amount_min: francs(['Au moins', 'At least']),
  amount_max: francs(['Au plus', 'At most']),
} as const

/** Reads the names of connectors, the preferred one first. Empty, or `none`: none. */
function readNames(typed: string): string[] | undefined {
  const names = typed === '' || typed === 'none' ? [] : typed.split(',').map((name) => name.trim())
  return names.includes('') || new Set(names).size !== names.length || names.length > CONNECTORS_MAX ? undefined : names
}

const bound = (label: Words, name: string) => optional(sumField(label, { option: { name } }))

export const routeFields = {
  /** The mode of the page, or `--mode`. */
  mode: choiceField(oneOf(['Mode', 'Mode'], modeWords), {
    label: ['Mode', 'Mode'],
    choices: modeWords,
    fault: ['Choisissez le mode.', 'Choose the mode.'],
    says: 'the mode',
  }),
  operator: choiceField(routeFacts.operator, {
    label: ['Opérateur', 'Operator'],
    choices: Object.fromEntries(
      operatorCodes.map((code) => [code, [operatorNames[code], operatorNames[code]]]),
    ) as never,
    fault: ['Choisissez un opérateur.', 'Choose an operator.'],
    says: 'the operator',
    read: (code: string) => (isOperatorCode(code) ? code : null),
  }),
  direction: choiceField(routeFacts.direction, {
    label: ['Pour', 'To'],
    choices: directionWords,
    fault: ['Choisissez ce que fait la route.', 'Choose what the route does.'],
    says: 'the operations',
  }),
  through: {
    ...routeFacts.connectors,
    read: readNames,
    form: {
      label: ['Par, dans l’ordre', 'Connectors, in this order'],
      kind: 'line',
      fault: [
        `De 1 à ${CONNECTORS_MAX} noms différents, séparés par des virgules.`,
        `1 to ${CONNECTORS_MAX} different names, separated by commas.`,
      ],
    },
    option: {
      name: 'connectors',
      must: `names 1 to ${CONNECTORS_MAX} different connectors with commas between them, or none.`,
    },
  } as Field<string[]>,
  merchant: optional(merchantField(['Pour un seul marchand, son numéro', 'For one merchant alone, its number'])),
  min: bound(['Au moins, F CFA', 'At least, F CFA'], 'min'),
  max: bound(['Au plus, F CFA', 'At most, F CFA'], 'max'),
} as const
