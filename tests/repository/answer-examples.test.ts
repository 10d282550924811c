import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAnswerExamples } from '../../src/app/answer-examples.ts'
import { apiRoutes } from '../../src/app/routes.ts'
import { checkDescribed } from '../contract/check-described.ts'

// The examples of answers in openapi.json were given by a service once. tests/contract/examples.test.ts compares their fields with what it
// answers now.

const examples = await readAnswerExamples()

for (const route of apiRoutes) {
  for (const status of Object.keys(route.replies).map(Number)) {
    test(`${route.operation} ${status} has an example that is as the route declares it`, () => {
      const example = examples[route.operation]?.[status]
      const why = 'UPDATE_EXAMPLES=1 npm test -- tests/contract/examples.test.ts records it'
      assert.ok(example !== undefined, why)
      checkDescribed(route, { status, json: () => example }, `the example of ${route.operation}`)
    })
  }
}

test('every example is of a route and a status that there is', () => {
  const declared = apiRoutes.flatMap(({ operation, replies }) =>
    Object.keys(replies).map((status) => `${operation} ${status}`),
  )
  const known = Object.entries(examples).flatMap(([operation, statuses]) =>
    Object.keys(statuses).map((status) => `${operation} ${status}`),
  )
  assert.deepEqual(known.toSorted(), declared.toSorted())
})
