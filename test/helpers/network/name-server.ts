/** A name server on loopback, over UDP, that answers as the test says. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Its addresses, none for a name that has none; or what becomes of the question. */
export type NameAnswer = readonly string[] | 'unknown' | 'failed' | 'silent'

const codes = { failed: 2, unknown: 3 } as const

export async function serveNames(answerOf: (name: string) => NameAnswer) {
  const asked: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = questionIn(query)
    asked.push(name)
    const answer = answerOf(name)
    if (answer === 'silent') return
    const addresses = typeof answer === 'string' ? [] : answer
    const family = type === 28 ? 6 : 4
    const records = addresses.filter((one) => isIP(one) === family).map(recordOf)
    const code = typeof answer === 'string' ? codes[answer] : 0
    const header = Buffer.from([0, 0, 0x81, 0x80 + code, 0, 1, 0, records.length, 0, 0, 0, 0])
    query.copy(header, 0, 0, 2)
    // A query that was given up has no socket any more, which is none of this server's business.
    socket.send(
      Buffer.concat([header, query.subarray(12, end), ...records]),
      port,
      address,
      () => {},
    )
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    /** As in a setting. */
    address: `127.0.0.1:${socket.address().port}`,
    /** The names of all questions, the latest last; each is asked once for each family. */
    asked,
    close: () => void socket.close(),
  }
}

function questionIn(query: Buffer) {
  const labels: string[] = []
  let at = 12
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

function recordOf(address: string): Buffer {
  const bytes = Buffer.from(ipaddr.parse(address).toByteArray())
  const type = bytes.length === 4 ? 1 : 28
  return Buffer.concat([
    Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, bytes.length]),
    bytes,
  ])
}
