import Type from 'typebox'

/** Fields of many objects of the interface, described once. */

/** The field `object`, the kind of an object. */
export function objectField<const Name extends string>(name: Name) {
  return Type.Literal(name, { description: `Always \`${name}\`.` })
}

export const livemode = Type.Boolean({ description: 'True: real money. False: test mode, in which no money moves.' })
export const currency = Type.String({ description: 'Always `XOF`.' })

/** A moment in UTC, such as `2026-08-25T09:30:00.000Z`. */
export function time(description: string) {
  return Type.String({ format: 'date-time', description })
}

/** A moment in UTC, or null. */
export function timeOrNull(description: string) {
  return Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description })
}

/** A text, or null. */
export function textOrNull(description: string) {
  return Type.Union([Type.String(), Type.Null()], { description })
}
