/**
 * Files of a session: those uploaded by clients, downloaded by its browser, and readable by agents.
 */
import { z } from 'zod'
import { filePaths, type DownloadedFile, type StoredFile } from '../../proto/browser-host/files.ts'
import { isId } from '../../proto/ids.ts'
import { ServiceError } from '../../proto/errors.ts'
import type { ServiceUrls } from '../routing/service-urls.ts'
import type { Principal } from '../routing/auth/auth.ts'
import type { CommandDispatcher } from '../commands/command-dispatcher.ts'
import type { AgentFiles } from './agent-files.ts'
import {
  agentFileListJson,
  agentFileRow,
  downloadListJson,
  downloadRow,
  fileForm,
  uploadedJson,
  uploadForm,
  uploadListJson,
  uploadRow,
} from './file-json.ts'
import { receiveFile } from './multipart.ts'
import type { HttpReply } from '../server/http.ts'
import { jsonRoute, rawRoute, type Route } from '../routing/route.ts'
import { successJson } from '../sessions/session-json.ts'

export interface FileRouteDeps {
  readonly files: AgentFiles
  readonly commands: CommandDispatcher
  readonly addresses: ServiceUrls
}

const session = '/v1/sessions/{session_id}'
const ofSession = z.object({ session_id: z.string() })
const ofFile = z.object({ session_id: z.string(), file_id: z.string() })
const attachFields = uploadForm.omit({ file: true }).strict()
const noFields = z.strictObject({})
const success = { data: { status: 'success' as const } }

const grantOf = ({ keyId, tenant }: Principal, sessionId: string) => ({ keyId, tenant, sessionId })

export function fileRoutes(deps: FileRouteDeps): readonly Route[] {
  return [
    ...uploadRoutes(deps),
    ...listRoutes(deps),
    ...bytesRoutes(deps, 'uploads'),
    ...bytesRoutes(deps, 'downloads'),
    ...agentRoutes(deps),
  ]
}

function uploadRoutes({ files, commands }: FileRouteDeps): readonly Route[] {
  return [
    jsonRoute({
      method: 'POST',
      path: `${session}/uploads`,
      summary: 'Upload a file, and optionally put it into a file input of the page.',
      description:
        'Takes a form with the part `file` of up to 100 MiB, which is streamed to the ' +
        'browser’s host. With `selector`, the file is also put into that file input of the ' +
        'page.',
      auth: 'key',
      scope: 'files',
      makes: true,
      params: ofSession,
      form: uploadForm,
      response: uploadedJson,
      async handler({ caller, params, request }) {
        const grant = grantOf(caller, params.session_id)
        const { stored, fields } = await files.storing(grant, filePaths.uploads, (store) =>
          receiveFile(request, { fields: attachFields, store: store<StoredFile> }),
        )
        const { id, name, bytes } = stored
        const { selector, index } = fields
        if (selector !== undefined) {
          const input = { id, selector, index }
          await commands
            .one(caller, params.session_id, 'attach_upload', input)
            .catch(async (error) => {
              // A refused client will send the file again, so the first copy is deleted.
              await files.remove(grant, `${filePaths.uploads}/${id}`)
              throw error
            })
        }
        return successAnswer(`${name} was uploaded.`, { id, name, size: bytes })
      },
    }),
  ]
}

function listRoutes({ files, addresses }: FileRouteDeps): readonly Route[] {
  return [
    jsonRoute({
      method: 'GET',
      path: `${session}/uploads`,
      summary: 'List the uploaded files of a session.',
      description: 'Returns the id, name, size and link of each file.',
      auth: 'key',
      scope: 'files',
      params: ofSession,
      response: uploadListJson,
      async handler({ caller, params: { session_id: id }, request }) {
        const list = await files.get<readonly StoredFile[]>(grantOf(caller, id), filePaths.uploads)
        const base = `${addresses.http(request)}/v1/sessions/${id}/uploads`
        return { data: { count: list.length, items: list.map((file) => uploadRow(file, base)) } }
      },
    }),
    jsonRoute({
      method: 'GET',
      path: `${session}/downloads`,
      summary: 'List the finished and running downloads of a session.',
      description:
        'Includes downloads started by any client: over CDP, by a person in the live view, or ' +
        'by a task.',
      auth: 'key',
      scope: 'files',
      params: ofSession,
      response: downloadListJson,
      async handler({ caller, params: { session_id: id }, request }) {
        const grant = grantOf(caller, id)
        const list = await files.get<readonly DownloadedFile[]>(grant, filePaths.downloads)
        const base = `${addresses.http(request)}/v1/sessions/${id}/downloads`
        return { data: { count: list.length, items: list.map((file) => downloadRow(file, base)) } }
      },
    }),
  ]
}

function bytesRoutes({ files }: FileRouteDeps, area: 'uploads' | 'downloads'): readonly Route[] {
  const what = area === 'uploads' ? 'an upload' : 'a download'
  const shared = {
    path: `${session}/${area}/{file_id}`,
    auth: 'key',
    scope: 'files',
    params: ofFile,
  } as const
  const pathOf = (id: string) => {
    if (!isId('fil', id)) throw new ServiceError('not_found', 'There is no file with this id.')
    return `${filePaths[area]}/${id}`
  }
  return [
    rawRoute({
      ...shared,
      method: 'GET',
      summary: `Get the bytes of ${what}.`,
      description: 'Sent as an attachment, never for display, because the content is not trusted.',
      contentType: 'application/octet-stream',
      async handler({ caller, params }) {
        const grant = grantOf(caller, params.session_id)
        return fileReply(await files.read(grant, pathOf(params.file_id)))
      },
    }),
    jsonRoute({
      ...shared,
      method: 'DELETE',
      summary: `Delete ${what}.`,
      description:
        'Removes the file from the browser’s host immediately. All files are removed when the ' +
        'session ends.',
      response: successJson,
      async handler({ caller, params }) {
        await files.remove(grantOf(caller, params.session_id), pathOf(params.file_id))
        return success
      },
    }),
  ]
}

function agentRoutes({ files }: FileRouteDeps): readonly Route[] {
  const shared = {
    path: `${session}/agent/files`,
    auth: 'key',
    scope: 'files',
    params: ofSession,
  } as const
  return [
    jsonRoute({
      ...shared,
      method: 'POST',
      summary: 'Add a file that agents can read; a ZIP archive is unpacked.',
      description:
        'Takes a form with the part `file`. Web tasks and agents can read the file and put it ' +
        'into file inputs.',
      makes: true,
      form: fileForm,
      response: uploadedJson,
      async handler({ caller, params, request }) {
        const grant = grantOf(caller, params.session_id)
        const { stored } = await files.storing(grant, filePaths.agent, (store) =>
          receiveFile(request, { fields: noFields, store: store<readonly StoredFile[]> }),
        )
        return successAnswer(
          stored.length === 1 ? '1 file was added.' : `${stored.length} files were added.`,
        )
      },
    }),
    jsonRoute({
      ...shared,
      method: 'GET',
      summary: 'List the files that agents can read.',
      description: 'Returns the name, size, type and time of each file.',
      response: agentFileListJson,
      async handler({ caller, params }) {
        const grant = grantOf(caller, params.session_id)
        const list = await files.get<readonly StoredFile[]>(grant, filePaths.agent)
        return { data: { files: list.map(agentFileRow) } }
      },
    }),
  ]
}

function successAnswer(message: string, more: { id?: string; name?: string; size?: number } = {}) {
  const status = 'success' as const
  return { status, message, data: { status, message, ...more } }
}

/** The content is not ours, so browsers must save it and never display it. */
function fileReply({ name, ...body }: Awaited<ReturnType<AgentFiles['read']>>): HttpReply {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return {
    status: 200,
    headers: {
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`,
      'cache-control': 'no-store',
    },
    body,
  }
}
