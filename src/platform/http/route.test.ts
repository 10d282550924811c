import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import Type from 'typebox'
import { defineRoute, type Route } from './route.ts'

const declaration = {
  auth: 'open',
  about: 'nothing',
  method: 'POST',
  path: '/x/:thing_id',
  operation: 'tryThing',
  summary: 'Try a thing',
  params: { thing_id: 'txn' },
  body: Type.Object({ first: Type.Integer(), second: Type.Optional(Type.String()), third: Type.Boolean() }),
  query: Type.Object({ page: Type.Optional(Type.String()) }),
  replies: { 200: Type.Object({ id: Type.String() }) },
  errors: {
    400: ['invalid_body', 'invalid_request'],
    422: ['invalid_id', 'invalid_amount', 'invalid_currency'],
    500: ['payment_creation_failed'],
  },
  invalid: { first: 'invalid_amount', second: 'invalid_currency', otherwise: 'invalid_request' },
  fault: 'payment_creation_failed',
} as const

describe('a declaration', () => {
  const route = defineRoute({
    ...declaration,
    handle({ params, body, query, caller, call, reply, refuse }, deps: { find: (id: string) => number }) {
      const first: number = body.first
      const second: string | undefined = body.second
      const page: string | undefined = query.page
      const nobody: null = caller
      const noKey: null = call.idempotency
      if (deps.find(params.thing_id) > first) return refuse('invalid_amount')
      // @ts-expect-error a code that the table does not list
      assert.throws(() => refuse('duplicate_reference'), /does not declare/)
      // @ts-expect-error a status without a declared body
      reply(201, { id: 'x' })
      // @ts-expect-error another body than the declared one
      reply(200, { name: 'x' })
      // @ts-expect-error a parameter that the path does not have
      params.other
      return reply(200, { id: `${second} ${page} ${nobody} ${noKey}` })
    },
  })

  test('the first wrong field in the order of the declaration decides, a missing one like a wrong one', () => {
    const cases: [body: object, code: string | null][] = [
      [{ third: true, first: 1, other: {} }, null],
      [{ third: 1, second: 1, first: 'x' }, 'invalid_amount'],
      [{ third: 1, second: 1 }, 'invalid_amount'],
      [{ third: 1, second: 1, first: 1 }, 'invalid_currency'],
      [{ first: 1, second: null, third: true }, 'invalid_currency'],
      [{ first: 1 }, 'invalid_request'],
    ]
    for (const [body, code] of cases) assert.equal(route.wrongBody(body)?.code ?? null, code, JSON.stringify(body))
  })

  test('the code of a field can depend on what was sent there', () => {
    const second = (sent: unknown) => (typeof sent === 'string' ? 'invalid_currency' : 'invalid_body')
    const { wrongBody } = defineRoute({
      ...declaration,
      body: Type.Object({ first: Type.Integer(), second: Type.Enum(['one', 'two']), third: Type.Boolean() }),
      invalid: { ...declaration.invalid, second },
      handle: ({ reply }) => reply(200, { id: '' }),
    })
    assert.equal(wrongBody({ first: 1, second: 'one', third: true }), null)
    assert.equal(wrongBody({ first: 1, second: 'three', third: 1 })?.code, 'invalid_currency')
    for (const body of [{ second: 1 }, { second: null }, {}])
      assert.equal(wrongBody({ first: 1, ...body })?.code, 'invalid_body')
    assert.equal(wrongBody({ first: 'x', second: 'three' })?.code, 'invalid_amount')
  })

  test('the status of a refusal comes from the table', () => {
    assert.deepEqual(route.refuse('invalid_id'), {
      status: 422,
      body: '{"error":{"code":"invalid_id","message":"This does not look like an id of this kind of resource. Check its prefix."}}',
      error_code: 'invalid_id',
      headers: null,
    })
  })

  test('a path parameter holds an id of one kind, of one of several, or any text', () => {
    const { body, query, invalid, ...bodiless } = declaration
    const held: [params: 'txn' | readonly ['txn', 'evt'] | 'text', refused: string[]][] = [
      ['txn', ['evt_1', 'thing', '']],
      [
        ['txn', 'evt'],
        ['thing', ''],
      ],
      ['text', []],
    ]
    for (const [thing_id, refused] of held) {
      const one = defineRoute({ ...bodiless, params: { thing_id }, handle: ({ refuse }) => refuse('invalid_id') })
      const wrong = ['txn_1', 'evt_1', 'thing', ''].filter((value) => one.wrongId({ thing_id: value }) !== null)
      assert.deepEqual(wrong, refused)
    }
  })

  test('the compiler requires all dependencies of the handlers', () => {
    const serve = <Deps>(_routes: readonly Route<NoInfer<Deps>>[], _deps: Deps): void => {}
    serve([route], { find: () => 1 })
    // @ts-expect-error `find` is missing
    serve([route], {})
  })

  describe('is refused at its declaration if it contradicts itself', () => {
    const handle = ({ reply }: { reply: { stored(status: number, text: string): never } }) => reply.stored(200, '')
    const contradictions: Record<string, [changes: object, message: RegExp]> = {
      'a parameter that is not in the path': [{ path: '/x' }, /parameters of the path/],
      'a parameter that is not declared': [{ path: '/x/:thing_id/:other' }, /parameters of the path/],
      'a fault without a status': [{ fault: 'resource_not_found' }, /resource_not_found is not in the table/],
      'a wrong field without a status': [{ invalid: { otherwise: 'invalid_msisdn' } }, /invalid_msisdn is not in/],
      'no code for wrong fields': [{ invalid: undefined }, /must declare the code/],
      'an unreadable body without a status': [{ unreadable: 'invalid_msisdn' }, /invalid_msisdn is not in/],
      'an Idempotency-Key without its code': [
        { idempotent: true, path: '/x', params: {} },
        /idempotency_key_required is not in/,
      ],
      'an Idempotency-Key beside an id in the path': [{ idempotent: true }, /cannot tell apart/],
    }
    for (const [promise, [changes, message]] of Object.entries(contradictions)) {
      test(promise, () => {
        assert.throws(() => defineRoute({ ...declaration, handle, ...changes } as never), message)
      })
    }

    test('a code on two statuses', () => {
      const errors = { ...declaration.errors, 409: ['invalid_id'] }
      assert.throws(() => defineRoute({ ...declaration, errors, handle } as never), /invalid_id has two statuses/)
    })
  })
})
