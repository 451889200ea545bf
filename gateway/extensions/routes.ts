/** A tenant's extensions: what sessions with `browser.extensions` have. */
import { z } from 'zod'
import type { ExtensionRecords } from '../../runtime/extensions/extension-records.ts'
import { receiveFile } from '../files/multipart.ts'
import { jsonRoute, type Route } from '../routing/route.ts'
import {
  extensionForm,
  extensionJson,
  extensionListJson,
  toExtensionJson,
} from './extension-json.ts'
import type { ExtensionUploads } from './extension-uploads.ts'

export interface ExtensionRouteDeps {
  readonly extensions: Pick<ExtensionRecords, 'get' | 'list' | 'remove'>
  readonly uploads: ExtensionUploads
}

const ofExtension = z.object({ extension_id: z.string() })
const shared = { auth: 'key', scope: 'sessions' } as const
const fields = extensionForm.omit({ file: true }).strict()

export function extensionRoutes(deps: ExtensionRouteDeps): readonly Route[] {
  return [...readRoutes(deps), uploadRoute(deps), removeRoute(deps)]
}

function readRoutes({ extensions }: ExtensionRouteDeps): readonly Route[] {
  return [
    jsonRoute({
      ...shared,
      method: 'GET',
      path: '/v1/extensions',
      summary: 'List your extensions.',
      description: 'The oldest first. A session has those that `browser.extensions` names.',
      response: extensionListJson,
      async handler({ caller: { tenant } }) {
        return { data: (await extensions.list(tenant)).map(toExtensionJson) }
      },
    }),
    jsonRoute({
      ...shared,
      method: 'GET',
      path: '/v1/extensions/{extension_id}',
      summary: 'Get an extension.',
      description: 'What its manifest says, and its id in the browser.',
      params: ofExtension,
      response: extensionJson,
      async handler({ caller: { tenant }, params: { extension_id: id } }) {
        return toExtensionJson(await extensions.get(tenant, id))
      },
    }),
  ]
}

function uploadRoute({ uploads }: ExtensionRouteDeps): Route {
  return jsonRoute({
    ...shared,
    method: 'POST',
    path: '/v1/extensions',
    audit: 'extension.create',
    summary: 'Upload an extension.',
    description:
      'Takes a form with the part `name` and the part `file`: a ZIP or CRX of up to 50 MB with a ' +
      'manifest of version 3, which is checked. Its files are sealed, and loaded into the browsers ' +
      'of your sessions only.',
    makes: true,
    form: extensionForm,
    response: z.object({ data: extensionJson }),
    async handler({ caller: { tenant }, request }) {
      const record = await uploads.during(tenant, async () => {
        const form = { fields, store: uploads.receive }
        const { stored, fields: given } = await receiveFile(request, form)
        return uploads.store(tenant, given.name, stored)
      })
      return { data: toExtensionJson(record) }
    },
  })
}

function removeRoute({ extensions }: ExtensionRouteDeps): Route {
  return jsonRoute({
    ...shared,
    method: 'DELETE',
    path: '/v1/extensions/{extension_id}',
    audit: 'extension.remove',
    summary: 'Delete an extension.',
    description: 'Sessions that have it keep it until they end; no other session can have it.',
    params: ofExtension,
    response: z.object({
      data: z.object({ data: z.object({ status: z.literal('success') }) }),
    }),
    async handler({ caller: { tenant }, params: { extension_id: id } }) {
      await extensions.remove(tenant, id)
      return { data: { data: { status: 'success' as const } } }
    },
  })
}
