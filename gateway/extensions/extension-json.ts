/** Extensions as REST shows them: the contract's fields, and a few more. */
import { z } from 'zod'
import type { ExtensionRecord } from '../../proto/session/extension.ts'
import { sessionLimits } from '../../proto/session/limits.ts'
import { toIsoTime } from '../routing/answers/iso-time.ts'

const time = z.iso.datetime()

export const extensionForm = z.object({
  name: z
    .string()
    .min(1)
    .max(sessionLimits.extensionNameChars)
    .describe('For people. Uploads of the same name have the same id in Chromium.'),
  file: z
    .string()
    .meta({ format: 'binary' })
    .describe('A ZIP of the folder, or a CRX of version 3.'),
})

export const extensionJson = z.object({
  id: z.string().describe('For `browser.extensions` of a session.'),
  name: z.string(),
  manifest: z.object({
    name: z.string(),
    version: z.string(),
    manifest_version: z.literal(3),
    description: z.string().optional(),
    permissions: z.array(z.string()),
    host_permissions: z.array(z.string()),
  }),
  chromium_id: z.string().describe('Its id in the browser: chrome-extension://ID/.'),
  needs_own_network: z
    .array(z.string())
    .describe('Permissions for which its browser must have a network of its own.'),
  size_bytes: z.number().int(),
  createdAt: time,
  updatedAt: time,
})

export const extensionListJson = z.object({ data: z.array(extensionJson) })

export function toExtensionJson(record: ExtensionRecord): z.output<typeof extensionJson> {
  const { id, name, manifest, chromiumId, guarded, bytes, createdAtMs } = record
  const createdAt = toIsoTime(createdAtMs)
  const { permissions, host_permissions } = manifest
  return {
    ...{ id, name, createdAt, updatedAt: createdAt },
    manifest: {
      ...manifest,
      permissions: [...permissions],
      host_permissions: [...host_permissions],
    },
    chromium_id: chromiumId,
    needs_own_network: [...guarded],
    size_bytes: bytes,
  }
}
