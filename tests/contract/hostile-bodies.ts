import fc from '../harness/property.ts'

/** The bytes of a body, and its origin for the message of a failed test. */
export type HostileBody = { text: string; bytes: Uint8Array }

/** Keys that have caused errors in JavaScript, JSON, SQL or logs. */
const strangeKeys = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'toJSON',
  'then',
  'length',
  '',
  ' amount',
  'Amount',
  'amount\\u0000',
  '\\u0061mount',
  '$where',
  'merchant_id',
  'a'.repeat(2_000),
]

const strangeValues = [
  'null',
  'true',
  '0',
  '-0',
  '-1',
  '1.5',
  '100.0',
  '1e2',
  '1E400',
  '-1e-400',
  '9007199254740993',
  '9223372036854775808',
  `1${'0'.repeat(500)}`,
  '""',
  '" "',
  '"100"',
  '"\u2028\u2029\ufeff\u202e"',
  '"\uffff\ufffe"',
  `"${'😀'.repeat(300)}"`,
  `"${'a\u0301'.repeat(600)}"`,
  `"${'x'.repeat(20_000)}"`,
  `"'; drop table payments; --"`,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what careless templates look for.
  '"${jndi:ldap://x}{{7*7}}%s%n"',
  '[]',
  '{}',
  '{"msisdn":"0700000000"}',
  '{"msisdn":["0700000000"]}',
  '{"msisdn":null}',
  '{"__proto__":{"msisdn":"0700000000"}}',
  `{"msisdn":"${'0'.repeat(5_000)}"}`,
  `[${'1,'.repeat(10_000)}1]`,
  `{${Array.from({ length: 2_000 }, (_, at) => `"k${at}":${at}`).join()}}`,
]

/** Values that no reader of JSON may accept, or that ours does not. */
const unreadableValues = [
  '0100',
  '+1',
  '.5',
  '0x10',
  'NaN',
  'Infinity',
  'undefined',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\u001b[2J"',
  '"\\r\\nSet-Cookie: a=b"',
  '"\u007f"',
  '"\\x41"',
  "'single'",
  '[[[[[[[[[[[[]]]]]]]]]]]]',
  `${'['.repeat(50_000)}`,
  `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
  '{"msisdn":"0700000000","msisdn":"0500000000"}',
]

/** Values of a payment's fields, written as JSON. */
const ofPayments: Record<string, string> = {
  amount: '100',
  currency: '"XOF"',
  operator: '"orange_ci"',
  counterparty: '{"msisdn":"0700000000"}',
  description: '"Two loincloths"',
  metadata: '{"order":7}',
  simulate: '"succeed"',
}

const value = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...strangeValues) },
  fc.constantFrom(...unreadableValues),
  { weight: 2, arbitrary: fc.json({ maxDepth: 3 }) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 4_000_000 }).map(String) },
  fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
  fc.double().map(String),
  fc.bigInt().map(String),
)

/** Names that a body may have in place of a route's own. */
const keyOf = (fields: readonly string[]) =>
  fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...fields) }, fc.constantFrom(...strangeKeys), fc.string())

/** A mostly valid body with a few invalid members, because only a body that passes the first checks reaches the later ones. */
function membersOf(good: Readonly<Record<string, string>>, fields: readonly string[], needed: readonly string[]) {
  return fc
    .record({
      optional: fc.subarray(Object.keys(good).filter((name) => !needed.includes(name))),
      complete: fc.integer({ min: 0, max: 9 }),
      strange: fc.array(fc.tuple(keyOf(fields), value), { minLength: 1, maxLength: 3 }),
    })
    .map(({ optional, complete, strange }) => {
      const replaced = new Set(strange.map(([name]) => name))
      const kept = [...(complete > 0 ? needed : []), ...optional].filter((name) => !replaced.has(name))
      const pairs = [...kept.map((name): [string, string] => [name, good[name]!]), ...strange]
      return `{${pairs.map(([name, written]) => `${quote(name)}:${written}`).join()}}`
    })
}

/** Keys from the list above may hold escapes on purpose; others are quoted properly. */
function quote(name: string): string {
  return strangeKeys.includes(name) ? `"${name}"` : JSON.stringify(name)
}

type Damage = (text: string, at: number) => string
const damages: Damage[] = [
  (text, at) => text.slice(0, at),
  (text, at) => text.slice(at),
  (text, at) => `${text.slice(0, at)}\u0000${text.slice(at)}`,
  (text, at) => `${text.slice(0, at)}"${text.slice(at)}`,
  (text, at) => `${text.slice(0, at)}\\${text.slice(at)}`,
  (text, at) => `${text.slice(0, at)},${text.slice(at)}`,
  (text) => `\ufeff${text}`,
  (text) => `${text}${text}`,
  (text) => `[${text}]`,
  (text) => JSON.stringify(text),
  (text) => `${text}//`,
  (text) => text.replaceAll(':', '='),
]

const damage = fc.oneof({ weight: 5, arbitrary: fc.constant<Damage>((text) => text) }, fc.constantFrom(...damages))
const damaged = (texts: fc.Arbitrary<string>) =>
  fc
    .record({ text: texts, damage, at: fc.double({ min: 0, max: 1, noNaN: true }) })
    .map(({ text, damage, at }) => damage(text, Math.floor(at * text.length)))

/** Bodies with the right types and extreme values, which reach the database. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('%s', "';--", '\\x00'),
)
const paymentsOfTheRightTypes = fc
  .record(
    {
      amount: fc.oneof(fc.integer({ min: 1, max: 2_000 }), fc.integer({ min: 0, max: 4_000_000 })),
      currency: fc.constantFrom('XOF', 'xof', 'xoF', 'EUR'),
      operator: fc.oneof({ weight: 9, arbitrary: fc.constantFrom('orange_ci', 'wave_ci') }, text),
      counterparty: fc.record({
        msisdn: fc.oneof(fc.stringMatching(/^[+ 0-9.()-]{1,20}$/), fc.stringMatching(/^0[157][0-9]{8}$/)),
      }),
      merchant_reference: text,
      description: text,
      metadata: fc.dictionary(text, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 5 }),
      unknown: fc.jsonValue({ maxDepth: 3 }),
    },
    { requiredKeys: ['amount'] },
  )
  .map((body) => JSON.stringify(body))

/** A valid body in which one member, at any depth, is replaced, missing or doubled. */
function mutationsOf(good: unknown): fc.Arbitrary<string> {
  const places = placesIn(good)
  return fc.tuple(fc.constantFrom(...places), value).map(([place, written]) => {
    // No valid body contains the marker elsewhere.
    return JSON.stringify(replaced(good, place), null, 0).replace('"\\u0001"', () => written)
  })
}

type Place = readonly (string | number)[]

function placesIn(value: unknown, at: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [at]
  return [at, ...Object.entries(value).flatMap(([name, inside]) => placesIn(inside, [...at, name]))]
}

function replaced(value: unknown, [name, ...rest]: Place): unknown {
  if (name === undefined) return '\u0001'
  if (Array.isArray(value)) return value.map((item, at) => (String(at) === name ? replaced(item, rest) : item))
  return { ...(value as object), [name]: replaced((value as Record<string, unknown>)[name], rest) }
}

type Encoding = 'utf8' | 'utf16le' | 'latin1'

const encoded = (texts: fc.Arbitrary<string>): fc.Arbitrary<HostileBody> =>
  fc
    .tuple(
      texts,
      fc.oneof(
        { weight: 20, arbitrary: fc.constant<Encoding>('utf8') },
        fc.constantFrom<Encoding>('utf16le', 'latin1'),
      ),
    )
    .map(([text, encoding]) => ({ text, bytes: Buffer.from(text, encoding) }))

const anything: fc.Arbitrary<HostileBody> = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((bytes) => ({ text: '(bytes)', bytes })),
  fc.json({ maxDepth: 4 }).map((text) => ({ text, bytes: Buffer.from(text) })),
)

/** Bodies for `POST /v1-payments`, many of them valid enough to reach the database. */
export const hostileBodies: fc.Arbitrary<HostileBody> = fc.oneof(
  {
    weight: 20,
    arbitrary: encoded(damaged(membersOf(ofPayments, [...Object.keys(ofPayments), 'merchant_reference'], ['amount']))),
  },
  {
    weight: 12,
    arbitrary: paymentsOfTheRightTypes.map((body) => ({ text: body, bytes: Buffer.from(body) })),
  },
  { weight: 2, arbitrary: anything },
)

/**
 * Bodies for any route.
 * @param good one that it takes
 * @param fields the names that it knows, those of `good` among them
 */
export function hostileBodiesFor(good: Readonly<Record<string, unknown>>, fields: readonly string[]) {
  const written = Object.fromEntries(Object.entries(good).map(([name, held]) => [name, JSON.stringify(held)]))
  return fc.oneof(
    { weight: 10, arbitrary: encoded(damaged(membersOf(written, fields, Object.keys(good)))) },
    { weight: 10, arbitrary: encoded(mutationsOf(good)) },
    { weight: 1, arbitrary: anything },
  )
}
