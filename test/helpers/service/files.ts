/** A session's files over REST, and the files that are on the disk. */
import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { ErrorJson, Service } from './service.ts'
import { pathsBelow } from '../files/files-below.ts'
import { until } from '../lib/until.ts'

export interface UploadJson {
  readonly id: string
  readonly name: string
  readonly size: number
  readonly created_at: string
  readonly file_link: string
}

export interface DownloadJson extends Omit<UploadJson, 'name'> {
  readonly suggested_file_name: string
  readonly original_file_name: string
  readonly original_download_url: string
  readonly origin_url: string
  readonly duration: number
  readonly state: string
}

/** The answer to an upload, also to a refused one. */
export interface UploadAnswer {
  readonly status: string
  readonly data: { readonly id: string; readonly name: string; readonly size: number }
  readonly error: ErrorJson
}

type Folder = 'uploads' | 'incoming' | 'downloads' | 'agent'
export type RequestBody = FormData | ReadableStream | string

export function fileClient(service: Service) {
  const keyed = { 'service-api-key': service.key }
  const url = (path: string) => service.baseUrl + path

  async function post(path: string, body: RequestBody, headers = {}) {
    const init = { method: 'POST', body, headers: { ...keyed, ...headers }, duplex: 'half' }
    const response = await fetch(url(path), init as RequestInit)
    return { status: response.status, body: (await response.json()) as UploadAnswer }
  }

  /** The files in a folder of the sessions, read from disk. */
  function onDisk(folder: Folder): string[] {
    const run = join(service.dataDir, 'run', 'test')
    return readdirSync(run).flatMap((browser) => {
      const dir = join(run, browser, folder)
      return pathsBelow(dir).map((path) => relative(dir, path))
    })
  }

  return {
    keyed,
    post,
    onDisk,
    upload: (path: string, name: string, text: string) =>
      post(path, form(['file', new Blob([text]), name])),
    async bytes(path: string, method = 'GET') {
      const response = await fetch(url(path), { method, headers: keyed })
      const { status, headers } = response
      return { status, headers, text: await response.text() }
    },
    async list<T = UploadJson>(path: string): Promise<readonly T[]> {
      const { body } = await service.rest<{ data: { items: T[] } }>('GET', path)
      return body.data.items
    },
    /** Deletes all listed files. */
    async clear(path: string): Promise<void> {
      const { body } = await service.rest<{ data: { items: UploadJson[] } }>('GET', path)
      for (const { id } of body.data.items) await service.rest('DELETE', `${path}/${id}`)
    },
    nothingComes: () => until('nothing is on its way', () => onDisk('incoming').length === 0),
  }
}

type Part = readonly [name: string, value: string | Blob, fileName?: string]

export function form(...parts: readonly Part[]): FormData {
  const data = new FormData()
  for (const [name, value, fileName] of parts) {
    if (typeof value === 'string') data.append(name, value)
    else data.append(name, value, fileName)
  }
  return data
}
