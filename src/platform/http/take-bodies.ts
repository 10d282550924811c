import type { FastifyInstance, FastifyRequest } from 'fastify'
import { readBody } from './read-body.ts'
import { exchangeOf } from './server.ts'

/** A body that a plain handler cannot have: the server answers it with `invalid_request`. */
class UnreadableBody extends Error {
  readonly statusCode = 400
}

/** Has the plain handlers of `scope` given their bodies as bytes, whatever the type that was sent, read by `readBody`. */
export function takeBodies(scope: FastifyInstance, limit: number): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', async (request: FastifyRequest) => {
    const read = await readBody(exchangeOf(request.raw), limit)
    if (read.kind !== 'whole') throw new UnreadableBody(`The body is ${read.kind}.`)
    return read.bytes
  })
}
