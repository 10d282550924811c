import Type from 'typebox'

/** Fields that many objects of the interface share, described once. */

/** The kind of an object. */
export function objectField<const Name extends string>(name: Name) {
  return Type.Literal(name, { description: `Always \`${name}\`.` })
}

export const livemode = Type.Boolean({ description: 'True: real money. False: test mode, in which no money moves.' })
export const currency = Type.String({ description: 'Always `XOF`.' })

/** A moment in UTC, as `2026-08-25T09:30:00.000Z`. */
export function time(description: string) {
  return Type.String({ format: 'date-time', description })
}

export function timeOrNull(description: string) {
  return Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description })
}

export function textOrNull(description: string) {
  return Type.Union([Type.String(), Type.Null()], { description })
}
