/** Serves files over the data port, to gateways with a ticket of kind `files`. */
import type { FileHandle } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { ServiceError } from '../../proto/errors.ts'
import { fileNameHeader } from '../../proto/browser-host/files.ts'
import { noSuchFile } from './folder.ts'
import { openPlain } from './open-plain.ts'
import type { SessionFiles } from './session-files.ts'

export const filePath = /^\/(uploads|downloads|agent)(\/fil_[a-z0-9]{26})?$/

interface Exchange {
  readonly files: SessionFiles
  readonly incoming: IncomingMessage
  readonly response: ServerResponse
  readonly id: string
}

type Answer = (exchange: Exchange) => Promise<unknown>

/** Each result is sent as JSON, unless the handler has already sent an answer itself. */
const answers: Readonly<Record<string, Answer>> = {
  'GET /uploads': async ({ files }) => files.uploads.list(),
  'POST /uploads': ({ files, incoming }) => files.uploads.receive(nameOf(incoming), incoming),
  'GET /uploads/id': async ({ files, id, response }) => {
    const file = files.uploads.get(id)
    return sendFile(response, file.name, files.uploads.pathOf(file))
  },
  'DELETE /uploads/id': async ({ files, id }) => (await files.uploads.remove(id), {}),
  'GET /downloads': async ({ files }) => files.downloads.list(),
  'GET /downloads/id': async ({ files, id, response }) => {
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const { file, path } = await files.downloads.get(id, gone.signal)
    return sendFile(response, file.name, path)
  },
  'DELETE /downloads/id': async ({ files, id }) => (await files.downloads.remove(id), {}),
  'GET /agent': async ({ files }) => files.agent.list(),
  'POST /agent': ({ files, incoming }) => files.receiveForAgent(nameOf(incoming), incoming),
}

export async function answerFiles(
  incoming: IncomingMessage,
  response: ServerResponse,
  path: string,
  files: SessionFiles,
): Promise<void> {
  const [, area, id = '', action] = path.split('/')
  const route = ['', area, ...(id && ['id']), ...(action ? [action] : [])].join('/')
  const answer = answers[`${incoming.method} ${route}`]
  if (!answer)
    throw new ServiceError('method_not_allowed', 'This operation on files is not supported.')
  const value = await answer({ files, incoming, response, id })
  if (response.headersSent) return
  response.setHeader('content-type', 'application/json').end(JSON.stringify(value))
}

async function sendFile(response: ServerResponse, name: string, path: string): Promise<void> {
  // The page or a client may have removed it.
  const file = await openPlain(path)
  if (!file) throw noSuchFile()
  try {
    await sendBytes(response, name, file)
  } finally {
    await file.close()
  }
}

async function sendBytes(response: ServerResponse, name: string, file: FileHandle): Promise<void> {
  const found = await file.stat()
  response.writeHead(200, {
    'content-type': 'application/octet-stream',
    'content-length': found.size,
    [fileNameHeader]: encodeURIComponent(name),
  })
  // A file that is still being written must not exceed the announced length.
  const bytes = found.size === 0 ? [] : file.createReadStream({ end: found.size - 1 })
  await pipeline(bytes, response)
}

function nameOf({ headers }: IncomingMessage): string {
  try {
    return decodeURIComponent(String(headers[fileNameHeader] ?? ''))
  } catch (cause) {
    throw new ServiceError('bad_request', 'The file name is malformed.', {}, cause)
  }
}
