/**
 * MCP resources, which a client may attach to a conversation: a screenshot of each running session
 * of the key, and the files that it has downloaded.
 */
import { extname } from 'node:path'
import { ProtocolError, ProtocolErrorCode, type McpServer } from '@modelcontextprotocol/server'
import { ServiceError } from '../../proto/errors.ts'
import { mcpLimits } from './limits.ts'
import type { ServiceClient } from './service.ts'

const screenshotUri = (session: string) => `troupe://sessions/${session}/screenshot`
const downloadUri = (session: string, file: string) =>
  `troupe://sessions/${session}/downloads/${file}`
const uriPattern = /^troupe:\/\/sessions\/(\w+)\/(?:screenshot|downloads\/(\w+))$/

const pictureType = 'image/webp'

const templates = [
  {
    name: 'screenshot',
    title: 'Screenshot of a page',
    uriTemplate: screenshotUri('{session}'),
    description: 'Current screenshot of the selected tab of the session.',
    mimeType: pictureType,
  },
  {
    name: 'download',
    title: 'Downloaded file',
    uriTemplate: downloadUri('{session}', '{file}'),
    description: 'A file that the browser of the session has downloaded.',
  },
]

interface Resource {
  readonly uri: string
  readonly name: string
  readonly title: string
  readonly mimeType: string
  readonly size?: number
}

type Contents = { readonly uri: string; readonly mimeType: string } & (
  { readonly text: string } | { readonly blob: string }
)

interface DownloadRow {
  readonly id: string
  readonly suggested_file_name: string
  readonly size: number
  readonly state: string
  readonly file_link: string
}

/** Handles requests for resources; the server must have declared that capability. */
export function serveResources({ server }: McpServer, service: ServiceClient): void {
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: templates }))
  server.setRequestHandler('resources/list', async () => ({
    resources: await answered(() => listed(service)),
  }))
  server.setRequestHandler('resources/read', async ({ params }) => ({
    contents: [await answered(() => read(service, params.uri))],
  }))
}

async function listed(service: ServiceClient): Promise<Resource[]> {
  const sessions = (await service.running()).slice(0, mcpLimits.resourceSessions)
  const ofEach = sessions.map(async ({ id }) => [
    pictureOf(id),
    ...(await downloadsOf(service, id)).filter(isComplete).map((file): Resource => ({
      uri: downloadUri(id, file.id),
      name: file.suggested_file_name,
      title: `${file.suggested_file_name}, downloaded by ${id}`,
      mimeType: typeOf(file.suggested_file_name),
      size: file.size,
    })),
  ])
  return (await Promise.all(ofEach)).flat()
}

const pictureOf = (id: string): Resource => ({
  uri: screenshotUri(id),
  name: `${id}.webp`,
  title: `Picture of ${id}`,
  mimeType: pictureType,
})

const isComplete = ({ state }: DownloadRow) => state === 'completed'

/** Empty if the session has just ended, or if the key may not read files. */
async function downloadsOf(service: ServiceClient, id: string): Promise<readonly DownloadRow[]> {
  try {
    return await allDownloadsOf(service, id)
  } catch (error) {
    const isOut = (type: string) => ['forbidden', 'session_ended', 'not_found'].includes(type)
    if (error instanceof ServiceError && isOut(error.type)) return []
    throw error
  }
}

async function allDownloadsOf(service: ServiceClient, id: string): Promise<readonly DownloadRow[]> {
  const path = `/v1/sessions/${id}/downloads`
  return (await service.ask<{ items: readonly DownloadRow[] }>({ method: 'GET', path })).items
}

async function read(service: ServiceClient, uri: string): Promise<Contents> {
  const [, session, file] = uriPattern.exec(uri) ?? []
  if (session === undefined) {
    throw new ServiceError('not_found', `There is no resource ${uri}; resources/list lists all.`)
  }
  if (file === undefined) {
    const input = { format: 'webp' }
    const { image } = await service.run(session, 'screenshot', input)
    return { uri, mimeType: pictureType, blob: String(image) }
  }
  const row = (await allDownloadsOf(service, session)).find(({ id }) => id === file)
  if (!row) throw new ServiceError('not_found', `There is no download ${file} in ${session}.`)
  if (row.size > mcpLimits.resourceBytes) {
    const text =
      `${row.suggested_file_name} has ${row.size} bytes, but resources can have at most ` +
      `${mcpLimits.resourceBytes}; fetch ${row.file_link} with your key.`
    throw new ServiceError('too_large', text)
  }
  const bytes = await service.bytes(`/v1/sessions/${session}/downloads/${file}`)
  const mimeType = typeOf(row.suggested_file_name)
  return isText(mimeType)
    ? { uri, mimeType, text: Buffer.from(bytes).toString() }
    : { uri, mimeType, blob: Buffer.from(bytes).toString('base64') }
}

/** By the file's extension, because the service stores no content types of downloads. */
const types: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.htm': 'text/html',
  '.html': 'text/html',
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.txt': 'text/plain',
  '.xml': 'text/xml',
  '.gif': 'image/gif',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.zip': 'application/zip',
}
const typeOf = (name: string) => types[extname(name).toLowerCase()] ?? 'application/octet-stream'
const isText = (type: string) => /^text\/|json$/.test(type)

/** A resource has no `isError` result, so the service's errors become protocol errors. */
async function answered<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const isOurs = ['unavailable', 'internal', 'timeout'].includes(error.type)
    const code = isOurs ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams
    throw new ProtocolError(code, `${error.type}: ${error.message}`)
  }
}
