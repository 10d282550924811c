import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { listen, openEgress } from '../../../tests/harness/egress.ts'
import { waitFor } from '../../../tests/harness/wait-for.ts'

/** Fifty megabytes in fifty kilobytes. */
const bomb = gzipSync(Buffer.alloc(50_000_000))

/** Receivers that do harm (check W4). Every one ends within the deadline; what it may be taken for is listed. */
const hostile: Record<string, { behave: (socket: Socket) => void; expect: string[]; kept?: true }> = {
  'accepts and never answers': { behave: () => {}, expect: ['timeout'] },
  'sends its headers a byte at a time': {
    behave: (socket) => drip(socket, `HTTP/1.1 200 OK\r\nx-slow: ${'a'.repeat(10_000)}`),
    expect: ['timeout'],
  },
  'sends its body a byte at a time': {
    behave: (socket) => drip(socket, 'a'.repeat(10_000), 'HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n'),
    expect: ['timeout'],
  },
  'sends a body without end': { behave: (socket) => flood(socket, 'HTTP/1.1 200 OK\r\n\r\n'), expect: ['200'] },
  'sends a body of 10 GB': {
    behave: (socket) => flood(socket, 'HTTP/1.1 500 X\r\ncontent-length: 10000000000\r\n\r\n'),
    expect: ['500'],
  },
  'sends a bomb of gzip': {
    behave: (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`)
      socket.write(bomb)
    },
    expect: ['200'],
    kept: true,
  },
  'sends a header of 64 KB': {
    behave: (socket) => socket.write(`HTTP/1.1 200 OK\r\nx-long: ${'a'.repeat(65_536)}\r\ncontent-length: 0\r\n\r\n`),
    expect: ['too_large'],
  },
  'sends 1,000 headers': {
    behave: (socket) => {
      const headers = Array.from({ length: 1_000 }, (_, at) => `x-header-${at}: some value or other\r\n`).join('')
      socket.write(`HTTP/1.1 200 OK\r\n${headers}content-length: 0\r\n\r\n`)
    },
    expect: ['too_large'],
  },
  'says "continue" without end': {
    behave: (socket) => repeat(socket, 'HTTP/1.1 100 Continue\r\n\r\n'),
    expect: ['connection_closed', 'timeout'],
  },
  'says "early hints" without end': {
    behave: (socket) => repeat(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'),
    expect: ['timeout'],
  },
  'resets in the middle of its body': {
    behave: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf', () => socket.resetAndDestroy())
    },
    expect: ['connection_closed'],
  },
  'resets at once': { behave: (socket) => socket.resetAndDestroy(), expect: ['connection_closed'] },
  'hangs up without a word': { behave: (socket) => socket.end(), expect: ['connection_closed'] },
  'answers what is not HTTP': {
    behave: (socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n'),
    expect: ['connection'],
  },
  'switches protocols': {
    behave: (socket) => socket.write('HTTP/1.1 101 Switching\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n'),
    expect: ['connection_closed', 'timeout'],
  },
}

function drip(socket: Socket, slowly: string, atOnce = ''): void {
  socket.write(atOnce)
  let at = 0
  const timer = setInterval(() => socket.writable && socket.write(slowly[at++ % slowly.length]!), 10)
  socket.on('close', () => clearInterval(timer))
}

function flood(socket: Socket, head: string): void {
  const chunk = Buffer.alloc(65_536, 'x')
  const more = () => {
    while (socket.writable && socket.write(chunk));
  }
  socket.on('drain', more)
  socket.write(head)
  more()
}

function repeat(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.writable && socket.write(text.repeat(10)), 5)
  socket.on('close', () => clearInterval(timer))
}

for (const [what, { behave, expect, kept }] of Object.entries(hostile)) {
  test(`a receiver that ${what} ends by the deadline and leaves nothing behind`, async (t) => {
    const { post } = openEgress(t)
    const open = new Set<Socket>()
    const { port } = await listen(t, (socket) => {
      open.add(socket)
      socket.on('close', () => open.delete(socket))
      behave(socket)
    })
    // Short only for receivers that are cut off by it, so that no other one is on a slow machine.
    const deadline_ms = expect.includes('timeout') ? 1_000 : 20_000
    const result = await post(`http://127.0.0.1:${port}/`, { deadline_ms })
    const outcome = result.kind === 'answered' ? String(result.status) : result.reason
    assert.ok(expect.includes(outcome), outcome)
    assert.ok(result.duration_ms < deadline_ms + 5_000, `${result.duration_ms} ms`)
    if (result.kind === 'answered') assert.ok(result.excerpt.length <= 4_096)
    if (kept) return
    await waitFor(() => open.size === 0, { what: 'the connection to be closed' })
  })
}

test('no more of an answer is read than 64 KB and what lay in the pipe', async (t) => {
  const { post } = openEgress(t)
  let written = 0
  const { port } = await listen(t, (socket) => {
    flood(socket, 'HTTP/1.1 200 OK\r\ncontent-length: 10000000000\r\n\r\n')
    socket.on('close', () => {
      written = socket.bytesWritten
    })
  })
  const before = process.memoryUsage().rss
  for (let times = 0; times < 20; times += 1) {
    const result = await post(`http://127.0.0.1:${port}/`)
    assert.ok(result.kind === 'answered' && result.excerpt === 'x'.repeat(4_096))
  }
  await waitFor(() => written > 0)
  assert.ok(written < 16_000_000, `${written} bytes were taken from the receiver`)
  assert.ok(process.memoryUsage().rss - before < 50_000_000)
})
