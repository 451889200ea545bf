/**
 * A refusal on the data port, for requests and upgrades: the HTTP status and the service's error
 * body.
 */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ServiceError } from '../../proto/errors.ts'
import { newId } from '../../proto/ids.ts'

function bodyOf(error: ServiceError): string {
  const { status: code, type, message, details } = error
  return JSON.stringify({ error: { code, type, message, request_id: newId('req'), ...details } })
}

export function refuseRequest(response: ServerResponse, error: ServiceError): void {
  const body = bodyOf(error)
  response.writeHead(error.status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}

/** Closes the connection, also if its client keeps its own side open. */
export function refuseUpgrade(socket: Socket, error: ServiceError): void {
  const body = bodyOf(error)
  socket.end(
    [
      `HTTP/1.1 ${error.status} ${error.type}`,
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
      '',
      body,
    ].join('\r\n'),
    () => socket.destroySoon(),
  )
}
